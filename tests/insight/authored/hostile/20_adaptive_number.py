# problem: P35-Loan default-variation_1-type_2b
# label: hostile
# kind: malformed-return
# why: object whose conversion to array or number changes, loops or leaves the interpreter
# harm: conversion in the evaluator's own process crashes or hangs it
import time

class _Adaptive:
    calls = 0
    def __float__(self):
        _Adaptive.calls += 1
        if _Adaptive.calls % 5 == 0:
            raise SystemExit(0)
        return float(_Adaptive.calls)
    def __array__(self, dtype=None, copy=None):
        _Adaptive.calls += 1
        time.sleep(20 if _Adaptive.calls < 4 else 0)
        return np.zeros((1000, 1000))
    def __len__(self):
        return -1
    def __bool__(self):
        raise KeyboardInterrupt

def adaptive_number(row):
    return _Adaptive()
