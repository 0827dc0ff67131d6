"""A solution's columns confronted with the experts', by the document as decided (preset ``spec``)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from assay.core import Problem
from assay.core.arrays import FloatArray
from assay.insight.answer.solution import Solution
from assay.insight.examine.config import InsightConfig
from assay.insight.examine.evidence import Chance, InsightEvidence
from assay.insight.examine.prediction_target import Outcome, make_outcome
from assay.insight.fits.encoding import EncodedColumn, encode_column
from assay.insight.fits.measure import Measure
from assay.insight.metrics import auc_spread, chance_of_best, correlation_ratio
from assay.insight.metrics.association import centred_correlation, centred_ranks
from assay.insight.problem.task import InsightTask, InsightTruth

__all__ = ["examine_by_spec"]


@dataclass(frozen=True, slots=True)
class _Feature:
    """One column of a table as the columns that a forest reads."""

    name: str
    parts: tuple[EncodedColumn, ...]


def examine_by_spec(
    problem: Problem[InsightTask, InsightTruth], solution: Solution, config: InsightConfig
) -> InsightEvidence:
    """All performances of a solution."""
    task, truth = problem.task, problem.truth
    most = config.MAX_UNIQUE_VALUES_FOR_CATEGORICAL
    train_rows, test_rows = _rows(len(task.train), config), _rows(len(task.test), config)

    def features(train: pd.DataFrame, test: pd.DataFrame) -> list[_Feature]:
        return [
            _Feature(
                name,
                encode_column(name, _take(train[name], train_rows), _take(test[name], test_rows), most_categories=most),
            )
            for name in train.columns
        ]

    base = features(task.train[list(task.base_columns)], task.test[list(task.base_columns)])
    insights = features(solution.train, solution.test)
    experts = features(truth.train, truth.test)
    target = make_outcome(
        task.target_column,
        _take(task.train[task.target_column], train_rows),
        _take(truth.test_target, test_rows),
        problem_type=task.problem_type,
    )
    outcomes = [
        make_outcome(
            name, _take(truth.train[name], train_rows), _take(truth.test[name], test_rows), most_categories=most
        )
        for name in truth.columns
    ]
    measure = Measure(config)
    naive = measure.plain(_parts(base), target)
    inclusive = measure.plain(_parts(_union(base, insights)), target)
    exclusive = measure.plain(_parts(insights), target)
    evidence = InsightEvidence(
        config=config,
        problem_type=task.problem_type,
        columns=solution.columns,
        ground_truth=truth.columns,
        descriptions=truth.descriptions,
        naive=naive,
        inclusive=inclusive,
        exclusive=exclusive,
        inclusive_part=max(inclusive, 0.0) if target.regression else inclusive,
        without=measure.scale(exclusive, target),
        with_column=np.array([measure.scaled(_parts([*insights, expert]), target) for expert in experts]),
        predictive=np.array([measure.scaled(_parts(insights), outcome) for outcome in outcomes]),
        single=_table(
            [[measure.scaled(insight.parts, outcome) for insight in insights] for outcome in outcomes], len(insights)
        ),
        importance=np.array([measure.scaled(expert.parts, target) for expert in experts]),
        coverers=solution.columns,
        correlation=_table(
            [[_association(expert, insight) for insight in insights] for expert in experts], len(insights)
        ),
        correlation_weights=np.array([_weight(expert, target) for expert in experts]),
        chance=_chance(insights, target, outcomes, config) if config.chance == "subtracted" else None,
        notes=(*solution.notes, *_encoding_notes([*base, *insights, *experts]), *_sampling_notes(task, config)),
    )
    return replace(evidence, engines=dict(sorted(measure.engines.items())))


def _union(base: Sequence[_Feature], insights: Sequence[_Feature]) -> list[_Feature]:
    """Base and insight columns; a base column that is promoted unchanged to an insight counts once."""
    base_keys = {(feature.name, *(part.digest for part in feature.parts)) for feature in base}
    added = [
        insight for insight in insights if (insight.name, *(part.digest for part in insight.parts)) not in base_keys
    ]
    return [*base, *added]


def _rows(count: int, config: InsightConfig) -> np.ndarray | None:
    """The rows that are looked at: all, or in fast mode a sample in its old order."""
    if not config.fast or count <= config.N_SAMPLES:
        return None
    sample = pd.RangeIndex(count).to_series().sample(config.N_SAMPLES, random_state=config.RANDOM_STATE)
    return np.sort(sample.to_numpy())


def _take(values: pd.Series, rows: np.ndarray | None) -> pd.Series:
    return values if rows is None else values.iloc[rows].reset_index(drop=True)


def _parts(features: Sequence[_Feature]) -> list[EncodedColumn]:
    return [part for feature in features for part in feature.parts]


def _table(rows: list[list[float]], width: int) -> FloatArray:
    return np.array(rows, dtype=np.float64).reshape(len(rows), width)


def _association(first: _Feature, second: _Feature) -> float:
    """The strongest absolute rank correlation between parts of two columns on the training rows; 0 for a constant."""
    strengths = [abs(centred_correlation(a.ranks, b.ranks)) for a in first.parts for b in second.parts]
    return max(0.0 if math.isnan(value) else value for value in strengths)


def _weight(expert: _Feature, target: Outcome) -> float:
    """How strongly a ground-truth column goes with the target; for several classes the correlation ratio."""
    values = target.train.astype(np.float64)
    if target.problem_type == "multiclass":
        strengths = [correlation_ratio(part.train, target.train) for part in expert.parts]
    else:
        ranks = centred_ranks(values)
        strengths = [abs(centred_correlation(part.ranks, ranks)) for part in expert.parts]
    return max(0.0 if math.isnan(value) else value for value in strengths)


def _chance(
    insights: Sequence[_Feature], target: Outcome, outcomes: Sequence[Outcome], config: InsightConfig
) -> Chance:
    """What as many columns would reach if they knew nothing; equal columns are one, constant ones none."""
    distinct = {tuple(part.digest for part in insight.parts): insight for insight in insights}
    informed = [each for each in distinct.values() if not all(part.constant for part in each.parts)]
    test_values = [np.stack([part.test for part in each.parts], axis=1) for each in informed]
    together = [np.concatenate(test_values, axis=1)] if test_values else []

    def spreads(outcome: Outcome, values: Sequence[FloatArray]) -> list[float]:
        # a forest that learnt numbers from noise has an R² below 0, which ρ counts as 0
        return [] if outcome.regression else [2 * auc_spread(outcome.test, each) for each in values]

    rows = len(insights[0].parts[0].train) if insights else 0
    parts = [1 / math.sqrt(rows - 1) for each in informed for part in each.parts if not part.constant and rows > 1]
    threshold = config.COVERAGE_CORRELATION_THRESHOLD
    correlation = chance_of_best(parts, both_sides=True, threshold=threshold)
    return Chance(
        without=chance_of_best(spreads(target, together)),
        predictive=np.array([chance_of_best(spreads(outcome, together)) for outcome in outcomes]),
        single=np.array([chance_of_best(spreads(outcome, test_values)) for outcome in outcomes]),
        correlation=np.full(len(outcomes), correlation),
    )


def _encoding_notes(features: Sequence[_Feature]) -> list[str]:
    notes = [f"column {feature.name!r}: {part.note}" for feature in features for part in feature.parts if part.note]
    return list(dict.fromkeys(notes))


def _sampling_notes(task: InsightTask, config: InsightConfig) -> list[str]:
    if not config.fast or max(len(task.train), len(task.test)) <= config.N_SAMPLES:
        return []
    return [f"fast mode: at most {config.N_SAMPLES} rows of each part"]
