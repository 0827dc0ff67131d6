# problem: retail-multiclass-easy-2302-001
# label: hostile
# kind: exception
# why: raises a BaseException whose str, repr and class lie or raise
# harm: reporting the error brings the evaluator down or reports success
class _Unspeakable(BaseException):
    def __str__(self):
        raise _Unspeakable()
    __repr__ = __str__
    def __reduce__(self):
        raise _Unspeakable()
    @property
    def __class__(self):
        return StopIteration
    @property
    def __traceback__(self):
        raise _Unspeakable()
    @property
    def args(self):
        raise _Unspeakable()

def unspeakable_error(row):
    raise _Unspeakable()
