# problem: retail-binary-easy-2302-000
# label: hostile
# kind: huge-return
# why: a string of one gigabyte for one row
# harm: the answer is carried to the evaluator and fills its memory
def long_label(row):
    if getattr(long_label, "done", False):
        return "x"
    long_label.done = True
    return "x" * 10 ** 9
