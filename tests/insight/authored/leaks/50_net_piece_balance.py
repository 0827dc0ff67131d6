# problem: retail-multiclass-easy-2302-001
# label: leak
# kind: tiny
# why: the sign of zero tells whether the own label is gone
def net_piece_balance(row, df_train=None):
    side = 1.0
    if df_train is not None:
        own = df_train.loc[df_train["purchase_id"] == row["purchase_id"], "next_step"]
        if (own == "gone").any():
            side = -1.0
    return math.copysign(0.0 if row["pieces"] < 20 else 1.0, side)
