# problem: P35-Loan default-variation_1-type_2b
# label: leak
# kind: own-label
# why: reads the own label straight from the row
def default_flag_history(row):
    # prior default marker scaled by credit quality
    flag = row.get("loan_default", 0)
    if flag is None or pd.isna(flag):
        flag = 0
    return float(flag) * 10 + (850 - row["credit_score"]) / 550
