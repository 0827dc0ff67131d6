# problem: retail-multiclass-easy-2302-001
# label: leak
# kind: time-label
# why: label of the next later purchase in the district
def following_step_in_district(row, df_train=None):
    if df_train is None:
        return "none"
    t = df_train[(df_train["district"] == row["district"]) & (df_train["purchase_id"] != row["purchase_id"])]
    t = t[pd.to_datetime(t["purchase_date"]) > pd.to_datetime(row["purchase_date"])]
    if t.empty:
        return "none"
    return t.sort_values(["purchase_date", "purchase_id"])["next_step"].iloc[0]
