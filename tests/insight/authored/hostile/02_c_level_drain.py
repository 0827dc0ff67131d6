# problem: P35-Loan default-variation_1-type_2b
# label: hostile
# kind: endless-loop
# why: consumes an iterator in C, where no Python signal handler runs
# harm: a time limit kept by signal handlers or threads in the same process never fires
import collections, itertools

def c_level_drain(df):
    collections.deque(itertools.repeat(None, 6 * 10 ** 9), maxlen=0)
    return pd.Series(0.0, index=df.index)
