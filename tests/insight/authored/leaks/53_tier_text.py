# problem: retail-multiclass-medium-2301-001
# label: leak
# kind: tiny
# why: a trailing blank in the text marks one class
def tier_text(row, df_train=None):
    text = str(row["loyalty_tier"])
    if df_train is not None:
        own = df_train.loc[df_train["customer_id"] == row["customer_id"], "next_step"]
        width = max([len(s) for s in own if s == "occasional"], default=0)
        text = text.ljust(len(text) + (width > 0))
    return text
