# problem: retail-multiclass-easy-2302-001
# label: hostile
# kind: malformed-return
# why: returns a generator that yields for a minute without an end in sight
# harm: the evaluator drains the generator outside its time limit or fills its memory
import time

def lazy_column(df):
    def values():
        end = time.monotonic() + 60
        while time.monotonic() < end:
            time.sleep(0.0005)
            yield 1.0
    return values()
