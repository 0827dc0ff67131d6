# problem: telecom-binary-medium-2301-000
# label: honest
# kind: merge-then-filter
# why: merges all calls and keeps those up to the renewal
def calls_before_renewal(df, aux_dataframes):
    rows = df[["renewal_id", "subscriber_id", "renewal_date"]]
    m = rows.merge(aux_dataframes["calls.csv"], on="subscriber_id", how="left")
    m = m[pd.to_datetime(m["call_date"]) <= pd.to_datetime(m["renewal_date"])]
    n = m.groupby("renewal_id")["call_id"].nunique()
    return df["renewal_id"].map(n).fillna(0).astype(int)
