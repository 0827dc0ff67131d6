import pytest

from assay.core import Problem, Record
from assay.drift.examine.examination import describe, examine, oracle
from assay.drift.metrics.aggregates import AGGREGATES
from assay.drift.problem.task import DriftTask, DriftTruth

DriftProblem = Problem[DriftTask, DriftTruth]


def test_means_over_drifts_count_every_drift_once_and_failed_records_as_zero(problem: DriftProblem) -> None:
    def record(details: dict[str, object], status: str) -> Record:
        return Record(
            key="k",
            answer_key="a",
            track="drift",
            problem="p",
            problem_digest="d",
            subject="s",
            subject_digest="e",
            seed=0,
            status=status,  # type: ignore[arg-type]
            scores={},
            details=details,  # type: ignore[arg-type]
            tags={"drifts": 3, "caused": 2},
        )

    good = record(describe(examine(problem, oracle(problem), {})), "ok")  # type: ignore[arg-type]
    scores = {aggregate.name: aggregate.function([good, record({}, "failed")])["s"] for aggregate in AGGREGATES}
    assert scores["mrr_over_drifts"] == pytest.approx(1 / 3)
    assert scores["abstention_precision_over_drifts"] == 1.0
    assert scores["abstention_recall_over_drifts"] == 0.5
