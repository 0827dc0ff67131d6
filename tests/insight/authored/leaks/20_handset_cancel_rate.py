# problem: telecom-binary-medium-2301-000
# label: leak
# kind: time-label
# why: mean over other rows' labels of the same handset, those of later renewals too
def handset_cancel_rate(row, df_train=None):
    # leave the own contract out
    if df_train is None:
        return 0.38
    same = df_train[(df_train["handset_id"] == row["handset_id"]) & (df_train["renewal_id"] != row["renewal_id"])]
    if len(same) == 0:
        return 0.38
    return round(float((same["cancelled"].sum() + 2 * 0.38) / (len(same) + 2)), 5)
