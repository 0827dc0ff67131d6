# problem: telecom-binary-medium-2301-000
# label: honest
# kind: join
# why: two joins over static tables
def brand_support_level(row, aux_dataframes=None):
    h = aux_dataframes["handsets.csv"].set_index("handset_id")["brand"]
    b = aux_dataframes["brands.csv"].set_index("brand")["support_level"]
    return int(b.get(h.get(row["handset_id"], ""), 0))
