# problem: retail-multiclass-easy-2302-001
# label: honest
# kind: train-base-stat
# why: standardised base column within df_train, labels untouched
def basket_zscore_in_tier(row, df_train=None):
    if df_train is None:
        return 0.0
    ref = df_train.loc[df_train["loyalty_tier"].astype(str) == str(row["loyalty_tier"]), "basket_value"]
    if len(ref) < 5:
        return 0.0
    return round(float((row["basket_value"] - ref.mean()) / (ref.std() + 1e-6)), 6)
