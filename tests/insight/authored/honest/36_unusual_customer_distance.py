# problem: P35-Loan default-variation_1-type_2b
# label: honest
# kind: train-base-stat
# why: Mahalanobis distance to the base columns of df_train
def unusual_customer_distance(df, df_train=None):
    ref = df if df_train is None else df_train
    x = ref[["annual_income", "credit_score"]].to_numpy(float)
    mu, cov = x.mean(axis=0), np.cov(x.T)
    z = df[["annual_income", "credit_score"]].to_numpy(float) - mu
    d = np.sqrt((z @ np.linalg.inv(cov) * z).sum(axis=1))
    return pd.Series(np.round(d, 6), index=df.index)
