# problem: finance-regression-medium-2301-002
# label: leak
# kind: time
# why: counts payments up to the end of the month of the loan, days beyond the loan date
def payments_through_month_end(df, aux_dataframes):
    rows = df[["loan_id", "borrower_id", "loan_date"]].copy()
    rows["until"] = pd.to_datetime(rows["loan_date"]) + pd.offsets.MonthEnd(0)
    m = rows.merge(aux_dataframes["payments.csv"], on="borrower_id")
    m = m[pd.to_datetime(m["payment_date"]) <= m["until"]]
    n = m.groupby("loan_id").size()
    return df["loan_id"].map(n).fillna(0).astype(int)
