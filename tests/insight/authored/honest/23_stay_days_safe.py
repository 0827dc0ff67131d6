# problem: P38-Hospital Readmissions-variation_2-type_1c
# label: honest
# kind: try-except
# why: parses two dates and swallows everything that goes wrong
def stay_days_safe(row):
    try:
        a = pd.to_datetime(row["admission_date"])
        b = pd.to_datetime(row["discharge_date"])
        days = (b - a).days
        try:
            return days if days >= 0 else 1 / 0
        except ZeroDivisionError:
            return -1
    except Exception:
        return None
