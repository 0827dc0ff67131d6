"""The combined score, the combined coverage, the three performances of a solution, and what its insights add."""

from __future__ import annotations

from collections.abc import Mapping

from assay.core import Metric, UnknownName
from assay.insight.examine.config import INSIGHT_EVAL
from assay.insight.examine.evidence import InsightEvidence
from assay.insight.metrics import published
from assay.insight.metrics.covered_columns import coverage_metrics
from assay.insight.metrics.floors import UP_TO_ONE, floor, undefined

__all__ = [
    "combined_score",
    "coverage",
    "exclusive_performance",
    "inclusive_performance",
    "lift",
    "naive_performance",
]


def combined_score(
    inclusive: float,
    coverage: float,
    leak: bool | None = None,
    *,
    inclusive_weight: float = 0.5,
    coverage_weight: float = 0.5,
    penalty: float = 1.0,
) -> float:
    r"""Performance and coverage in equal parts, minus the penalty for a leak.

    $$0.5 \cdot P_{\mathrm{inclusive}} + 0.5 \cdot \text{coverage} - 1.0 \cdot \text{leak}$$

    For regression give max(R², 0) as performance, as the track does. What was not checked carries no penalty.
    Undefined (nan) when performance or coverage is; a leak below zero stays below zero.

    Parameters
    ----------
    inclusive : float
        Performance of the base columns and the insight columns together, at least 0 for regression.
    coverage : float
        The combined coverage.
    leak : bool, optional
        Whether a function leaks the target; None when that was not checked.
    inclusive_weight : float, default 0.5
        The weight of the performance.
    coverage_weight : float, default 0.5
        The weight of the coverage.
    penalty : float, default 1.0
        What a leak costs.

    Returns
    -------
    float
        At most 1, or nan.

    Examples
    --------
    >>> combined_score(0.75, 0.5)
    0.625
    >>> combined_score(0.75, 0.5, True)
    -0.375
    """
    return inclusive_weight * inclusive + coverage_weight * coverage - (penalty if leak else 0.0)


def coverage(metrics: Mapping[str, float], weights: Mapping[str, float]) -> float:
    r"""The combined coverage: the weighted sum of the coverage metrics.

    $$0.3 \cdot \text{incremental} + 0.7 \cdot \text{single column}$$

    by the document's weights. A metric of weight 0 does not matter; undefined (nan) when one that counts is.

    Parameters
    ----------
    metrics : mapping of str to float
        The coverage metrics by name.
    weights : mapping of str to float
        Their weights by name.

    Returns
    -------
    float
        A number from 0 to 1, or nan.

    Examples
    --------
    >>> coverage({"incremental_performance_coverage": 0.5, "single_column_predictive_coverage": 1.0},
    ...          {"incremental_performance_coverage": 0.3, "single_column_predictive_coverage": 0.7})
    0.85
    """
    total = 0.0
    for name, weight in weights.items():
        if weight > 0:
            if name not in metrics:
                raise UnknownName("coverage metric", name, metrics)
            total += weight * metrics[name]
    return total


def inclusive_performance(performance: float) -> float:
    r"""Performance of a model of the base columns and the insight columns together.

    $$P(M(\text{base} \cup S) \to \text{target})$$

    AUC for binary, one-vs-rest macro AUC for multi-class, R² for regression problems; undefined (nan) when the test
    part holds a single class.

    Parameters
    ----------
    performance : float
        AUC on the test rows, or R² for regression.

    Returns
    -------
    float
        The same number.

    Examples
    --------
    >>> inclusive_performance(0.8)
    0.8
    """
    return performance


def exclusive_performance(performance: float) -> float:
    r"""Performance of a model of the insight columns alone.

    $$P(M(S) \to \text{target})$$

    Without insight columns there is no information: 0.5, or an R² of 0.

    Parameters
    ----------
    performance : float
        AUC on the test rows, or R² for regression.

    Returns
    -------
    float
        The same number.

    Examples
    --------
    >>> exclusive_performance(0.7)
    0.7
    """
    return performance


def naive_performance(performance: float) -> float:
    r"""Performance of a model of the base columns alone: the baseline.

    $$P(M(\text{base}) \to \text{target})$$

    Parameters
    ----------
    performance : float
        AUC on the test rows, or R² for regression.

    Returns
    -------
    float
        The same number.

    Examples
    --------
    >>> naive_performance(0.55)
    0.55
    """
    return performance


def lift(inclusive: float, naive: float) -> float:
    r"""What the insights add to the base columns.

    $$\mathrm{lift} = P_{\mathrm{inclusive}} - P_{\mathrm{naive}}$$

    Parameters
    ----------
    inclusive : float
        Performance of the base columns and the insight columns together.
    naive : float
        Performance of the base columns alone.

    Returns
    -------
    float
        The difference; below 0 where the insights do harm.

    Examples
    --------
    >>> lift(0.75, 0.5)
    0.25
    """
    return inclusive - naive


def _coverage(evidence: InsightEvidence) -> float:
    """The combined coverage."""
    values, weights = coverage_metrics(evidence), evidence.config.COVERAGE_METRIC_WEIGHTS
    if evidence.config.preset == INSIGHT_EVAL:
        return published.published_coverage(values, weights)
    return coverage(values, weights)


def _combined(evidence: InsightEvidence) -> float:
    """The combined score."""
    config = evidence.config
    parts = {
        "inclusive_weight": config.INCLUSIVE_PERFORMANCE_WEIGHT,
        "coverage_weight": config.COVERAGE_WEIGHT,
        "penalty": config.TARGET_LEAK_PENALTY,
    }
    covered = _coverage(evidence)
    if config.preset == INSIGHT_EVAL:
        leak = bool(evidence.target_leak)
        return published.published_combined_score(evidence.inclusive_part, covered, leak, **parts)
    return combined_score(evidence.inclusive_part, covered, evidence.target_leak, **parts)


METRICS: tuple[Metric[InsightEvidence], ...] = (
    Metric("combined_score", _combined, combined_score, floor=floor, version=2, limits=UP_TO_ONE),
    Metric("coverage", _coverage, coverage, floor=floor, oracle=1.0, tolerance=0.02, version=2, limits=UP_TO_ONE),
    Metric(
        "inclusive_performance",
        lambda evidence: evidence.inclusive,
        inclusive_performance,
        floor=floor,
        limits=UP_TO_ONE,
    ),
    Metric(
        "exclusive_performance",
        lambda evidence: evidence.exclusive,
        exclusive_performance,
        floor=floor,
        limits=UP_TO_ONE,
    ),
    Metric("naive_performance", lambda evidence: evidence.naive, naive_performance, floor=undefined, limits=UP_TO_ONE),
    Metric("lift", lambda evidence: lift(evidence.inclusive, evidence.naive), lift, floor=floor),
)
