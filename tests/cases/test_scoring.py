import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from assay.cases.problem import CasesEvidence, CasesTruth
from assay.cases.scoring import METRICS
from assay.core import Problem

BY_NAME = {metric.name: metric for metric in METRICS}


def problem(predicted: list[int], labels: list[int]) -> Problem[Any, CasesTruth]:
    task = SimpleNamespace(predicted=np.array(predicted))
    return Problem(id="p", digest="d", task=task, truth=CasesTruth(labels=np.array(labels)))


@pytest.mark.parametrize(
    ("predicted", "labels", "floors"),
    [
        ([0, 1], [0, 0], (0.0, 0.0, 1.0)),
        ([0, 1], [0, 1], (math.nan, 0.0, math.nan)),
        ([0, 1], [1, 0], (math.nan, math.nan, 1.0)),
    ],
)
def test_floors_are_undefined_where_the_metric_is(
    predicted: list[int], labels: list[int], floors: tuple[float, ...]
) -> None:
    found = [metric.floor_for(problem(predicted, labels)) for metric in METRICS]
    np.testing.assert_array_equal(found, floors)


def test_every_metric_reads_its_own_part_of_the_evidence() -> None:
    evidence = CasesEvidence(
        scores=np.array([0.9, 0.1, 0.5]), wrong=np.array([False, True, True]), correspondence=np.array([0.8, 0.2, 0.4])
    )
    scores = {name: metric.function(evidence) for name, metric in BY_NAME.items()}
    assert scores["auroc"] == 1.0
    assert scores["mean_correspondence_correct"] == pytest.approx(0.8)
    assert scores["mean_correspondence_wrong"] == pytest.approx(0.3)


def test_answers_without_neighbours_have_an_auroc_only() -> None:
    evidence = CasesEvidence(scores=np.array([0.1, 0.9]), wrong=np.array([False, True]))
    assert BY_NAME["auroc"].function(evidence) == 0.0
    assert math.isnan(BY_NAME["mean_correspondence_correct"].function(evidence))
    assert math.isnan(BY_NAME["mean_correspondence_wrong"].function(evidence))


def test_every_definition_has_a_formula_and_an_example() -> None:
    for metric in METRICS:
        text = metric.definition.__doc__ or ""
        assert "$$" in text
        assert ">>>" in text
        assert metric.summary.endswith(".") or ";" in metric.summary
