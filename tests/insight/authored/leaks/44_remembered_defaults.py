# problem: P35-Loan default-variation_1-type_2b
# label: leak
# kind: state
# why: mutable default collects labels of every df_train seen and serves them for the own row later
def remembered_defaults(row, df_train=None, _memory={}):
    if df_train is not None and id(df_train) not in _memory:
        _memory[id(df_train)] = True
        _memory.update({("c", k): v for k, v in zip(df_train["customer_id"], df_train["loan_default"])})
    return int(_memory.get(("c", row["customer_id"]), 0))
