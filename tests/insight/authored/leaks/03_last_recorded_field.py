# problem: P38-Hospital Readmissions-variation_2-type_1c
# label: leak
# kind: own-label
# why: takes the last field of the row, which is the target when the target is there
def last_recorded_field(row):
    # the rightmost field is the most recently recorded one
    return float(row.iloc[-1])
