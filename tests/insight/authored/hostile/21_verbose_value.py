# problem: telecom-binary-medium-2301-000
# label: hostile
# kind: malformed-return
# why: object whose repr and str raise or return hundreds of megabytes
# harm: an error message built from the value brings the evaluator down
class _Verbose:
    def __repr__(self):
        return "v" * 500_000_000
    def __str__(self):
        raise RecursionError("again")
    def __format__(self, spec):
        raise MemoryError

def verbose_value(row):
    return _Verbose()
