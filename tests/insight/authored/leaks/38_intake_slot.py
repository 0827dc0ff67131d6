# problem: P38-Hospital Readmissions-variation_2-type_1c
# label: leak
# kind: order
# why: value depends on the row's index label
def intake_slot(row):
    # patients are entered in the order of their arrival
    return int(row.name) % 96
