"""What metrics accept: sets with labels, or the counts of both, merged from as many parts as there were."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, TypeAlias, get_args

from assay.conformal.examine.evidence import ConformalEvidence
from assay.conformal.sets.checks import FloatArray, as_weights
from assay.conformal.sets.combination_sets import CombinationSets
from assay.conformal.sets.counts import SetCounts, count_sets
from assay.conformal.sets.prediction_sets import SetsLike
from assay.core import AnyProblem, InvalidInput, Metric, UnknownName

__all__ = ["Overall", "Source", "demand_overall", "of_classes", "ratio", "sizes_of", "weighted_mean", "with_labels"]

Source: TypeAlias = "SetsLike | CombinationSets | SetCounts"
Overall: TypeAlias = Literal["mean", "joint"]


def sizes_of(sets: Source) -> SetCounts:
    """Counts, of which only sizes are looked at."""
    return sets if isinstance(sets, SetCounts) else count_sets(sets)


def with_labels(sets: Source, labels: Any) -> SetCounts:
    """Counts of sets against labels."""
    if isinstance(sets, SetCounts):
        if labels is not None:
            raise InvalidInput("labels: counts already hold them; give counts alone, or sets with labels.")
        return sets
    if labels is None:
        raise InvalidInput("labels: are missing; give one array per task or an (n, T) matrix.")
    return count_sets(sets, labels)


def demand_overall(overall: str, known: tuple[str, ...] = get_args(Overall)) -> None:
    """A way to make one number of several tasks."""
    if overall not in known:
        raise UnknownName("overall", str(overall), known)


def ratio(part: float, whole: float) -> float:
    """A share; nan of nothing."""
    return part / whole if whole else float("nan")


def weighted_mean(values: FloatArray, weights: Any) -> float:
    """One number of several tasks, by weights that need not sum to 1."""
    chosen = as_weights(weights, len(values))
    return float(chosen @ values / chosen.sum())


def of_classes(metric: Metric[ConformalEvidence]) -> Metric[ConformalEvidence]:
    """The metric, undefined on problems that have numbers alone, for failures as well."""

    def function(evidence: ConformalEvidence) -> float:
        return metric.function(evidence) if evidence.counts.tasks else float("nan")

    def floor(problem: AnyProblem) -> float:
        return metric.floor_for(problem) if problem.task.classes else float("nan")

    return replace(metric, function=function, floor=floor)
