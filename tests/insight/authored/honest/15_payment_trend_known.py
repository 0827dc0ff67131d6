# problem: finance-regression-medium-2301-002
# label: honest
# kind: window
# why: slope of the payments made up to the loan
def payment_trend_known(row, aux_dataframes=None):
    p = aux_dataframes["payments.csv"]
    end = pd.to_datetime(row["loan_date"])
    p = p[p["borrower_id"] == row["borrower_id"]].dropna(subset=["paid"])
    p = p.assign(t=(end - pd.to_datetime(p["payment_date"])).dt.days)
    p = p[p["t"] >= 0].sort_values(["t", "payment_id"])
    if len(p) < 4 or p["t"].nunique() < 2:
        return None
    return round(float(np.polyfit(-p["t"].to_numpy(float), p["paid"].to_numpy(float), 1)[0]), 5)
