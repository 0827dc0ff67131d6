# problem: retail-multiclass-medium-2301-001
# label: honest
# kind: window
# why: spending in the sixty days up to the purchase
def rolling_spend_60d(df, aux_dataframes):
    v = aux_dataframes["visits.csv"].copy()
    v["visit_date"] = pd.to_datetime(v["visit_date"])
    out = pd.Series(0.0, index=df.index)
    by = dict(tuple(v.dropna(subset=["spent"]).groupby("customer_id")))
    for i, c, d in zip(df.index, df["customer_id"], pd.to_datetime(df["purchase_date"])):
        if c in by:
            t = by[c]
            near = t[(t["visit_date"] <= d) & (t["visit_date"] > d - pd.Timedelta(days=60))]
            out[i] = round(math.fsum(near["spent"]), 2)
    return out
