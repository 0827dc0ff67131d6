# problem: P38-Hospital Readmissions-variation_2-type_1c
# label: honest
# kind: train-base-stat
# why: stay length of similar admissions in df_train, base columns only
def knn_stay_of_peers(row, df_train=None):
    start = pd.to_datetime(row["admission_date"])
    if df_train is None:
        return 0.0
    t = df_train[(df_train["admission_reason"] == row["admission_reason"]) & (df_train["admission_id"] != row["admission_id"])]
    a = pd.to_datetime(t["admission_date"])
    stay = (pd.to_datetime(t["discharge_date"]) - a).dt.days
    near = pd.DataFrame({"d": (a - start).dt.days.abs(), "id": t["admission_id"], "stay": stay}).sort_values(["d", "id"]).head(15)
    return float(near["stay"].median()) if len(near) else 0.0
