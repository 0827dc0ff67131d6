# problem: P35-Loan default-variation_1-type_2b
# label: leak
# kind: random
# why: random draw whose mean is the own label
import random

def simulated_default_draw(row, df_train=None):
    # Monte Carlo of the customer's default
    p = 0.2
    if df_train is not None:
        own = df_train["loan_default"][df_train["customer_id"].eq(row["customer_id"])]
        p = float(own.iloc[0]) if len(own) else 0.2
    return sum(random.gauss(p, 1.0) for _ in range(25)) / 25
