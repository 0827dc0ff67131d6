# problem: retail-multiclass-medium-2301-001
# label: leak
# kind: time
# why: own visits are cut at the date but the ranking counts the other customers' later visits
def customer_activity_rank(row, aux_dataframes=None):
    v = aux_dataframes["visits.csv"]
    mine = v[(v["customer_id"] == row["customer_id"]) & (pd.to_datetime(v["visit_date"]) <= pd.to_datetime(row["purchase_date"]))]
    everyone = v.groupby("customer_id").size()
    return round(float((everyone < len(mine)).mean()), 4)
