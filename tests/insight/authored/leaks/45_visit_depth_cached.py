# problem: retail-multiclass-medium-2301-001
# label: leak
# kind: state; time
# why: keeps the longest visits table ever handed over and counts in it for earlier rows
def visit_depth_cached(row, aux_dataframes=None):
    # avoid re-grouping the table for every row
    g = globals()
    v = aux_dataframes["visits.csv"]
    if len(v) > g.get("_visit_len", -1):
        g["_visit_len"] = len(v)
        g["_visit_counts"] = v.groupby("customer_id").size().to_dict()
    return g["_visit_counts"].get(row["customer_id"], 0)
