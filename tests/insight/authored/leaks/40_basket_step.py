# problem: retail-multiclass-easy-2302-001
# label: leak
# kind: order
# why: difference to the previous row of the table
def basket_step(df):
    return (df["basket_value"] - df["basket_value"].shift(1)).fillna(0)
