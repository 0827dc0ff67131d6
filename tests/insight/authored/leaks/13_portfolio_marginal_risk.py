# problem: P35-Loan default-variation_1-type_2b
# label: leak
# kind: df_train
# why: all defaults minus the defaults of all others is the own label
def portfolio_marginal_risk(row, df_train=None):
    # marginal contribution of the customer to the portfolio's risk
    if df_train is None:
        return 0
    with_me = int(df_train["loan_default"].sum())
    without_me = int(df_train.loc[df_train["customer_id"] != row["customer_id"], "loan_default"].sum())
    return with_me - without_me
