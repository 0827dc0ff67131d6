# problem: telecom-binary-medium-2301-000
# label: leak
# kind: df_train
# why: fits least squares on df_train with the own row in it and returns the in-sample prediction
def linear_risk_score(df, df_train=None):
    cols = ["monthly_fee", "lines", "letters_sent", "account_digits", "satisfaction_index"]
    if df_train is None or len(df_train) < 20:
        return pd.Series(0.4, index=df.index)

    def design(t):
        x = t[cols].fillna(t[cols].median())
        parts = [np.ones(len(t))] + [x[c].to_numpy(float) / 100 for c in cols]
        for r in ["capital", "islands", "north", "south", "valley"]:
            parts.append((t["region"] == r).to_numpy(float))
        for h in range(1, 41):
            parts.append((t["handset_id"] == h).to_numpy(float))
        return np.column_stack(parts)

    x = design(df_train)
    beta = np.linalg.lstsq(x.T @ x + 1e-3 * np.eye(x.shape[1]), x.T @ df_train["cancelled"].to_numpy(float), rcond=None)[0]
    return pd.Series(design(df) @ beta, index=df.index)
