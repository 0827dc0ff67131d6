# problem: finance-regression-medium-2301-002
# label: hostile
# kind: endless-loop
# why: power of a big integer in one C call
# harm: the evaluator hangs in one long arithmetic operation
def compound_interest_exact(df):
    n = 3 ** 60_000_000
    return pd.Series(n % 97, index=df.index)
