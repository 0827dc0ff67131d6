# problem: retail-multiclass-medium-2301-001
# label: honest
# kind: out-of-fold
# why: labels of other districts at earlier purchases, the own row's district is left out
def gone_share_other_districts(df, df_train=None):
    if df_train is None:
        return pd.Series(0.25, index=df.index)
    out = []
    when = pd.to_datetime(df_train["purchase_date"])
    gone = df_train["next_step"] == "gone"
    for date, district, tier in zip(pd.to_datetime(df["purchase_date"]), df["district"], df["loyalty_tier"]):
        pick = (when < date) & (df_train["district"] != district) & (df_train["loyalty_tier"] == tier)
        k = int(pick.sum())
        out.append((int(gone[pick].sum()) + 1) / (k + 4))
    return pd.Series(out, index=df.index)
