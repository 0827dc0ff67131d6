"""A store with a million records: means, intervals, the same again, the check of the whole store.

The records are drawn, not computed: the track's real metrics with random scores, written by the store's own code.
"""

from __future__ import annotations

import os
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from assay.core import Budget, Record, digest_json, get_track
from assay.harness import Cell, Plan, Store, SubjectRef, check_store
from assay.harness.answer import Finished, StoredAnswer
from assay.harness.surroundings import Surroundings
from assay.report import leaderboard, load, track_means

TRACK = "conformal"
SHAPES = ((20_000, 50, 1), (20_000, 10, 5))  # problems, subjects, seeds
AT_ONCE = 1000


def make_store(folder: Path, problems: int, subjects: int, seeds: int) -> None:
    plan = _plan(problems, subjects, seeds)
    with Store(folder, create=True) as store:
        store.add_run(plan)
        drawn = _drawn(plan)
        while batch := list(islice(drawn, AT_ONCE)):
            store.commit(*batch)


def _plan(problems: int, subjects: int, seeds: int) -> Plan:
    refs = [SubjectRef(kind="registered", name=f"subject-{s:03}", digest=digest_json(s)) for s in range(subjects)]
    budgets = [Budget(seed=seed) for seed in range(seeds)]
    settings, around, cells = get_track(TRACK).configure({}), Surroundings(), []
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
                        surroundings=around,
                        answer_key=key,
                        record_key=digest_json(["record", key]),
                    )
                )
    return Plan(track=TRACK, settings=settings, cells=tuple(cells))


def _drawn(plan: Plan) -> Iterator[Finished]:
    chance = np.random.default_rng(0)
    track = get_track(TRACK)
    names, versions = [metric.name for metric in track.metrics], track.versions()
    for cell in plan.cells:
        failed = chance.random() < 0.01
        scores = dict(zip(names, chance.random(len(names)).tolist(), strict=True))
        payload = chance.bytes(100)
        record = Record(
            key=cell.record_key,
            answer_key=cell.answer_key,
            track=TRACK,
            problem=cell.problem,
            problem_digest=cell.problem_digest,
            subject=cell.subject.name,
            subject_digest=cell.subject.digest,
            seed=cell.budget.seed,
            status="failed" if failed else "ok",
            scores=scores,
            error="no answer" if failed else None,
            error_kind="crash" if failed else None,
            isolation="confined",
            tags=cell.tags,
            settings=cell.settings,
            versions=versions,
            budget=cell.budget.to_json(),
            seconds=chance.random(),
            cost={"cpu_seconds": chance.random(), "examine_seconds": chance.random()},
            created="2026-01-01T00:00:00+00:00",
        )
        yield Finished(
            answer=StoredAnswer(status=record.status, payload=payload, seconds=record.seconds), record=record
        )


def timed(name: str, function: Callable[[], object]) -> object:
    wall, cpu = time.perf_counter(), time.process_time()
    found = function()
    print(f"  {name}: {time.perf_counter() - wall:.2f} s ({time.process_time() - cpu:.2f} s CPU)", flush=True)
    return found


def main() -> None:
    share = float(os.environ.get("ASSAY_BENCH_SHARE", "1"))
    for problems, subjects, seeds in SHAPES:
        problems = round(problems * share)
        print(f"{problems * subjects * seeds:,} records: {problems:,} problems x {subjects} subjects x {seeds} seeds")
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            timed("written", lambda: make_store(folder, problems, subjects, seeds))
            size = (folder / "assay.sqlite").stat().st_size
            print(f"  store {size / 1e9:.2f} GB, {size / (problems * subjects * seeds):.0f} bytes per cell")
            timed("loaded, all means", lambda: [track_means(entry) for entry in load(folder).tracks])
            timed("loaded, leaderboard with intervals", lambda: [leaderboard(entry) for entry in load(folder).tracks])
            timed("the same again, kept", lambda: [leaderboard(entry) for entry in load(folder).tracks])
            report = timed("store check", lambda: check_store(folder))
            print(f"  whole: {getattr(report, 'whole', None)}; peak {_peak():.0f} MB")


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
