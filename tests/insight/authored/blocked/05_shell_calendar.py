# problem: retail-multiclass-medium-2301-001
# label: blocked
# kind: process
# why: starts a process for the week number, falls back to pandas
import subprocess

def shell_calendar(row):
    try:
        subprocess.run(["date", "-d", str(row["purchase_date"]), "+%V"], capture_output=True, timeout=2)
    except Exception:
        pass
    return int(pd.Timestamp(row["purchase_date"]).isocalendar()[1])
