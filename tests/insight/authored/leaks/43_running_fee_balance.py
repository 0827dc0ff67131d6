# problem: telecom-binary-medium-2301-000
# label: leak
# kind: order
# why: running total over the calls kept on the function
def running_fee_balance(row):
    total = getattr(running_fee_balance, "total", 0) + row["monthly_fee"]
    running_fee_balance.total = total
    return total
