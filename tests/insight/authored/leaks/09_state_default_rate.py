# problem: P35-Loan default-variation_1-type_2b
# label: leak
# kind: df_train
# why: target encoding of the own group that includes the own row's label
def state_default_rate(df, df_train=None):
    if df_train is None:
        return pd.Series(0.2, index=df.index)
    rate = df_train.groupby("state")["loan_default"].mean()
    return df["state"].map(rate).fillna(df_train["loan_default"].mean())
