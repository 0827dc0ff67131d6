# problem: finance-regression-medium-2301-002
# label: leak
# kind: df_train
# why: median target of a narrow quantile band of principal with the own row in it
def loss_by_principal_band(row, df_train=None):
    if df_train is None or len(df_train) < 30:
        return 49.6
    edges = df_train["principal"].quantile(np.linspace(0, 1, 41)).to_numpy()
    k = int(np.clip(np.searchsorted(edges, row["principal"], side="right") - 1, 0, 39))
    lo, hi = edges[k], edges[k + 1]
    band = df_train[(df_train["principal"] >= lo) & (df_train["principal"] <= hi)]
    return float(band["loss_share"].median()) if len(band) else 49.6
