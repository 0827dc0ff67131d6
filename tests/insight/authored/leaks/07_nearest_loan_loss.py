# problem: finance-regression-medium-2301-002
# label: leak
# kind: df_train
# why: nearest neighbour in df_train at distance zero is the row itself
import numpy as np

def nearest_loan_loss(row, df_train=None):
    cols = ["principal", "instalments", "relationship_score", "file_number", "pages_signed"]
    if df_train is None or len(df_train) == 0:
        return 50.0
    x = df_train[cols].fillna(0).to_numpy(float)
    me = row[cols].fillna(0).to_numpy(float)
    scale = x.std(axis=0) + 1e-9
    d = (((x - me) / scale) ** 2).sum(axis=1)
    return float(df_train["loss_share"].to_numpy()[d.argmin()])
