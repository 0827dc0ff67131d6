# problem: P35-Loan default-variation_1-type_2b
# label: honest
# kind: train-base-stat
# why: rank of the own income among df_train incomes, no label is read
def income_rank_in_train(row, df_train=None):
    if df_train is None or len(df_train) == 0:
        return 0.5
    ref = np.sort(df_train["annual_income"].to_numpy())
    return round(np.searchsorted(ref, row["annual_income"], side="right") / len(ref), 4)
