"""A store with a million records: means, intervals, the same again, the check of the whole store.

The records are drawn, not computed: the track's real metrics with random scores, written by the store's own code.
"""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from assay.core import Budget, digest_json, get_track
from assay.harness import Cell, Finished, Plan, Store, SubjectRef, check_store
from assay.harness.process.isolation import Isolation
from assay.report import leaderboard, load, track_means
from benchmarks.measure import Measured, Rows, counted, shown, sized
from benchmarks.stand_ins import finished

TRACK = "conformal"
SHAPES = sized(((20_000, 50, 1), (20_000, 10, 5)), ((500, 50, 1),))  # problems, subjects, seeds
AT_ONCE = 1000


def make_store(folder: Path, problems: int, subjects: int, seeds: int) -> None:
    plan = _plan(problems, subjects, seeds)
    with Store(folder, create=True) as store:
        store.add_run(plan)
        finished = _random_records(plan)
        while batch := list(islice(finished, AT_ONCE)):
            store.commit(*batch)


def _plan(problems: int, subjects: int, seeds: int) -> Plan:
    refs = [SubjectRef(kind="registered", name=f"subject-{s:03}", digest=digest_json(s)) for s in range(subjects)]
    budgets = [Budget(seed=seed) for seed in range(seeds)]
    settings, isolation, cells = get_track(TRACK).configure({}), Isolation(), []
    for number in range(problems):
        name, digest, tags = f"problem-{number:06}", digest_json(["problem", number]), {"family": f"f{number % 7}"}
        for ref in refs:
            for budget in budgets:
                key = digest_json([number, ref.name, budget.seed])
                cells.append(
                    Cell(
                        track=TRACK,
                        problem=name,
                        problem_digest=digest,
                        folder=name,
                        tags=tags,
                        subject=ref,
                        budget=budget,
                        settings=settings,
                        isolation=isolation,
                        answer_key=key,
                        record_key=digest_json(["record", key]),
                    )
                )
    return Plan(track=TRACK, settings=settings, cells=tuple(cells))


def _random_records(plan: Plan) -> Iterator[Finished]:
    chance = np.random.default_rng(0)
    for cell in plan.cells:
        failed = chance.random() < 0.01
        seconds, solving, examining = chance.random(3).tolist()
        cost = {"cpu_seconds": solving, "examine_seconds": examining}
        yield finished(cell, chance, failed=failed, payload=100, details=0, seconds=seconds, cost=cost)


def timed(name: str, unit: str, function: Callable[..., object], *arguments: object) -> tuple[Measured, object]:
    wall, cpu = time.perf_counter(), time.process_time()
    value = function(*arguments)
    seconds = time.perf_counter() - wall
    print(f"  {name}: {seconds:.2f} s ({time.process_time() - cpu:.2f} s CPU)", flush=True)
    return shown(f"{unit}, {name}", seconds, "s"), value


def main() -> Rows:
    for problems, subjects, seeds in SHAPES:
        cells = problems * subjects * seeds
        shape = f"{problems:,} problems, {subjects} subjects, {seeds} seeds"
        print(f"{cells:,} records: {shape}", flush=True)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            yield timed("written", shape, make_store, folder, problems, subjects, seeds)[0]
            size = sum(file.stat().st_size for file in folder.glob("assay.sqlite*"))
            yield counted(f"{shape}, bytes per cell", size / cells, "bytes")
            print(f"  store {size / 1e9:.2f} GB, {size / cells:.0f} bytes per cell")
            yield timed("headline means", shape, _headline, folder)[0]
            yield timed("all means", shape, _means, folder)[0]
            yield timed("leaderboard with intervals", shape, _leaderboard, folder)[0]
            yield timed("the same again, kept", shape, _leaderboard, folder)[0]
            row, report = timed("store check", shape, check_store, folder)
            yield row
            assert getattr(report, "whole", False), report
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(f"  peak {peak:.0f} MB, the plan of all cells included")


def _headline(folder: Path) -> object:
    return [track_means(entry, metrics=()) for entry in load(folder).tracks]


def _means(folder: Path) -> object:
    return [track_means(entry) for entry in load(folder).tracks]


def _leaderboard(folder: Path) -> object:
    return [leaderboard(entry) for entry in load(folder).tracks]
