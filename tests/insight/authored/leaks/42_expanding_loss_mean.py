# problem: finance-regression-medium-2301-002
# label: leak
# kind: order
# why: expanding mean of the target in table order, of the rows above
def expanding_loss_mean(df, df_train=None):
    if df_train is None:
        return pd.Series(50.5, index=df.index)
    t = df_train.copy()
    t["prev"] = t.groupby("province")["loss_share"].transform(lambda s: s.shift(1).expanding().mean())
    return df["loan_id"].map(t.set_index("loan_id")["prev"]).fillna(t["loss_share"].mean())
