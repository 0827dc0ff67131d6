# problem: P38-Hospital Readmissions-variation_2-type_1c
# label: honest
# kind: leave-one-out
# why: mean label of the patient's other admissions, the own one left out
def patient_other_readmit_rate(row, df_train=None):
    prior, weight = 0.2, 3
    if df_train is None:
        return prior
    mine = df_train[(df_train["patient_id"] == row["patient_id"]) & (df_train["admission_id"] != row["admission_id"])]
    return (int(mine["Readmitted"].sum()) + prior * weight) / (len(mine) + weight)
