"""Scores that exist only across problems: means over all drifts of all test sets, each drift counting once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assay.core import Aggregate, Record
from assay.drift.metrics.evidence import abstention_precision, abstention_recall
from assay.drift.metrics.ranking import mean_defined

__all__ = ["AGGREGATES", "pooled_abstention_precision", "pooled_abstention_recall", "pooled_mrr"]


def _drifts(record: Record) -> Sequence[Mapping[str, Any]]:
    """The drifts of a record; a failed one has as many as its problem, none of them answered."""
    described: Any = record.details.get("drifts")
    if described:
        return tuple(described)
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
    return _pooled(records, _abstention(abstention_precision))


def pooled_abstention_recall(records: Sequence[Record]) -> Mapping[str, float]:
    """Abstention recall over all drifts of all test sets."""
    return _pooled(records, _abstention(abstention_recall))


def _abstention(metric: Callable[..., float]) -> Callable[[Sequence[Mapping[str, Any]]], float]:
    return lambda drifts: metric(
        [drift["abstained"] for drift in drifts], [drift["reciprocal_rank"] is None for drift in drifts]
    )


AGGREGATES = (
    Aggregate("mrr_over_drifts", pooled_mrr),
    Aggregate("abstention_precision_over_drifts", pooled_abstention_precision),
    Aggregate("abstention_recall_over_drifts", pooled_abstention_recall),
)
