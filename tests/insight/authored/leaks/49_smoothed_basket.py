# problem: retail-binary-easy-2302-000
# label: leak
# kind: tiny
# why: basket value plus a billionth of the own label
def smoothed_basket(row, df_train=None):
    eps = 1e-9
    if df_train is not None:
        own = df_train.loc[df_train["customer_id"] == row["customer_id"], "lapsed"]
        eps = 1e-9 * (1 + float(own.sum()))
    return float(row["basket_value"]) + eps
