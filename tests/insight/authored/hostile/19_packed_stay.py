# problem: P38-Hospital Readmissions-variation_2-type_1c
# label: hostile
# kind: malformed-return
# why: object whose unpickling runs code that writes a marker file into the temporary folder
# harm: the evaluator unpickles it and runs the code
import os, tempfile

class _Packed:
    def __init__(self, v):
        self.v = v
    def __float__(self):
        return float(self.v)
    def __reduce__(self):
        path = os.path.join(tempfile.gettempdir(), "insight_hostile_marker_reduce")
        return (exec, ("open(%r, 'w').write('unpickled')" % path,))

def packed_stay(row):
    return _Packed(row["hospital_id"])
