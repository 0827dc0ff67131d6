import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from assay.cases.examine.evidence import CasesEvidence
from assay.cases.metrics import METRICS
from assay.cases.problem.task import CasesTruth
from assay.core import Problem

BY_NAME = {metric.name: metric for metric in METRICS}


def problem(predicted: list[int], labels: list[int]) -> Problem[Any, CasesTruth]:
    task = SimpleNamespace(predicted=np.array(predicted), twins=None, train_predicted=None)
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
    names = ("auroc", "mean_correspondence_correct", "mean_correspondence_wrong")
    measured = [BY_NAME[name].floor_for(problem(predicted, labels)) for name in names]
    np.testing.assert_array_equal(measured, floors)


def test_floors_of_planted_things_are_undefined_where_nothing_is_planted() -> None:
    plain = problem([0, 1, 0], [0, 0, 1])
    assert [name for name, metric in BY_NAME.items() if math.isnan(metric.floor_for(plain))] == [
        *("ece_recalibrated", "brier_recalibrated"),  # one right prediction is too few
        *("stability", "non_representativeness", "ood_auroc", "label_noise_auroc"),
    ]
    task = SimpleNamespace(
        predicted=np.array([0, 1, 0, 1, 0]), twins=np.array([4, -1, -1, -1, -1]), train_predicted=np.array([0, 1])
    )
    truth = CasesTruth(
        labels=np.array([0, 0, 1, 1, 0]), ood=np.array([1, 0, 0, 0, 0], bool), mislabelled=np.array([True, False])
    )
    rich: Problem[Any, CasesTruth] = Problem(id="p", digest="d", task=task, truth=truth)
    assert not [name for name, metric in BY_NAME.items() if math.isnan(metric.floor_for(rich))]
    only_copy = replace(truth, ood=np.array([0, 0, 0, 0, 1], bool))  # a copy does not count
    assert math.isnan(BY_NAME["ood_auroc"].floor_for(replace(rich, truth=only_copy)))


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


def test_calibration_is_undefined_for_scores_that_are_no_probabilities() -> None:
    calibration = ("ece", "brier", "ece_recalibrated", "brier_recalibrated")
    wrong = np.array([True, True, False, False])
    inside = CasesEvidence(scores=np.array([0.0, 0.25, 0.5, 1.0]), wrong=wrong)
    outside = CasesEvidence(scores=np.array([0.0, 0.25, 0.5, 1.01]), wrong=wrong)
    assert not any(math.isnan(BY_NAME[name].function(inside)) for name in calibration)
    assert all(math.isnan(BY_NAME[name].function(outside)) for name in calibration)
    assert BY_NAME["brier"].function(inside) == pytest.approx((0.25**2 + 0.5**2) / 4)
    assert BY_NAME["auroc"].function(outside) == 1.0


def test_the_metrics_of_neighbours_read_their_own_parts() -> None:
    evidence = CasesEvidence(
        scores=np.array([0.9, 0.1]),
        wrong=np.array([False, True]),
        neighbors=np.array([[0, 1], [2, 3]]),
        exact_neighbors=np.array([[0, 1], [3, 4]]),
        neighbor_labels=np.array([[0, 0], [0, 1]]),
        neighbor_distances=np.array([1.0, 2.0]),
        predicted=np.array([0, 1]),
        neighbor_predictions=np.array([[0, 1], [0, 0]]),
        twin_neighbors=(np.array([[0, 1]]), np.array([[1, 2]])),
        unfamiliarity=np.array([5.0, 1.0]),
        ood=np.array([True, False]),
        suspicion=np.array([0.0, 1.0, 0.5]),
        mislabelled=np.array([False, True, True]),
    )
    values = {name: metric.function(evidence) for name, metric in BY_NAME.items()}
    assert values["neighbour_recall"] == 0.75
    assert values["class_homogeneity"] == 0.75
    assert values["diversity"] == 1.5
    assert values["non_representativeness"] == 0.75
    assert values["stability"] == pytest.approx(1 / 3)
    assert values["ood_auroc"] == values["label_noise_auroc"] == 1.0


def test_every_definition_has_a_formula_and_an_example() -> None:
    for metric in METRICS:
        text = metric.definition.__doc__ or ""
        assert "$$" in text
        assert ">>>" in text
        assert metric.summary.endswith(".") or ";" in metric.summary
