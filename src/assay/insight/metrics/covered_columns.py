"""The coverages of one solution, column by column and as metrics, with chance left out where it is to be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from assay.core import Metric
from assay.insight.examine.config import COVERAGE_METRICS, INSIGHT_EVAL
from assay.insight.examine.evidence import InsightEvidence
from assay.insight.metrics import published
from assay.insight.metrics.chance import beyond_chance
from assay.insight.metrics.coverages import (
    BestCoverer,
    best_coverer,
    correlation_coverage,
    incremental_coverage,
    incremental_performance_coverage,
    predictive_coverage,
    single_column_predictive_coverage,
)
from assay.insight.metrics.floors import UP_TO_ONE, floor
from assay.insight.metrics.performance import rho

__all__ = ["METRICS", "ColumnCoverage", "column_coverages", "coverage_metrics"]


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
    if not evidence.columns and evidence.chance is None:  # the literal reading: nothing was offered, nothing is covered
        return tuple(
            ColumnCoverage(rho(importance), 0.0, 0.0, 0.0, "", 0.0, "", float(weight))
            for importance, weight in zip(evidence.importance, evidence.correlation_weights, strict=True)
        )
    as_published = evidence.config.preset == INSIGHT_EVAL
    weights = [rho(float(value)) for value in evidence.importance]
    increments = _increments(evidence)
    chance = evidence.chance
    coverages = []
    for row, weight in enumerate(published.floored_weights(weights) if as_published else weights):
        single = _best([rho(float(value)) for value in evidence.single[row]], as_published)
        correlation = _best(evidence.correlation[row].tolist(), as_published)
        strength = correlation.value
        if strength < evidence.config.COVERAGE_CORRELATION_THRESHOLD:
            strength = 0.0
        predictive = rho(float(evidence.predictive[row]))
        values = [predictive, single.value if evidence.columns else 0.0, strength if evidence.columns else 0.0]
        if chance is not None:
            parts = (chance.predictive[row], chance.single[row], chance.correlation[row])
            values = [beyond_chance(value, float(part)) for value, part in zip(values, parts, strict=True)]
        coverages.append(
            ColumnCoverage(
                weight=weight,
                incremental=increments[row],
                predictive=values[0],
                single=values[1],
                single_by=evidence.columns[single.position] if single.position >= 0 else "",
                correlation=values[2],
                correlation_by=evidence.coverers[correlation.position] if correlation.position >= 0 else "",
                correlation_weight=float(evidence.correlation_weights[row]),
            )
        )
    return tuple(coverages)


def _increments(evidence: InsightEvidence) -> list[float]:
    order, chance = evidence.config.rho_order, evidence.chance
    if chance is None:
        return [incremental_coverage(evidence.without, float(each), rho_order=order) for each in evidence.with_column]
    return [
        incremental_coverage(evidence.without, float(each), alone=float(alone), chance=chance.without, rho_order=order)
        for each, alone in zip(evidence.with_column, evidence.importance, strict=True)
    ]


def _best(values: list[float], as_published: bool) -> BestCoverer:
    if not as_published or not values:
        return best_coverer(values)
    position = published.first_maximum(values)
    return BestCoverer(position, values[position])


def coverage_metrics(evidence: InsightEvidence) -> dict[str, float]:
    """The four coverage metrics by name."""
    if evidence.config.preset == INSIGHT_EVAL:
        return _published_metrics(column_coverages(evidence))
    chance, config = evidence.chance, evidence.config
    if not evidence.columns and chance is None:  # the literal reading: nothing was offered, so nothing is covered
        return dict.fromkeys(COVERAGE_METRICS, 0.0)
    eligibility = config.ELIGIBILITY_THRESHOLD
    weights = [rho(float(value)) for value in evidence.importance]
    single, correlation = evidence.single, evidence.correlation
    if not evidence.columns:  # a constant column is none: it predicts as chance does
        single, correlation = np.full((len(weights), 1), 0.5), np.zeros((len(weights), 1))
    return {
        "correlation_coverage": correlation_coverage(
            correlation,
            evidence.correlation_weights,
            threshold=config.COVERAGE_CORRELATION_THRESHOLD,
            eligibility=eligibility,
            chance=None if chance is None else chance.correlation,
        ),
        "incremental_performance_coverage": incremental_performance_coverage(_increments(evidence)),
        "predictive_coverage": predictive_coverage(
            evidence.predictive, weights, eligibility=eligibility, chance=None if chance is None else chance.predictive
        ),
        "single_column_predictive_coverage": single_column_predictive_coverage(
            single, weights, eligibility=eligibility, chance=None if chance is None else chance.single
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
        "incremental_performance_coverage": incremental_performance_coverage(
            [column.incremental for column in columns]
        ),
        "predictive_coverage": mean([column.predictive for column in columns], weights),
        "single_column_predictive_coverage": mean([column.single for column in columns], weights),
    }


def _metric(definition: Callable[..., float], **options: Any) -> Metric[InsightEvidence]:
    name = definition.__name__
    return Metric(
        name,
        lambda evidence: coverage_metrics(evidence)[name],
        definition,
        oracle=1.0,
        version=2,
        limits=UP_TO_ONE,
        **options,
    )


METRICS: tuple[Metric[InsightEvidence], ...] = (
    _metric(incremental_performance_coverage, floor=floor, tolerance=0.05),
    _metric(single_column_predictive_coverage, floor=floor, tolerance=0.02),
    _metric(predictive_coverage, floor=floor, tolerance=0.1),
    _metric(correlation_coverage),
)
