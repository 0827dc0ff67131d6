# problem: P38-Hospital Readmissions-variation_2-type_1c
# label: blocked
# kind: file-read
# why: opens a file through the C library, falls back to a constant
def libc_open(row):
    import ctypes
    try:
        libc = ctypes.CDLL(None)
        fd = libc.open(b"/etc/hostname", 0)
        if fd >= 0:
            libc.close(fd)
    except Exception:
        pass
    return 7.5
