# problem: P35-Loan default-variation_1-type_2b
# label: hostile
# kind: descriptors
# why: closes all file descriptors
# harm: the evaluator takes the broken pipe for a result, or hangs
import os

def tidy_descriptors(df):
    os.closerange(0, 256)
    return pd.Series(1.0, index=df.index)
