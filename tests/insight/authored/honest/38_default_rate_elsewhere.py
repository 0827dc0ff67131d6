# problem: P35-Loan default-variation_1-type_2b
# label: honest
# kind: out-of-fold
# why: default rate of the same employment in the other states
def default_rate_elsewhere(row, df_train=None):
    if df_train is None:
        return 0.2
    t = df_train[(df_train["employment_status"] == row["employment_status"]) & (df_train["state"] != row["state"])]
    return float(t["loan_default"].mean()) if len(t) else 0.2
