# problem: P38-Hospital Readmissions-variation_2-type_1c
# label: honest
# kind: train-base-stat
# why: number of the patient's other admissions in df_train
def repeat_admissions_on_file(row, df_train=None):
    if df_train is None:
        return 0
    same = df_train["patient_id"] == row["patient_id"]
    return int((same & (df_train["admission_id"] != row["admission_id"])).sum())
