# problem: retail-binary-easy-2302-000
# label: hostile
# kind: endless-loop
# why: loops and swallows every exception, BaseException too
# harm: the evaluator waits past its time limit or its timeout exception is eaten
import time

def patient_loop(df):
    end = time.monotonic() + 60
    n = 0
    while time.monotonic() < end:
        try:
            while time.monotonic() < end:
                n += 1
        except BaseException:
            continue
    return pd.Series(float(n > 0), index=df.index)
