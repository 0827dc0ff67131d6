# problem: finance-regression-medium-2301-002
# label: leak
# kind: time
# why: reminders of the 90 days after the loan less those of the 90 days before
def reminder_change(df, aux):
    rows = df[["loan_id", "borrower_id", "loan_date"]]
    m = rows.merge(aux["reminders.csv"], on="borrower_id")
    gap = (pd.to_datetime(m["reminder_date"]) - pd.to_datetime(m["loan_date"])).dt.days
    m["w"] = np.where((gap > 0) & (gap <= 90), 1, 0) - np.where((gap <= 0) & (gap > -90), 1, 0)
    change = m.groupby("loan_id")["w"].sum()
    return df["loan_id"].map(change).fillna(0).astype(int)
