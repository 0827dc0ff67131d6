# problem: P35-Loan default-variation_1-type_2b
# label: hostile
# kind: flood
# why: prints up to half a gigabyte to standard output and error
# harm: the evaluator stores it all, or the worker blocks on a full pipe for ever
import sys

def debug_output(df):
    line = "row checked " * 6000 + "\n"
    for _ in range(3500):
        sys.stdout.write(line)
        sys.stderr.write(line)
    return pd.Series(1.0, index=df.index)
