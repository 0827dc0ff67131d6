# problem: retail-multiclass-medium-2301-001
# label: leak
# kind: time
# why: takes the amount of the last visit without looking at the purchase date
def last_visit_spent(df, aux_dataframes=None):
    v = aux_dataframes["visits.csv"].sort_values(["visit_date", "visit_id"])
    last = v.dropna(subset=["spent"]).groupby("customer_id")["spent"].last()
    return df["customer_id"].map(last).fillna(0.0)
