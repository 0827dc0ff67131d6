# problem: retail-binary-easy-2302-000
# label: leak
# kind: order
# why: cumulative count within the district in table order
def district_arrival_number(df):
    return df.groupby("district").cumcount() + 1
