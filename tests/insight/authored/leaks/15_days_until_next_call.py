# problem: telecom-binary-medium-2301-000
# label: leak
# kind: time
# why: days from the renewal to the next call, which lies after it
def days_until_next_call(row, aux_dataframes=None):
    c = aux_dataframes["calls.csv"]
    when = pd.to_datetime(row["renewal_date"])
    d = pd.to_datetime(c.loc[c["subscriber_id"] == row["subscriber_id"], "call_date"])
    d = d[d > when]
    if d.empty:
        return 999
    return int((d.min() - when).days)
