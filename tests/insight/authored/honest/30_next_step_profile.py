# problem: retail-multiclass-easy-2302-001
# label: honest
# kind: strong-honest
# why: a linear rule of twelve coefficients over base columns and earlier visits names the class for most rows, in train and test alike
def next_step_profile(df, aux_dataframes):
    m = df[["purchase_id", "customer_id", "purchase_date"]].merge(aux_dataframes["visits.csv"], on="customer_id")
    m = m[pd.to_datetime(m["visit_date"]) <= pd.to_datetime(m["purchase_date"])]
    web = (m["kind"] == "web").groupby(m["purchase_id"]).mean()
    web = df["purchase_id"].map(web).fillna(0).round(2)
    away = (df["basket_value"] - 85).abs()
    each = (df["basket_value"] / df["pieces"]).round(2)
    scores = pd.DataFrame({
        "gone": 0.075 * away + 0.143 * each - 9.7 * web - 3.4,
        "occasional": -0.107 * away + 0.068 * each - 0.7 * web + 2.2,
        "regular": 0.032 * away - 0.211 * each + 10.4 * web + 1.1,
    })
    return scores.idxmax(axis=1)
