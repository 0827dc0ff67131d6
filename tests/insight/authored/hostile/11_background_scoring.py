# problem: retail-multiclass-easy-2302-001
# label: hostile
# kind: threads
# why: leaves sixty-four busy threads behind that are no daemons
# harm: the worker cannot end, or later functions are starved
import threading, time

def background_scoring(df):
    end = time.monotonic() + 60
    def work():
        while time.monotonic() < end:
            math.sqrt(2)
    if not getattr(background_scoring, "started", False):
        background_scoring.started = True
        for _ in range(64):
            threading.Thread(target=work, daemon=False).start()
    return pd.Series(64, index=df.index)
