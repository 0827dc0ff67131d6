"""The track's metrics: numbers of the evidence, by the document's rules or by those of the published implementation."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from assay.core import AnyProblem, Metric
from assay.insight import metrics as m
from assay.insight.examine.config import COVERAGE_METRICS, INSIGHT_EVAL
from assay.insight.examine.evidence import InsightEvidence
from assay.insight.metrics import published

__all__ = ["METRICS", "ColumnCoverage", "column_coverages", "combined", "coverage_of"]


class ColumnCoverage(NamedTuple):
    """How one ground-truth column is covered; best coverers are names, empty when there is none."""

    weight: float
    incremental: float
    predictive: float
    single: float
    single_by: str
    correlation: float
    correlation_by: str
    correlation_weight: float


def column_coverages(evidence: InsightEvidence) -> tuple[ColumnCoverage, ...]:
    """All coverages, column by column, in the order of the ground truth."""
    if not evidence.columns:  # nothing was offered, so nothing is covered
        return tuple(
            ColumnCoverage(m.rho(importance), 0.0, 0.0, 0.0, "", 0.0, "", float(weight))
            for importance, weight in zip(evidence.importance, evidence.correlation_weights, strict=True)
        )
    as_published = evidence.config.preset == INSIGHT_EVAL
    weights = [m.rho(float(value)) for value in evidence.importance]
    found = []
    for row, weight in enumerate(published.floored_weights(weights) if as_published else weights):
        single = _best([m.rho(float(value)) for value in evidence.single[row]], as_published)
        correlation = _best(evidence.correlation[row].tolist(), as_published)
        strength = correlation.value
        if strength < evidence.config.COVERAGE_CORRELATION_THRESHOLD:
            strength = 0.0
        found.append(
            ColumnCoverage(
                weight=weight,
                incremental=m.incremental_coverage(
                    evidence.without, float(evidence.with_column[row]), rho_order=evidence.config.rho_order
                ),
                predictive=m.rho(float(evidence.predictive[row])),
                single=single.value,
                single_by=evidence.columns[single.position] if single.position >= 0 else "",
                correlation=strength,
                correlation_by=evidence.coverers[correlation.position] if correlation.position >= 0 else "",
                correlation_weight=float(evidence.correlation_weights[row]),
            )
        )
    return tuple(found)


def coverage_metrics(evidence: InsightEvidence) -> dict[str, float]:
    """The four coverage metrics by name."""
    if evidence.config.preset == INSIGHT_EVAL:
        return _published_metrics(column_coverages(evidence))
    if not evidence.columns:  # nothing was offered, so nothing is covered
        return dict.fromkeys(COVERAGE_METRICS, 0.0)
    config = evidence.config
    eligibility = config.ELIGIBILITY_THRESHOLD
    weights = [m.rho(float(value)) for value in evidence.importance]
    increments = [
        m.incremental_coverage(evidence.without, float(value), rho_order=config.rho_order)
        for value in evidence.with_column
    ]
    return {
        "correlation_coverage": m.correlation_coverage(
            evidence.correlation,
            evidence.correlation_weights,
            threshold=config.COVERAGE_CORRELATION_THRESHOLD,
            eligibility=eligibility,
        ),
        "incremental_performance_coverage": m.incremental_performance_coverage(increments),
        "predictive_coverage": m.predictive_coverage(evidence.predictive, weights, eligibility=eligibility),
        "single_column_predictive_coverage": m.single_column_predictive_coverage(
            evidence.single, weights, eligibility=eligibility
        ),
    }


def _published_metrics(columns: tuple[ColumnCoverage, ...]) -> dict[str, float]:
    """The same as the published implementation averages them; of correlations only those with the target count."""
    weights = [column.weight for column in columns]
    mean = published.published_weighted_mean
    eligible = [column for column in columns if column.correlation_weight > 0]
    strengths = [column.correlation for column in eligible]
    return {
        "correlation_coverage": mean(strengths, [column.correlation_weight for column in eligible])
        if eligible
        else 0.0,
        "incremental_performance_coverage": m.incremental_performance_coverage(
            [column.incremental for column in columns]
        ),
        "predictive_coverage": mean([column.predictive for column in columns], weights),
        "single_column_predictive_coverage": mean([column.single for column in columns], weights),
    }


def coverage_of(evidence: InsightEvidence) -> float:
    """The combined coverage."""
    found, weights = coverage_metrics(evidence), evidence.config.COVERAGE_METRIC_WEIGHTS
    if evidence.config.preset == INSIGHT_EVAL:
        return published.published_coverage(found, weights)
    return m.coverage(found, weights)


def combined(evidence: InsightEvidence) -> float:
    """The combined score."""
    config = evidence.config
    parts = {
        "inclusive_weight": config.INCLUSIVE_PERFORMANCE_WEIGHT,
        "coverage_weight": config.COVERAGE_WEIGHT,
        "penalty": config.TARGET_LEAK_PENALTY,
    }
    covered = coverage_of(evidence)
    if config.preset == INSIGHT_EVAL:
        leak = bool(evidence.target_leak)
        return published.published_combined_score(evidence.inclusive_part, covered, leak, **parts)
    return m.combined_score(evidence.inclusive_part, covered, evidence.target_leak, **parts)


def _best(values: list[float], as_published: bool) -> m.BestCoverer:
    if not as_published:
        return m.best_coverer(values)
    position = published.first_maximum(values)
    return m.BestCoverer(position, values[position])


def _defined_on(problem: AnyProblem) -> bool:
    """Whether performance on the target is defined: the test part of a classification must hold two classes."""
    target = np.asarray(problem.truth.test_target)
    return problem.task.problem_type == "regression" or len(set(target.tolist())) > 1


def _floor(problem: AnyProblem) -> float:
    # what is undefined on a problem is undefined for a failed subject too: otherwise only failures would count
    return 0.0 if _defined_on(problem) else math.nan


def _undefined(problem: AnyProblem) -> float:
    return math.nan  # a failed subject says nothing about the problem itself


METRICS: tuple[Metric[InsightEvidence], ...] = (
    Metric("combined_score", combined, m.combined_score, floor=_floor),
    Metric("coverage", coverage_of, m.coverage, floor=_floor, oracle=1.0, tolerance=0.02),
    Metric("inclusive_performance", lambda e: e.inclusive, m.inclusive_performance, floor=_floor),
    Metric("exclusive_performance", lambda e: e.exclusive, m.exclusive_performance, floor=_floor),
    Metric("naive_performance", lambda e: e.naive, m.naive_performance, floor=_undefined),
    Metric("lift", lambda e: m.lift(e.inclusive, e.naive), m.lift, floor=_floor),
    Metric(
        "incremental_performance_coverage",
        lambda e: coverage_metrics(e)["incremental_performance_coverage"],
        m.incremental_performance_coverage,
        floor=_floor,
        oracle=1.0,
        tolerance=0.05,
    ),
    Metric(
        "single_column_predictive_coverage",
        lambda e: coverage_metrics(e)["single_column_predictive_coverage"],
        m.single_column_predictive_coverage,
        floor=_floor,
        oracle=1.0,
        tolerance=0.02,
    ),
    Metric(
        "predictive_coverage",
        lambda e: coverage_metrics(e)["predictive_coverage"],
        m.predictive_coverage,
        floor=_floor,
        oracle=1.0,
        tolerance=0.1,
    ),
    Metric(
        "correlation_coverage",
        lambda e: coverage_metrics(e)["correlation_coverage"],
        m.correlation_coverage,
        oracle=1.0,
        tolerance=1e-9,
    ),
    Metric(
        "target_leak",
        lambda e: m.target_leak(e.target_leak),
        m.target_leak,
        goal="min",
        floor=_undefined,
        flag="leak",
    ),
)
