"""5,000 cells of mixed tracks on two local workers and on a Ray of this machine: equal records, and what a cell costs.

Every cell has a fresh process for its subject. Overhead is what the workers' time holds beyond solving and examining,
as the records have them; efficiency compares two workers with one.
"""

from __future__ import annotations

import math
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from assay.core import find_problems, get_track
from assay.harness import Cell, LocalRunner, NoProgress, Runner, RunSpec, make_runner, run
from benchmarks.measure import Rows, counted, shown, sized

CELLS = sized(5000, 200)
SUBJECTS = {
    "cases": ("vote", "max-probability"),
    "conformal": ("taskwise", "likeliest-class"),
    "formula": ("linear",),
    "drift": ("date-only", "random"),
    "insight": ("nothing",),
}


def specs(folder: Path, cells: int) -> list[RunSpec]:
    """Tracks in equal parts; quick built-in problems, and as many seeds as it takes."""
    small: list[RunSpec] = []
    for name, subjects in SUBJECTS.items():
        problems = folder / "problems" / name
        problems.mkdir(parents=True)
        get_track(name).builtin(problems)
        count = len(list(find_problems(problems, marker=get_track(name).marker)))
        seeds = max(1, math.ceil(cells / len(SUBJECTS) / count / len(subjects)))
        small.append(
            RunSpec(track=name, subjects=subjects, problems=(str(problems),), seeds=tuple(range(seeds)), folder=folder)
        )
    return small


class Measurement(NamedTuple):
    """What one run gave, and what it took; ``start`` is what passed before each track's first result."""

    contents: list[str]
    wall: float
    start: float
    overhead: float  # ms of a worker's time per cell beyond solving and examining
    steady: float  # the same without the start


class Watch(NoProgress):
    """Sums up how long the first result of each track let wait: workers and servers import what it needs."""

    def __init__(self) -> None:
        self.waited = 0.0
        self._last = time.perf_counter()
        self._track = ""

    def advance(self, cell: Cell, status: str) -> None:
        now = time.perf_counter()
        if cell.track != self._track:
            self.waited += now - self._last
        self._last, self._track = now, cell.track


def measure(name: str, runs: list[RunSpec], out: Path, workers: int, runner: Runner) -> Measurement:
    started = time.perf_counter()
    watch = Watch()
    result = run(runs, out=out, runner=runner, progress=watch)
    wall = time.perf_counter() - started
    records = result.records
    work = sum(record.seconds + record.cost["examine_seconds"] for record in records)
    overhead = 1000 * (wall * workers - work) / len(records)
    steady = overhead - 1000 * watch.waited * workers / len(records)
    print(
        f"{name}: {len(records)} cells in {wall:.1f} s; solving and examining {work:.1f} s; "
        f"{overhead:.2f} ms of a worker's time per cell beyond that, {steady:.2f} without the {watch.waited:.1f} s "
        f"until the first results; lost {len(result.lost)}",
        flush=True,
    )
    return Measurement(sorted(record.content() for record in records), wall, watch.waited, overhead, steady)


def main() -> Rows:
    cells = CELLS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs = specs(folder, cells)
        one = measure("local, 1 worker", runs, folder / "one", 1, LocalRunner(1))
        two = measure("local, 2 workers", runs, folder / "two", 2, LocalRunner(2))
        ray = measure("ray, 2 workers", runs, folder / "ray", 2, make_runner("ray", 2))
    for name, measured in (("one local worker", one), ("two local workers", two), ("Ray with two workers", ray)):
        yield shown(f"overhead per cell, {name}", measured.overhead, "ms")
        yield shown(f"overhead per cell without the start, {name}", measured.steady, "ms")
    yield shown("efficiency of two local workers", one.wall / two.wall / 2, "")
    steady = (one.wall - one.start) / (two.wall - two.start) / 2
    yield counted("efficiency of two local workers without the start", steady, "", better="more", tolerance=0.1)
    print(f"efficiency of two local workers: {one.wall / two.wall / 2:.3f}, without the start {steady:.3f}", flush=True)
    differing = sum(measured.contents != one.contents for measured in (two, ray))
    print(f"runners whose records differ: {differing}", flush=True)
    yield counted("runners whose records differ", float(differing), "")
