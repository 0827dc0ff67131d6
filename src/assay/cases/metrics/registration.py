"""The track's metrics: which number of the evidence, which direction, and what a failed subject gets."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from assay.cases.metrics import (
    auprc,
    aurc,
    auroc,
    brier,
    class_homogeneity,
    diversity,
    expected_calibration_error,
    label_noise_auroc,
    mean_correspondence_correct,
    mean_correspondence_wrong,
    neighbour_recall,
    non_representativeness,
    ood_auroc,
    recalibrated_brier,
    recalibrated_calibration_error,
    stability,
)
from assay.cases.problem.task import CasesEvidence
from assay.core import AnyProblem, Metric
from assay.core.arrays import BoolArray

__all__ = ["METRICS"]


def _of_scores(metric: Callable[..., float]) -> Callable[[CasesEvidence], float]:
    return lambda evidence: metric(evidence.scores, evidence.wrong)


def _of_probabilities(metric: Callable[..., float]) -> Callable[[CasesEvidence], float]:
    """Calibration has a meaning only for scores that may be probabilities."""
    return lambda evidence: metric(evidence.scores, evidence.wrong) if _are_probabilities(evidence) else math.nan


def _of_parts(metric: Callable[..., float], *names: str) -> Callable[[CasesEvidence], float]:
    """A metric of parts of the evidence, undefined where the answer or the problem lacks one."""

    def function(evidence: CasesEvidence) -> float:
        parts = [getattr(evidence, name) for name in names]
        return math.nan if any(part is None for part in parts) else metric(*parts)

    return function


def _are_probabilities(evidence: CasesEvidence) -> bool:
    return bool(((evidence.scores >= 0) & (evidence.scores <= 1)).all())


def _stability(evidence: CasesEvidence) -> float:
    return math.nan if evidence.twin_neighbors is None else stability(*evidence.twin_neighbors)


def _diversity(evidence: CasesEvidence) -> float:
    """Evidence holds the mean of each query's table, so that no table has to be kept."""
    apart = evidence.neighbor_distances
    return math.nan if apart is None or not len(apart) else float(apart.mean())


# a metric that is undefined on a problem is undefined for a failed subject too: otherwise only failures would count


def _wrong(problem: AnyProblem) -> BoolArray:
    """Verdicts on the queries that count: perturbed copies do not."""
    wrong: BoolArray = problem.task.predicted != problem.truth.labels
    twins = problem.task.twins
    return wrong if twins is None else np.delete(wrong, twins[twins >= 0])


def _floor(value: float, *, right: int = 0, wrong: int = 0) -> Callable[[AnyProblem], float]:
    """The floor where a problem has at least so many right and wrong predictions."""

    def floor(problem: AnyProblem) -> float:
        verdicts = _wrong(problem)
        return value if (~verdicts).sum() >= right and verdicts.sum() >= wrong else math.nan

    return floor


def _floor_with(value: float, there: Callable[[AnyProblem], bool]) -> Callable[[AnyProblem], float]:
    return lambda problem: value if there(problem) else math.nan


def _has_twins(problem: AnyProblem) -> bool:
    return problem.task.twins is not None and bool((problem.task.twins >= 0).any())


def _has_train_predictions(problem: AnyProblem) -> bool:
    return problem.task.train_predicted is not None


def _has_outsiders(problem: AnyProblem) -> bool:
    if problem.truth.ood is None:
        return False
    twins = problem.task.twins
    planted = problem.truth.ood if twins is None else np.delete(problem.truth.ood, twins[twins >= 0])
    return bool(planted.any() and not planted.all())


def _has_changed_labels(problem: AnyProblem) -> bool:
    planted = problem.truth.mislabelled
    return planted is not None and bool(planted.any() and not planted.all())


METRICS: tuple[Metric[CasesEvidence], ...] = (
    Metric("auroc", _of_scores(auroc), auroc, floor=_floor(0.0, right=1, wrong=1), oracle=1.0),
    Metric("auprc", _of_scores(auprc), auprc, floor=_floor(0.0, wrong=1), oracle=1.0),
    Metric("aurc", _of_scores(aurc), aurc, goal="min", floor=1.0),
    Metric(
        "ece",
        _of_probabilities(expected_calibration_error),
        expected_calibration_error,
        goal="min",
        floor=1.0,
        oracle=0.0,
    ),
    Metric("brier", _of_probabilities(brier), brier, goal="min", floor=1.0, oracle=0.0),
    Metric(
        "ece_recalibrated",
        _of_probabilities(recalibrated_calibration_error),
        recalibrated_calibration_error,
        goal="min",
        floor=_floor(1.0, right=2, wrong=2),
        oracle=0.0,
    ),
    Metric(
        "brier_recalibrated",
        _of_probabilities(recalibrated_brier),
        recalibrated_brier,
        goal="min",
        floor=_floor(1.0, right=2, wrong=2),
        oracle=0.0,
    ),
    Metric(
        "mean_correspondence_correct",
        _of_parts(mean_correspondence_correct, "correspondence", "wrong"),
        mean_correspondence_correct,
        floor=_floor(0.0, right=1),
    ),
    Metric(
        "mean_correspondence_wrong",
        _of_parts(mean_correspondence_wrong, "correspondence", "wrong"),
        mean_correspondence_wrong,
        goal="min",
        floor=_floor(1.0, wrong=1),
    ),
    Metric("neighbour_recall", _of_parts(neighbour_recall, "neighbors", "exact_neighbors"), neighbour_recall),
    Metric("stability", _stability, stability, floor=_floor_with(0.0, _has_twins)),
    Metric("diversity", _diversity, diversity),
    Metric("class_homogeneity", _of_parts(class_homogeneity, "neighbor_labels"), class_homogeneity),
    Metric(
        "non_representativeness",
        _of_parts(non_representativeness, "predicted", "neighbor_predictions"),
        non_representativeness,
        goal="min",
        floor=_floor_with(1.0, _has_train_predictions),
    ),
    Metric(
        "ood_auroc",
        _of_parts(ood_auroc, "unfamiliarity", "ood"),
        ood_auroc,
        floor=_floor_with(0.0, _has_outsiders),
        oracle=1.0,
    ),
    Metric(
        "label_noise_auroc",
        _of_parts(label_noise_auroc, "suspicion", "mislabelled"),
        label_noise_auroc,
        floor=_floor_with(0.0, _has_changed_labels),
        oracle=1.0,
    ),
)
