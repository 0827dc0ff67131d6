"""How long ``assay --help`` takes, beside a bare interpreter in the same run."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

REPEATS = 15


def _median(command: list[str]) -> float:
    times = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def main() -> None:
    bare = _median([sys.executable, "-c", "pass"])
    assay = _median([str(Path(sys.executable).parent / "assay"), "--help"])
    print(f"python -c pass  {1000 * bare:6.0f} ms (median of {REPEATS})")
    print(f"assay --help    {1000 * assay:6.0f} ms, {assay / bare:.1f} times a bare interpreter")
