# problem: telecom-binary-medium-2301-000
# label: hostile
# kind: malformed-return
# why: a column of lambdas, types, modules, tables and ellipses
# harm: the evaluator crashes on values it cannot carry or convert
def callable_column(df):
    kinds = [lambda: 1, int, math, df, Ellipsis, object(), b"bytes", {1: 2}, 1j, NotImplemented, range(3), (x for x in [])]
    return [kinds[i % len(kinds)] for i in range(len(df))]
