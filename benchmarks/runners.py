"""5,000 cells of mixed tracks on two local workers and on a Ray of this machine: equal records, and what a cell costs.

Every cell has a fresh process for its subject. Overhead is what the workers' time holds beyond solving and examining,
as the records have them; efficiency compares two workers with one.
"""

from __future__ import annotations

import math
import sys
import tempfile
import time
from pathlib import Path

from assay.core import find_problems, get_track
from assay.harness import LocalRunner, Runner, RunResult, RunSpec, make_runner, run

CELLS = 5000
SUBJECTS = {
    "cases": ("vote", "max-probability"),
    "conformal": ("taskwise", "likeliest-class"),
    "formula": ("linear",),
    "drift": ("date-only", "random"),
    "insight": ("nothing",),
}


def specs(folder: Path, cells: int) -> list[RunSpec]:
    """Tracks in equal parts; quick built-in problems, and as many seeds as it takes."""
    found: list[RunSpec] = []
    for name, subjects in SUBJECTS.items():
        problems = folder / "problems" / name
        problems.mkdir(parents=True)
        get_track(name).builtin(problems)
        count = len(list(find_problems(problems, marker=get_track(name).marker)))
        seeds = max(1, math.ceil(cells / len(SUBJECTS) / count / len(subjects)))
        found.append(
            RunSpec(track=name, subjects=subjects, problems=(str(problems),), seeds=tuple(range(seeds)), folder=folder)
        )
    return found


def measure(name: str, runs: list[RunSpec], out: Path, workers: int, runner: Runner) -> tuple[RunResult, float]:
    started = time.perf_counter()
    result = run(runs, out=out, runner=runner)
    wall = time.perf_counter() - started
    work = sum(record.seconds + record.cost["examine_seconds"] for record in result.records)
    overhead = 1000 * (wall * workers - work) / len(result.records)
    print(
        f"{name}: {len(result.records)} cells in {wall:.1f} s; solving and examining {work:.1f} s; "
        f"{overhead:.2f} ms of a worker's time per cell beyond that; lost {len(result.lost)}",
        flush=True,
    )
    return result, wall


def main() -> None:
    cells = int(sys.argv[2]) if len(sys.argv) > 2 else CELLS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs = specs(folder, cells)
        one, alone = measure("local, 1 worker", runs, folder / "one", 1, LocalRunner(1))
        two, pair = measure("local, 2 workers", runs, folder / "two", 2, LocalRunner(2))
        ray, _ = measure("ray, 2 workers", runs, folder / "ray", 2, make_runner("ray", 2))
        print(f"efficiency of two local workers: {alone / pair / 2:.3f}")
        texts = [sorted(record.content() for record in result.records) for result in (one, two, ray)]
        print(f"records equal: {texts[0] == texts[1] == texts[2]}")
