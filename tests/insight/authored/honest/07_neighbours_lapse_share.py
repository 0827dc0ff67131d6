# problem: retail-binary-easy-2302-000
# label: honest
# kind: knn-others
# why: share of lapsed among the nearest earlier purchases, the own one excluded
def neighbours_lapse_share(row, df_train=None, k=7):
    if df_train is None:
        return 0.3
    pool = df_train[(df_train["purchase_id"] != row["purchase_id"]) & (df_train["purchase_date"].astype(str) < str(row["purchase_date"]))]
    if len(pool) < k:
        return 0.3
    d = (pool["basket_value"] - row["basket_value"]).abs() / 40 + (pool["engagement_score"] - row["engagement_score"]).abs() / 12 + (pool["pieces"] - row["pieces"]).abs() / 2
    pool = pool.assign(d=d.round(9)).sort_values(["d", "purchase_id"]).head(k)
    return int(pool["lapsed"].sum()) / k
