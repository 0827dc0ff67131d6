# problem: telecom-binary-medium-2301-000
# label: hostile
# kind: crash
# why: reads address zero through ctypes
# harm: the evaluator dies of a segmentation fault
def raw_pointer(row):
    import ctypes
    return len(ctypes.string_at(0, 8))
