"""What a cell costs beyond the subject's own work: 2,000 trivial cells, a fresh subject process each.

The peer is the plainest way to a fresh process per task in the standard library: a process pool whose workers serve
one task each (spawned, as untrusted code must not share a process), measured in the same run on the same function.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from assay.harness import RunSpec, run

CELLS = 2000
PEER_TASKS = 100
TRACK = Path(__file__).parents[1] / "tests" / "external_track"


def _trivial(seed: int) -> list[bool]:
    return [(number + seed) % 2 == 0 for number in range(12)]


def _cpu() -> float:
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    )


def _install(target: Path) -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index"]
    command += ["--no-deps", "--no-build-isolation", "--target", str(target), str(TRACK)]
    subprocess.run(command, check=True, capture_output=True)
    sys.path.insert(0, str(target))
    os.environ["PYTHONPATH"] = str(target)


def _measure(workers: int, folder: Path) -> None:
    spec = RunSpec(track="parity", subjects=("divide",), seeds=tuple(range(CELLS // 8)))
    started, cpu = time.perf_counter(), _cpu()
    result = run([spec], out=folder / f"workers-{workers}", workers=workers)
    wall, used = time.perf_counter() - started, _cpu() - cpu
    assert result.solved == CELLS
    per_cell = 1000 * wall * workers / CELLS
    print(
        f"assay, {workers} worker(s): {CELLS} cells in {wall:.1f} s: {1000 * wall / CELLS:.2f} ms per cell, "
        f"{per_cell:.2f} ms of a worker's time per cell, {1000 * used / CELLS:.2f} ms CPU per cell"
    )
    started = time.perf_counter()
    again = run([spec], out=folder / f"workers-{workers}", workers=workers)
    wall = time.perf_counter() - started
    assert again.reused == CELLS
    print(f"    the same run again: {wall:.2f} s, {1000 * wall / CELLS:.3f} ms per cell from the store")
    size = (folder / f"workers-{workers}" / "assay.sqlite").stat().st_size
    print(f"    store: {size / CELLS / 1024:.2f} KiB per cell")


def _peer(workers: int) -> None:
    started = time.perf_counter()
    with ProcessPoolExecutor(workers, max_tasks_per_child=1) as pool:
        list(pool.map(_trivial, range(PEER_TASKS)))
    wall = time.perf_counter() - started
    print(f"ProcessPoolExecutor, one task per process, {workers} worker(s): {1000 * wall / PEER_TASKS:.2f} ms per task")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _install(folder / "packages")
        for workers in (1, 2):
            _measure(workers, folder)
            _peer(workers)
