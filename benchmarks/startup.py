"""How long ``assay --help`` takes, beside a bare interpreter in the same run."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.measure import Cpu, Rows, beside, shown, sized

REPEATS = sized(15, 3)


class _Spent(NamedTuple):
    """Medians, in milliseconds."""

    wall: float
    cpu: float


def _median(command: list[str]) -> _Spent:
    walls, cpus = [], []
    for _ in range(REPEATS):
        started = time.perf_counter()
        with Cpu() as cpu:
            subprocess.run(command, check=True, capture_output=True)
        walls.append(1000 * (time.perf_counter() - started))
        cpus.append(1000 * cpu.seconds)
    return _Spent(statistics.median(walls), statistics.median(cpus))


def main() -> Rows:
    bare = _median([sys.executable, "-c", "pass"])
    assay = _median([str(Path(sys.executable).parent / "assay"), "--help"])
    print(f"python -c pass  {bare.wall:6.0f} ms (median of {REPEATS}), {bare.cpu:.0f} ms CPU")
    print(f"assay --help    {assay.wall:6.0f} ms, {assay.cpu:.0f} ms CPU: {assay.cpu / bare.cpu:.1f} times as much")
    yield shown("assay --help, wall time", assay.wall, "ms")
    yield beside("assay --help, CPU", assay.cpu, "ms", peer="a bare interpreter", theirs=bare.cpu)
