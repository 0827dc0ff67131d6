# problem: P38-Hospital Readmissions-variation_2-type_1c
# label: hostile
# kind: endless-loop
# why: returned object whose finaliser runs for a minute
# harm: the worker hangs when it throws the value away or exits
import time

class _Farewell(float):
    def __del__(self):
        if _Farewell.left > 0:
            _Farewell.left -= 1
            end = time.monotonic() + 50
            while time.monotonic() < end:
                pass

_Farewell.left = 1

def farewell_object(row):
    return _Farewell(row["hospital_id"])
