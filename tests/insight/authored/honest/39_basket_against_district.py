# problem: retail-binary-easy-2302-000
# label: honest
# kind: group-transform
# why: base column against its district's mean within df
def basket_against_district(df):
    mean = df.groupby("district")["basket_value"].transform("mean")
    return (df["basket_value"] / mean).round(6)
