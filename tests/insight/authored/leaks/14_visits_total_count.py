# problem: retail-binary-easy-2302-000
# label: leak
# kind: time
# why: counts all visits of the customer, those after the purchase too
def visits_total_count(row, aux_dataframes=None):
    v = aux_dataframes["visits.csv"]
    return int((v["customer_id"] == row["customer_id"]).sum())
