# problem: finance-regression-medium-2301-002
# label: honest
# kind: earlier-labels
# why: mean target of the province's earlier loans
def province_loss_before(row, df_train=None):
    if df_train is None:
        return 50.0
    seen = df_train[(df_train["province"] == row["province"]) & (df_train["loan_date"].astype(str) < str(row["loan_date"]))]
    seen = seen[seen["loan_id"] != row["loan_id"]]
    if len(seen) < 3:
        return 50.0
    return round(math.fsum(seen["loss_share"]) / len(seen), 4)
