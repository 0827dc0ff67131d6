# problem: telecom-binary-medium-2301-000
# label: honest
# kind: recursion
# why: a recursion over a base column
def fee_collatz_steps(row):
    def steps(n):
        return 0 if n <= 1 else 1 + steps(n // 2 if n % 2 == 0 else 3 * n + 1)
    return steps(int(row["monthly_fee"]))
