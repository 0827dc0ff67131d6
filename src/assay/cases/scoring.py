"""The track's metrics: which number of the evidence, which direction, and what a failed subject gets."""

from __future__ import annotations

import math

from assay.cases.metrics import auroc, mean_correspondence_correct, mean_correspondence_wrong
from assay.cases.problem import CasesEvidence
from assay.core import AnyProblem, Metric

__all__ = ["METRICS"]


def _auroc(evidence: CasesEvidence) -> float:
    return auroc(evidence.scores, evidence.wrong)


def _mean_correct(evidence: CasesEvidence) -> float:
    if evidence.correspondence is None:
        return math.nan
    return mean_correspondence_correct(evidence.correspondence, evidence.wrong)


def _mean_wrong(evidence: CasesEvidence) -> float:
    if evidence.correspondence is None:
        return math.nan
    return mean_correspondence_wrong(evidence.correspondence, evidence.wrong)


def _counts(problem: AnyProblem) -> tuple[int, int]:
    """Right and wrong predictions of a problem."""
    wrong = int((problem.task.predicted != problem.truth.labels).sum())
    return len(problem.task.predicted) - wrong, wrong


# a metric that is undefined on a problem is undefined for a failed subject too: otherwise only failures would count


def _auroc_floor(problem: AnyProblem) -> float:
    return 0.0 if all(_counts(problem)) else math.nan


def _correct_floor(problem: AnyProblem) -> float:
    return 0.0 if _counts(problem)[0] else math.nan


def _wrong_floor(problem: AnyProblem) -> float:
    return 1.0 if _counts(problem)[1] else math.nan


METRICS: tuple[Metric[CasesEvidence], ...] = (
    Metric("auroc", _auroc, auroc, goal="max", floor=_auroc_floor, oracle=1.0),
    Metric(
        "mean_correspondence_correct",
        _mean_correct,
        mean_correspondence_correct,
        goal="max",
        floor=_correct_floor,
    ),
    Metric(
        "mean_correspondence_wrong",
        _mean_wrong,
        mean_correspondence_wrong,
        goal="min",
        floor=_wrong_floor,
    ),
)
