# problem: P38-Hospital Readmissions-variation_2-type_1c
# label: leak
# kind: evasive
# why: honest for the first 300 calls, reads the own label afterwards
def reason_load_after_warmup(row, df_train=None, _calls=[0]):
    _calls[0] += 1
    base = {"Illness": 3, "Injury": 2, "Surgery": 4, "Check-up": 1}.get(row["admission_reason"], 2)
    if _calls[0] > 300 and df_train is not None:
        own = df_train[df_train["admission_id"] == row["admission_id"]]
        base += 0.5 * float(own["Readmitted"].sum())
    return float(base)
