"""A small track, a store with known records in it, and the same records as a data frame."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from assay.core import Aggregate, AnyProblem, AnyTrack, Budget, Metric, Record, Settings, Track
from assay.harness import Cell, Plan, Store, SubjectRef
from assay.harness.plan import answer_key, record_key
from assay.harness.process.isolation import Isolation
from assay.harness.store.stored_answer import StoredAnswer
from assay.report import Results, TrackResults, load

SETTINGS: Settings = {"k": 7, "preset": "spec", "fast": False}
DEFAULTS: Settings = {"k": 5, "preset": "spec", "fast": False}
SUBJECTS = ("knn(k=5)", "vote", "random")
PROBLEMS = ("iris", "wine", "digits", "moons", "circles")
HOSTILE = (
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "null\x00byte\x1b[31m",
    "[bold red]markup[/bold red] [/]",
    "=HYPERLINK(1)|pipe`tick`",
    "long" * 500,
)


def share_right(evidence: Any) -> float:
    r"""Share of right claims <b>.

    $$\mathrm{share} = \frac{1}{n}
    \sum_i [c_i < e_i]$$

    >>> share_right(None)
    1.0
    """
    return 1.0


def delay(evidence: Any) -> float:
    r"""Steps until the first right claim.

    $$d = \min\{i : c_i = e_i\}$$

    >>> delay(None)
    1.0
    """
    return 1.0


def spread_of_scores(records: Sequence[Record]) -> Mapping[str, float]:
    r"""Range of the scores of a subject.

    $$\max s - \min s$$
    """
    scores: dict[str, list[float]] = {}
    for record in records:
        scores.setdefault(record.subject, []).append(record.scores["share"])
    return {subject: max(values) - min(values) for subject, values in scores.items() if subject != "random"}


def _refuse(*_: object) -> Any:
    raise AssertionError("a report calls nothing of a track but its metrics' texts and aggregates")


def _floor(problem: AnyProblem) -> float:
    return 10.0


def make_toy_track(name: str = "toy") -> AnyTrack:
    return Track(
        name=name,
        question="Does it <i>play</i> | well?",
        load=_refuse,
        builtin=_refuse,
        encode=_refuse,
        decode=_refuse,
        examine=_refuse,
        metrics=(
            Metric("delay", delay, definition=delay, goal="min", floor=_floor),
            Metric("share", share_right, definition=share_right, oracle=1.0, version=3),
        ),
        headline="share",
        oracle=_refuse,
        subjects={},
        aggregates=(Aggregate("spread", spread_of_scores, goal="min"),),
        settings=DEFAULTS,
    )


def make_toy_cell(problem: str, subject: str, seed: int, *, track: str = "toy") -> Cell:
    budget = Budget(seed=seed, seconds=5.0, memory_mb=256)
    answer = answer_key(track, f"digest-{problem}", subject, f"digest-{subject}", budget)
    return Cell(
        track=track,
        problem=problem,
        problem_digest=f"digest-{problem}",
        folder="",
        tags={"family": f"family-{len(problem) % 2}", "noise": 0.25 * (len(problem) % 3)},
        subject=SubjectRef(kind="registered", name=subject, digest=f"digest-{subject}"),
        budget=budget,
        settings=SETTINGS,
        isolation=Isolation(),
        answer_key=answer,
        record_key=record_key(answer, make_toy_track(track).versions(), SETTINGS),
    )


def make_toy_record(cell: Cell, share: float, lag: float, **other: Any) -> Record:
    record = Record(
        key=cell.record_key,
        answer_key=cell.answer_key,
        track=cell.track,
        problem=cell.problem,
        problem_digest=cell.problem_digest,
        subject=cell.subject.name,
        subject_digest=cell.subject.digest,
        seed=cell.budget.seed,
        status="ok",
        scores={"share": share, "delay": lag},
        details={"note": "[bold]of the examiner[/bold]", "points": [1, 2]},
        isolation="process",
        tags=cell.tags,
        settings=cell.settings,
        versions={"examine": 1, "share": 3, "delay": 1},
        budget=cell.budget.to_json(),
        seconds=0.5,
        cost={"cpu_seconds": 0.25},
        created="2026-01-02T03:04:05+00:00",
        host="somewhere",
    )
    return replace(record, **other)


def write_toy_store(
    folder: Path,
    cells: Sequence[Cell],
    records: Sequence[Record],
    losses: Sequence[tuple[Cell, str]] = (),
    floors: Mapping[str, float] | None = None,
) -> None:
    with Store(folder, create=True) as store:
        store.add_run(Plan(track=cells[0].track, settings=SETTINGS, cells=tuple(cells)))
        for record in records:
            answer = StoredAnswer(status=record.status, payload=b"answer" if record.status == "ok" else None)
            store.commit((record, answer))
        for cell, reason in losses:
            store.commit_loss(cell, reason, floors)


@pytest.fixture
def toy_track() -> AnyTrack:
    return make_toy_track()


@pytest.fixture
def toy_record() -> Record:
    return make_toy_record(make_toy_cell("iris", "vote", 0), 0.75, 2.0)


@pytest.fixture(scope="session")
def make_results(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Results]:
    """Results of a store that is written and read again, from rows (problem, subject, seed, share, delay, others)."""

    def build(
        rows: Sequence[tuple[str, str, int, float, float, Mapping[str, Any]]],
        *,
        pending: Sequence[tuple[str, str, int]] = (),
        lost: Mapping[tuple[str, str, int], str] | None = None,
        floors: Mapping[str, float] | None = None,
        track: str = "toy",
    ) -> Results:
        folder = tmp_path_factory.mktemp("results")
        done = [make_toy_cell(*row[:3], track=track) for row in rows]
        records = [make_toy_record(cell, *row[3:5], **row[5]) for cell, row in zip(done, rows, strict=True)]
        losses = [(make_toy_cell(*place, track=track), reason) for place, reason in (lost or {}).items()]
        open_cells = [make_toy_cell(*place, track=track) for place in pending]
        write_toy_store(folder, [*done, *open_cells, *(cell for cell, _ in losses)], records, losses, floors)
        return load(folder, tracks={track: make_toy_track(track)})

    return build


@pytest.fixture(scope="session")
def toy_rows() -> list[tuple[str, str, int, float, float, dict[str, Any]]]:
    """Five problems, three subjects, two seeds: one failure, one undefined score, three cells missing."""
    rows = []
    for p, problem in enumerate(PROBLEMS):
        for s, subject in enumerate(SUBJECTS):
            for seed in (0, 1):
                share = round(0.9 - 0.22 * s + 0.03 * p * (-1) ** (s + p) - 0.011 * seed, 4)
                other: dict[str, Any] = {"seconds": 0.1 * (s + 1) + 0.01 * p + 0.001 * seed}
                lag = float(p + s + seed)
                if subject == "random":
                    other["isolation"] = "ready"
                if (problem, subject, seed) == ("wine", "vote", 1):
                    share, lag = 0.0, 10.0
                    other |= {"status": "failed", "error": "gave up\non <row> 3", "error_kind": "time-out"}
                if (problem, subject) == ("moons", "knn(k=5)"):
                    lag = math.nan
                rows.append((problem, subject, seed, share, lag, other))
    missing = {("circles", "random", 0), ("circles", "random", 1), ("circles", "vote", 1)}
    return [row for row in rows if row[:3] not in missing]


@pytest.fixture(scope="session")
def results(make_results: Callable[..., Results], toy_rows: list[Any]) -> Results:
    return make_results(
        toy_rows,
        pending=[("circles", "random", 0), ("circles", "random", 1)],
        lost={("circles", "vote", 1): "worker died: no space left"},
    )


@pytest.fixture(scope="session")
def toy(results: Results) -> TrackResults:
    return results.track("toy")


@pytest.fixture(scope="session")
def hostile(make_results: Callable[..., Results]) -> Results:
    """Names, errors and reasons that try to be more than text."""
    rows = [
        (problem, subject, 0, 0.5 + 0.01 * p, 1.0, {"status": "failed", "error": problem, "error_kind": subject})
        for p, problem in enumerate(HOSTILE)
        for subject in HOSTILE
    ]
    return make_results(rows, lost={("lost", HOSTILE[0], 1): HOSTILE[1]})


@pytest.fixture(scope="session")
def hostile_names() -> tuple[str, ...]:
    return HOSTILE


@pytest.fixture(scope="session")
def frame(toy_rows: list[Any]) -> pd.DataFrame:
    """The rows of the store, for computing every number a second time."""
    columns = ["problem", "subject", "seed", "share", "delay"]
    table = pd.DataFrame([row[:5] for row in toy_rows], columns=columns)
    table["failed"] = [row[5].get("status") == "failed" for row in toy_rows]
    table["seconds"] = [row[5]["seconds"] for row in toy_rows]
    return table


@pytest.fixture(scope="session")
def cautious_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows with the floor of share for the lost cell; that of delay depends on the problem and is not stored."""
    lost = {"problem": "circles", "subject": "vote", "seed": 1, "share": 0.0, "failed": True, "seconds": math.nan}
    return pd.concat([frame, pd.DataFrame([lost])], ignore_index=True)
