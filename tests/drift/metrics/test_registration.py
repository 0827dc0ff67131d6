import math
from dataclasses import replace

import pytest

from assay.core import Problem, Record
from assay.drift.examine.examination import describe, examine, oracle
from assay.drift.metrics.registration import AGGREGATES, METRICS, mean_defined
from assay.drift.problem.task import DriftTask, DriftTruth

DriftProblem = Problem[DriftTask, DriftTruth]


def test_floors_are_undefined_where_the_metric_is(problem: DriftProblem) -> None:
    by_name = {metric.name: metric for metric in METRICS}
    causeless = replace(problem, truth=DriftTruth(goldens=((), ())))
    caused = replace(problem, truth=DriftTruth(goldens=((0,), (1,))))
    assert by_name["mrr"].floor_for(problem) == 0.0
    assert math.isnan(by_name["mrr"].floor_for(causeless))
    assert by_name["abstention_recall"].floor_for(problem) == 0.0
    assert math.isnan(by_name["abstention_recall"].floor_for(caused))
    assert by_name["confidence_brier"].floor_for(problem) == 1.0


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
    found = {aggregate.name: aggregate.function([good, record({}, "failed")])["s"] for aggregate in AGGREGATES}
    assert found["mrr_over_drifts"] == pytest.approx(1 / 3)
    assert found["abstention_precision_over_drifts"] == 1.0
    assert found["abstention_recall_over_drifts"] == 0.5


def test_the_mean_of_nothing_is_undefined() -> None:
    assert math.isnan(mean_defined([math.nan]))
    assert mean_defined([1.0, math.nan]) == 1.0
