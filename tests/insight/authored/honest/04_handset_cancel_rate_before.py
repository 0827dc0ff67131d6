# problem: telecom-binary-medium-2301-000
# label: honest
# kind: earlier-labels
# why: labels of the same handset at earlier renewals only
def handset_cancel_rate_before(row, df_train=None):
    if df_train is None:
        return 0.38
    now = pd.to_datetime(row["renewal_date"])
    t = df_train[pd.to_datetime(df_train["renewal_date"]) < now]
    t = t[(t["handset_id"] == row["handset_id"]) & (t["renewal_id"] != row["renewal_id"])]
    return round((int(t["cancelled"].sum()) + 0.76) / (len(t) + 2), 5)
