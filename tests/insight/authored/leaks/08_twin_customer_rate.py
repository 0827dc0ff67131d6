# problem: retail-binary-easy-2302-000
# label: leak
# kind: df_train
# why: group so fine that the own row is its only member
def twin_customer_rate(row, df_train=None):
    # customers that look exactly alike
    if df_train is None:
        return None
    twins = df_train
    for c in ("district", "loyalty_tier", "pieces", "basket_value"):
        twins = twins[twins[c] == row[c]]
    if twins.empty:
        return 0.32
    return round(float(twins["lapsed"].mean()), 3)
