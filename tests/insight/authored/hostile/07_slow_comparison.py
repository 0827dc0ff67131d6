# problem: retail-multiclass-medium-2301-001
# label: hostile
# kind: endless-loop
# why: returned objects whose comparison and hash take a minute
# harm: comparing or deduplicating values hangs the evaluator
import time

class _Slow(str):
    until = None
    def _wait(self):
        if _Slow.until is None:
            _Slow.until = time.monotonic() + 60
        while time.monotonic() < _Slow.until:
            pass
    def __eq__(self, other):
        self._wait()
        return True
    def __hash__(self):
        self._wait()
        return 1

def slow_comparison(row):
    return _Slow(row["district"])
