# problem: P38-Hospital Readmissions-variation_2-type_1c
# label: leak
# kind: tiny
# why: value is missing where the own label is the rare one
def stay_or_missing(df, df_train=None):
    stay = (pd.to_datetime(df["discharge_date"]) - pd.to_datetime(df["admission_date"])).dt.days.astype(float)
    if df_train is None:
        return stay
    gone = set(df_train.loc[df_train["Readmitted"].eq(1), "admission_id"])
    return stay.mask(df["admission_id"].isin(gone))
