# problem: P35-Loan default-variation_1-type_2b
# label: leak
# kind: order
# why: position of the own row within df_train
def file_position(row, df_train=None):
    if df_train is None:
        return -1
    at = np.flatnonzero(df_train["customer_id"].to_numpy() == row["customer_id"])
    return int(at[0]) if len(at) else -1
