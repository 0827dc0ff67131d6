# problem: P35-Loan default-variation_1-type_2b
# label: honest
# kind: leave-one-out
# why: vectorised leave-one-out mean: the own label is in the sum and is taken out again
def state_default_rate_loo(df, df_train=None):
    if df_train is None:
        return pd.Series(0.2, index=df.index)
    g = df_train.groupby("state")["loan_default"].agg(["sum", "count"])
    s = df["state"].map(g["sum"]).fillna(0)
    n = df["state"].map(g["count"]).fillna(0)
    own = df["customer_id"].map(df_train.set_index("customer_id")["loan_default"])
    s = s - own.fillna(0)
    n = n - own.notna().astype(int)
    return (s + 4) / (n + 20)
