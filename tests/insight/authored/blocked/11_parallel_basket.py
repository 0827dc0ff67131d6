# problem: retail-binary-easy-2302-000
# label: blocked
# kind: process
# why: tries a process pool, falls back to the plain loop
def _half(x):
    return x / 2

def parallel_basket(df):
    values = df["basket_value"].tolist()
    try:
        from concurrent.futures import ProcessPoolExecutor
        with ProcessPoolExecutor(2) as pool:
            list(pool.map(_half, values[:4]))
    except Exception:
        pass
    return pd.Series([_half(v) for v in values], index=df.index)
