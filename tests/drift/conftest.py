"""A small test set that several modules share."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from assay.core import Problem
from assay.drift.detection.drift import Drift
from assay.drift.documents.document import Corpus
from assay.drift.logs.event_log import EventLog, arrange
from assay.drift.problem.detector_files import write_detections
from assay.drift.problem.task import DriftTask, DriftTruth, write_problem

START = datetime(2020, 3, 10, 9, tzinfo=UTC)

TEXTS = {
    "2020-03-02_New_Rule.txt": "Trip declarations need a second approval. It applies from 10 March 2020.\n",
    "2020-03-05_Canteen.txt": "The canteen has a new menu from 12 March 2020.\n",
    "2019-05-01_Old_Rule.txt": "Trip declarations are checked by the supervisor as of 1 May 2019.\n",
    "2020-06-01_Payment.txt": "The payment of trip declarations is handled twice a week from 5 June 2020.\n",
}


def small_log(name: str = "TripDeclarations", cases: int = 60) -> EventLog:
    """Half of the cases are approved once, the others twice."""
    codes, activities, times = [], [], []
    origin = int(START.timestamp()) * 10**9
    for case in range(cases):
        trace = [0, 1, 3] if case < cases // 2 else [0, 1, 2, 3]
        for step, activity in enumerate(trace):
            codes.append(case)
            activities.append(activity)
            times.append(origin + ((case - cases // 2) * 24 + step) * 3600 * 10**9)
    return arrange(
        name,
        cases=[f"case {number}" for number in range(cases)],
        activities=["Submit", "Approve", "Approve again", "Pay"],
        case_codes=codes,
        activity_codes=activities,
        times=times,
    )


def small_drift(number: int, case: int, test_set: str = "trips", cases: int = 60) -> Drift:
    when = START + timedelta(days=case - cases // 2)
    return Drift(
        id=f"{test_set}_drift_1_{number}",
        process="TripDeclarations",
        type="sudden" if number == 1 else "gradual",
        start_case=f"case {case}",
        end_case=f"case {case}",
        start=when,
        end=when,
        confidence=0.9,
    )


def swapped_log() -> tuple[EventLog, Drift]:
    """Two steps, never next to each other, change their order at a case; what stands between them is drawn."""
    rng = np.random.default_rng(1)
    activities: list[int] = []
    for case in range(120):
        before, between, after = (2 + rng.integers(0, 12, size=3)).tolist()
        one, two = (0, 1) if (rng.random() < 0.85) == (case < 60) else (1, 0)
        activities += [before, one, between, two, after]
    log = arrange(
        "Orders",
        cases=[f"case {number}" for number in range(120)],
        activities=["check", "pay", *(f"step {number}" for number in range(12))],
        case_codes=np.repeat(np.arange(120), 5),
        activity_codes=activities,
        times=(np.arange(600) // 5 * 24 + np.arange(600) % 5) * 3600 * 10**9,
    )
    first, start = "case 60", log.start_of(60)
    drift = Drift(id="d", process="Orders", type="sudden", start_case=first, end_case=first, start=start, end=start)
    return log, drift


@pytest.fixture
def task() -> DriftTask:
    """Two drifts of one log and four documents."""
    return DriftTask(
        name="trips",
        drifts=(small_drift(1, 30), small_drift(2, 50)),
        corpus=Corpus.from_texts(TEXTS),
        logs={"TripDeclarations": small_log()},
    )


@pytest.fixture
def truth(task: DriftTask) -> DriftTruth:
    """The first drift has a cause, the second none."""
    return DriftTruth.of(task.corpus, [["2020-03-02_New_Rule.txt"], []])


@pytest.fixture
def problem(task: DriftTask, truth: DriftTruth) -> Problem[DriftTask, DriftTruth]:
    """The task with its truth."""
    return Problem(id="trips", digest="d", task=task, truth=truth)


@pytest.fixture
def folder(tmp_path: Path, task: DriftTask, truth: DriftTruth) -> Path:
    """The problem on disk."""
    write_problem(tmp_path / "trips", id="trips", task=task, truth=truth, tags={"difficulty": "easy"})
    return tmp_path / "trips"


@pytest.fixture
def bare(tmp_path: Path, task: DriftTask) -> Path:
    """A folder of test sets as detectors write them, with the golden column and the documents elsewhere."""
    golden = [["2020-03-02_new_rule"], ["2020-06-01_Payment.txt"]]
    write_detections(tmp_path / "sets" / "trips", task.drifts, golden=golden)
    for name, text in TEXTS.items():
        (tmp_path / "documents").mkdir(exist_ok=True)
        (tmp_path / "documents" / name).write_text(text)
    return tmp_path / "sets"
