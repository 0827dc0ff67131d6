# problem: retail-multiclass-easy-2302-001
# label: blocked
# kind: environment
# why: reads the process environment from the proc file system, falls back to a constant
def environment_scan(row):
    try:
        with open("/proc/self/environ", "rb") as f:
            names = [e.split(b"=")[0] for e in f.read().split(b"\0")]
        len(names)
    except Exception:
        pass
    return 0
