# problem: finance-regression-medium-2301-002
# label: hostile
# kind: malformed-return
# why: a list nested two hundred thousand deep and one that holds itself
# harm: writing or comparing the value overflows the evaluator's stack
def nested_history(row):
    deep = []
    for _ in range(200_000):
        deep = [deep]
    if int(row["loan_id"]) % 2:
        loop = []
        loop.append(loop)
        return loop
    return deep
