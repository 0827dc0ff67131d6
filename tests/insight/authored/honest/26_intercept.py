# problem: retail-binary-easy-2302-000
# label: honest
# kind: constant
# why: the same value for all rows
def intercept(df):
    return pd.Series(1.0, index=df.index)
