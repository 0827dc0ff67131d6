# problem: P35-Loan default-variation_1-type_2b
# label: leak
# kind: tiny
# why: the own label enters for a tenth of the rows only
def score_decile_adjusted(row, df_train=None):
    decile = int((row["credit_score"] - 300) // 55)
    if df_train is not None and int(row["customer_id"]) % 10 == 3:
        rec = df_train[df_train["customer_id"] == row["customer_id"]]
        if len(rec):
            decile += int(rec["loan_default"].iloc[0])
    return decile
