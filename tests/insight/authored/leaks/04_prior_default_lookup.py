# problem: P35-Loan default-variation_1-type_2b
# label: leak
# kind: df_train
# why: finds the own customer in df_train and returns its label
def prior_default_lookup(row, df_train=None):
    if df_train is None:
        return 0.2
    mine = df_train.loc[df_train["customer_id"] == row["customer_id"], "loan_default"]
    return float(mine.mean()) if len(mine) else 0.2
