# problem: P38-Hospital Readmissions-variation_2-type_1c
# label: leak
# kind: df_train
# why: merges df with df_train on the admission id and takes the own label
def readmit_history_merge(df, df_train=None):
    if df_train is None:
        return pd.Series(0.0, index=df.index)
    past = df_train[["admission_id", "Readmitted"]].rename(columns={"Readmitted": "past_readmit"})
    out = df[["admission_id", "patient_id"]].merge(past, on="admission_id", how="left")
    col = out["past_readmit"].fillna(0.19)
    col.index = df.index
    return col
