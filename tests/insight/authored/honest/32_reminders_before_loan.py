# problem: finance-regression-medium-2301-002
# label: honest
# kind: count-before
# why: reminders up to the loan date
def reminders_before_loan(row, aux_dataframes=None):
    r = aux_dataframes["reminders.csv"]
    known = (r["borrower_id"] == row["borrower_id"]) & (pd.to_datetime(r["reminder_date"]) <= pd.to_datetime(row["loan_date"]))
    return int(known.sum())
