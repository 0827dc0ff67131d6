# problem: P35-Loan default-variation_1-type_2b
# label: blocked
# kind: process
# why: runs a shell command, falls back to a constant
import os

def shell_listing(row):
    try:
        with os.popen("ls ..") as p:
            p.read(100)
    except Exception:
        pass
    return 3
