# problem: telecom-binary-medium-2301-000
# label: leak
# kind: df_train
# why: aligns df_train's target to df by the index
def status_by_index(df, df_train=None):
    # pandas aligns on the index, so this is a cheap join
    base = df["satisfaction_index"] / 100
    if df_train is None:
        return base
    return base + df_train["cancelled"].reindex(df.index).fillna(0.4)
