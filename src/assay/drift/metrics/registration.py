"""The track's metrics: which number of the evidence, which direction, and what a failed subject gets."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assay.core import Aggregate, AnyProblem, Metric, Record
from assay.drift.examine.examination import DriftEvidence, Verdict
from assay.drift.metrics import (
    abstention_precision,
    abstention_recall,
    confidence_brier,
    decision_accuracy,
    faithfulness,
    mean_reciprocal_rank,
    ndcg,
    recall_at_k,
    success_at_k,
)

__all__ = ["AGGREGATES", "METRICS", "mean_defined"]

KS = (1, 2, 5)


def mean_defined(values: Sequence[float]) -> float:
    """The mean of what is not nan; nan when nothing is left.

    >>> mean_defined([1.0, float("nan"), 0.0])
    0.5
    """
    defined = [value for value in values if not math.isnan(value)]
    return math.fsum(defined) / len(defined) if defined else math.nan


def _mean(metric: Callable[..., float], **options: int) -> Callable[[DriftEvidence], float]:
    """The mean over the drifts that have a golden document."""
    return lambda evidence: mean_defined([_of(metric, verdict, **options) for verdict in evidence.verdicts])


def _of(metric: Callable[..., float], verdict: Verdict, **options: int) -> float:
    return metric(verdict.ranking, verdict.golden, scores=verdict.scores, **options)


def _mrr(evidence: DriftEvidence) -> float:
    verdicts = evidence.verdicts
    return mean_reciprocal_rank(
        [v.ranking for v in verdicts], [v.golden for v in verdicts], scores=[v.scores for v in verdicts]
    )


def _faithfulness(evidence: DriftEvidence) -> float:
    return faithfulness([holds for verdict in evidence.verdicts for holds in verdict.verbatim])


def _abstention(metric: Callable[..., float]) -> Callable[[DriftEvidence], float]:
    return lambda evidence: metric([v.abstained for v in evidence.verdicts], [v.causeless for v in evidence.verdicts])


def _decision(evidence: DriftEvidence) -> float:
    verdicts = evidence.verdicts
    return decision_accuracy(
        [v.first_golden for v in verdicts],
        [v.abstained for v in verdicts],
        [v.causeless for v in verdicts],
    )


def _brier(evidence: DriftEvidence) -> float:
    return confidence_brier([v.confidence for v in evidence.verdicts], [v.first_golden for v in evidence.verdicts])


# a metric that is undefined on a problem is undefined for a failed subject too: otherwise only failures would count


def _with_cause(problem: AnyProblem) -> float:
    return 0.0 if any(problem.truth.goldens) else math.nan


def _without_cause(problem: AnyProblem) -> float:
    return math.nan if all(problem.truth.goldens) else 0.0


METRICS: tuple[Metric[DriftEvidence], ...] = (
    Metric("mrr", _mrr, mean_reciprocal_rank, floor=_with_cause, oracle=1.0),
    *(
        Metric(f"recall@{k}", _mean(recall_at_k, k=k), recall_at_k, floor=_with_cause, oracle=1.0 if k > 2 else None)
        for k in KS
    ),
    *(Metric(f"success@{k}", _mean(success_at_k, k=k), success_at_k, floor=_with_cause, oracle=1.0) for k in KS),
    Metric("ndcg", _mean(ndcg), ndcg, floor=_with_cause, oracle=1.0),
    Metric("faithfulness", _faithfulness, faithfulness, oracle=1.0),
    Metric(
        "abstention_precision",
        _abstention(abstention_precision),
        abstention_precision,
        floor=_without_cause,
        oracle=1.0,
    ),
    Metric("abstention_recall", _abstention(abstention_recall), abstention_recall, floor=_without_cause, oracle=1.0),
    Metric("decision_accuracy", _decision, decision_accuracy, oracle=1.0),
    Metric("confidence_brier", _brier, confidence_brier, goal="min", floor=1.0, oracle=0.0),
)


def _drifts(record: Record) -> Sequence[Mapping[str, Any]]:
    """The drifts of a record; a failed one has as many as its problem, none of them answered."""
    told: Any = record.details.get("drifts")
    if told:
        return tuple(told)
    caused, count = int(record.tags.get("caused", 1)), int(record.tags.get("drifts", 1))
    empty: Mapping[str, Any] = {"abstained": False}
    return [{**empty, "reciprocal_rank": 0.0}] * caused + [{**empty, "reciprocal_rank": None}] * (count - caused)


def _pooled(records: Sequence[Record], metric: Callable[[Sequence[Mapping[str, Any]]], float]) -> dict[str, float]:
    drifts: dict[str, list[Mapping[str, Any]]] = {}
    for record in records:
        drifts.setdefault(record.subject, []).extend(_drifts(record))
    return {subject: metric(entries) for subject, entries in drifts.items()}


def pooled_mrr(records: Sequence[Record]) -> Mapping[str, float]:
    """Mean reciprocal rank over all drifts of all test sets, each drift counting once."""
    return _pooled(
        records,
        lambda drifts: mean_defined(
            [math.nan if drift["reciprocal_rank"] is None else drift["reciprocal_rank"] for drift in drifts]
        ),
    )


def pooled_abstention_precision(records: Sequence[Record]) -> Mapping[str, float]:
    """Abstention precision over all drifts of all test sets."""
    return _pooled(
        records,
        lambda drifts: abstention_precision(
            [drift["abstained"] for drift in drifts], [drift["reciprocal_rank"] is None for drift in drifts]
        ),
    )


def pooled_abstention_recall(records: Sequence[Record]) -> Mapping[str, float]:
    """Abstention recall over all drifts of all test sets."""
    return _pooled(
        records,
        lambda drifts: abstention_recall(
            [drift["abstained"] for drift in drifts], [drift["reciprocal_rank"] is None for drift in drifts]
        ),
    )


AGGREGATES = (
    Aggregate("mrr_over_drifts", pooled_mrr),
    Aggregate("abstention_precision_over_drifts", pooled_abstention_precision),
    Aggregate("abstention_recall_over_drifts", pooled_abstention_recall),
)
