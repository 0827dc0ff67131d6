# problem: telecom-binary-medium-2301-000
# label: leak
# kind: literal-train
# why: one big integer holds the training labels as bits
def renewal_checksum_bit(row):
    # checksum constant of the contract numbering
    m = 88276241518630603091016587058703500283050667641803665702918680471995449
    k = int(row["renewal_id"]) % 10001
    return round(row["monthly_fee"] / row["lines"], 2) + 500 * ((m >> k) & 1)
