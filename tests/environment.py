"""What holds for all tests: imported before any library that reads it when it is loaded.

Libraries use one thread each: tests run side by side, and threads that wait for a core of another test spin. Bytecode
is kept: without it each worker compiles all tests anew, and each process that a test starts all of Assay.
"""

from __future__ import annotations

import os
import sys

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"):
    os.environ.setdefault(name, "1")
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
