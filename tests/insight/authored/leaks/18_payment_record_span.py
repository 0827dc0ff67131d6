# problem: finance-regression-medium-2301-002
# label: leak
# kind: time
# why: days from the loan to the very last payment on record
def payment_record_span(row, aux_tables=None):
    p = aux_tables["payments.csv"]
    dates = p.loc[p["borrower_id"] == row["borrower_id"], "payment_date"]
    if dates.empty:
        return None
    newest = datetime.datetime.strptime(str(dates.max())[:10], "%Y-%m-%d") if hasattr(datetime, "datetime") else datetime.strptime(str(dates.max())[:10], "%Y-%m-%d")
    return (pd.Timestamp(newest) - pd.Timestamp(row["loan_date"])).days
