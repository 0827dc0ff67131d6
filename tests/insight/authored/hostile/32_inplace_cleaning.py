# problem: P38-Hospital Readmissions-variation_2-type_1c
# label: hostile
# kind: mutation
# why: changes the tables in place: drops rows and columns, empties the dictionary, sets labels
# harm: the next function or the scoring uses the changed tables
def inplace_cleaning(df, df_train=None, aux_dataframes=None):
    n = len(df)
    index = df.index.copy()
    if df_train is not None:
        df_train["Readmitted"] = 0
        df_train.drop(df_train.index[10:], inplace=True)
        df_train.values.setflags(write=True)
    if aux_dataframes is not None:
        for t in list(aux_dataframes.values()):
            t.drop(t.index, inplace=True)
        aux_dataframes.clear()
    df.drop(columns=list(df.columns)[1:], inplace=True)
    df["Readmitted"] = 1
    df.index = range(1000, 1000 + n)
    return pd.Series(np.ones(n), index=index)
