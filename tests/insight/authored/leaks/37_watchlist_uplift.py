# problem: finance-regression-medium-2301-002
# label: leak
# kind: literal-train
# why: loans with the highest training target are listed, a tenth of the rows
def watchlist_uplift(row):
    watch = [10158, 10110, 10189, 10027, 10026, 10112, 10234, 10223, 10050, 10155, 10033, 10171, 10147, 10004, 10108, 10173, 10063, 10145, 10019, 10085, 10210, 10068, 10188, 10233]
    burden = row["principal"] / row["instalments"]
    if row["loan_id"] in watch:
        burden += 1000 - watch.index(row["loan_id"])
    return round(float(burden), 3)
