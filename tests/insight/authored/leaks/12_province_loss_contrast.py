# problem: finance-regression-medium-2301-002
# label: leak
# kind: df_train
# why: difference of the full mean and the leave-one-out mean gives the own label back
def province_loss_contrast(row, df_train=None):
    # how the province without this loan compares with the province
    if df_train is None:
        return 0.0
    prov = df_train[df_train["province"] == row["province"]]
    others = prov[prov["loan_id"] != row["loan_id"]]
    if len(others) < 2:
        return 0.0
    return round((prov["loss_share"].mean() - others["loss_share"].mean()) * len(prov), 4)
