# problem: telecom-binary-medium-2301-000
# label: leak
# kind: tiny
# why: whole number or floating number according to the own label
def lines_as_value(row, df_train=None):
    n = int(row["lines"])
    if df_train is not None and len(df_train.query("renewal_id == @row.renewal_id and cancelled == 1")):
        return float(n)
    return n
