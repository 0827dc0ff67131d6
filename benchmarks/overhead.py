"""What a cell costs beyond the subject's own work: 2,000 trivial cells, a fresh subject process each.

The peer is the plainest way to a fresh process per task in the standard library: a process pool whose workers serve
one task each (spawned, as untrusted code must not share a process), measured in the same run on the same function.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from assay.harness import RunSpec, run
from benchmarks.measure import Cpu, Rows, beside, counted, cpu_seconds, folder_bytes, shown, sized

CELLS = sized(2000, 80)
PEER_TASKS = sized(100, 10)
TRACK = Path(__file__).parents[1] / "tests" / "external_track"


def _trivial(seed: int) -> list[bool]:
    return [(number + seed) % 2 == 0 for number in range(12)]


def install_track(target: Path) -> None:
    """The smallest track there is, for this process and those below it."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index"]
    command += ["--no-deps", "--no-build-isolation", "--target", str(target), str(TRACK)]
    subprocess.run(command, check=True, capture_output=True)
    sys.path.insert(0, str(target))
    os.environ["PYTHONPATH"] = str(target)


def _measure(workers: int, folder: Path) -> Rows:
    out = folder / f"workers-{workers}"
    spec = RunSpec(track="parity", subjects=("divide",), seeds=tuple(range(CELLS // 8)))
    started, cpu = time.perf_counter(), cpu_seconds()
    result = run([spec], out=out, workers=workers)
    wall, used = time.perf_counter() - started, cpu_seconds() - cpu
    assert result.solved == CELLS
    per_cell = 1000 * wall * workers / CELLS
    print(
        f"assay, {workers} worker(s): {CELLS} cells in {wall:.1f} s: {1000 * wall / CELLS:.2f} ms per cell, "
        f"{per_cell:.2f} ms of a worker's time per cell, {1000 * used / CELLS:.2f} ms CPU per cell"
    )
    yield shown(f"a worker's time per cell, {workers} worker(s)", per_cell, "ms")
    with Cpu() as resumed:
        again = run([spec], out=out, workers=workers)
    assert again.reused == CELLS
    print(f"    the same run again: {1000 * resumed.seconds / CELLS:.3f} ms CPU per cell from the store")
    size = folder_bytes(out, apart=("problems",))
    print(f"    store: {size / CELLS / 1024:.2f} KiB per cell")
    peer = _peer(workers)
    name = f"CPU per cell, {workers} worker(s)"
    yield beside(name, 1000 * used / CELLS, "ms", peer="ProcessPoolExecutor, a process per task", theirs=peer)
    if workers == 1:
        solved = 1000 * used / CELLS
        yield beside("a cell from the store", 1000 * resumed.seconds / CELLS, "ms", peer="a new cell", theirs=solved)
        yield counted("store", size / CELLS, "bytes per cell")


def _peer(workers: int) -> float:
    """CPU milliseconds per task."""
    started = time.perf_counter()
    with Cpu() as cpu, ProcessPoolExecutor(workers, max_tasks_per_child=1) as pool:
        list(pool.map(_trivial, range(PEER_TASKS)))
    wall, used = time.perf_counter() - started, 1000 * cpu.seconds / PEER_TASKS
    each = 1000 * wall / PEER_TASKS
    print(f"ProcessPoolExecutor, one task per process, {workers} worker(s): {each:.2f} ms per task, {used:.2f} ms CPU")
    return used


def main() -> Rows:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        install_track(folder / "packages")
        for workers in (1, 2):
            yield from _measure(workers, folder)
