# problem: P38-Hospital Readmissions-variation_2-type_1c
# label: blocked
# kind: file-write
# why: writes a cache file, falls back to computing without it
def disk_cache_stay(row):
    import os, tempfile
    days = (pd.to_datetime(row["discharge_date"]) - pd.to_datetime(row["admission_date"])).days
    try:
        with open(os.path.join(tempfile.gettempdir(), "insight_stay_cache.txt"), "w") as f:
            f.write(str(days))
    except Exception:
        pass
    return days
