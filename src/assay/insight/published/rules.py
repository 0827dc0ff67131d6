"""A solution's columns confronted with the experts' as the published implementation does it (preset ``insight-eval``).

Its rules differ from the document in many places; they live here and in ``published_columns``, and the documentation
lists them one by one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd

from assay.core import Problem
from assay.insight.answer.answer import InsightAnswer, words_of
from assay.insight.answer.solution import malformed
from assay.insight.examine.config import InsightConfig
from assay.insight.examine.evidence import InsightEvidence
from assay.insight.examine.prediction_target import Outcome
from assay.insight.fits.encoding import EncodedColumn, is_number
from assay.insight.fits.fits import FitCache, predictions
from assay.insight.fits.measure import shared_fits
from assay.insight.metrics import on_auc_scale
from assay.insight.problem.task import InsightTask, InsightTruth
from assay.insight.published.columns import Column, capped_rows, correlations, filled, prepare, prepare_one, raw_column

__all__ = ["examine_as_published", "published_columns"]


def published_columns(answer: InsightAnswer, most: int) -> list[str]:
    """The declared columns; where there are too many, the first by their scores, compared as texts."""
    names = list(answer.columns)
    if len(names) <= most:
        return names
    if not answer.functions:
        return names[:most]
    ranked = sorted(answer.functions, key=lambda function: str(function.score), reverse=True)
    return [function.name for function in ranked][:most]


def examine_as_published(
    problem: Problem[InsightTask, InsightTruth], answer: InsightAnswer, config: InsightConfig
) -> InsightEvidence:
    """All performances of a solution, by the published rules."""
    task, truth = problem.task, problem.truth
    if not answer.columns:
        raise malformed("no columns are declared, which the published implementation refuses")
    declared = published_columns(answer, config.MAX_FEATURES)
    train, test = _enriched(task, truth, answer, declared)
    every = {name: raw_column(name, train[name], test[name]) for name in train.columns}
    target = every.pop(task.target_column)
    solution = [every[name] for name in declared]
    base = [raw_column(name, task.train[name], task.test[name]) for name in task.base_columns]
    experts = prepare([raw_column(name, truth.train[name], truth.test[name]) for name in truth.columns])
    outcomes = [Column(expert.name, pd.Series(expert.train), pd.Series(expert.test)) for expert in experts]
    names = tuple(column.name for column in outcomes)
    models = _Models(config, shared_fits(), target)
    regression = models.outcome(target).regression
    inclusive = models.measure(list(every.values()), target)
    alphabetical = sorted(declared)  # the order in which the published maximum looks at them
    measured = correlations(list(every.values()), experts, target)
    words = dict(zip(truth.columns, truth.descriptions, strict=True))
    cut = f"{len(answer.columns)} columns declared, {len(declared)} scored (MAX_FEATURES)"
    return InsightEvidence(
        config=config,
        problem_type="regression" if regression else "binary",
        columns=tuple(alphabetical),
        ground_truth=names,
        descriptions=tuple(words.get(name, words_of(name)) for name in names),
        naive=models.measure(base, target),
        inclusive=inclusive,
        exclusive=models.measure(solution, target),
        inclusive_part=inclusive,
        without=math.nan if regression else models.fit(solution, target),
        with_column=np.array(
            [math.nan if regression else models.fit([*solution, column], target) for column in outcomes]
        ),
        predictive=np.array([models.measure([*solution, target], column) for column in outcomes]),
        single=np.array([[models.measure([every[name]], column) for name in alphabetical] for column in outcomes]),
        importance=np.array([models.measure([column], target) for column in outcomes]),
        coverers=measured.coverers,
        correlation=measured.table,
        correlation_weights=measured.weights,
        engines=dict(sorted(models.engines.items())),
        notes=(cut,) if len(declared) < len(answer.columns) else (),
    )


def _enriched(
    task: InsightTask, truth: InsightTruth, answer: InsightAnswer, declared: Sequence[str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The enriched tables as the published loader repairs them: target, column set and row count.

    Tables with none of the base columns, as those of the subjects that know the truth, get the problem's own.
    """
    if answer.train is None or answer.test is None:
        raise malformed("there are no enriched tables, so the declared columns have no values")
    target = task.target_column
    labelled = task.test.assign(**{target: truth.test_target.to_numpy()})[list(task.train.columns)]
    tables = []
    for part, shipped, own in (("train", answer.train, task.train), ("test", answer.test, labelled)):
        if len(shipped) < len(own):
            raise malformed(f"the enriched {part} table has {len(shipped)} rows, {part}.csv has {len(own)}")
        table = shipped.iloc[: len(own)]
        if target not in table.columns or not is_number(table[target]):
            table = table.assign(**{target: own[target].to_numpy()})
        if not any(name in table.columns for name in task.base_columns if name not in declared):
            table = table.assign(**{name: own[name].to_numpy() for name in own.columns if name not in table.columns})
        names = [*own.columns, *(name for name in declared if name not in own.columns)]
        missing = [name for name in names if name not in table.columns]
        if missing:
            raise malformed(f"the enriched {part} table has no column {missing[0]!r}")
        tables.append(table if set(table.columns) == set(names) else table[names])
    return tables[0], tables[1]


class _Models:
    """Performances by the published rules, on the scale of an AUC; counts who fitted."""

    def __init__(self, config: InsightConfig, fits: FitCache, target: Column) -> None:
        self._forest = config.forest
        self._fits = fits
        self._train, self._test = capped_rows(len(target.train)), capped_rows(len(target.test))
        self._prepared: dict[Column, tuple[EncodedColumn, ...]] = {}
        self._outcomes: dict[Column, Outcome] = {}
        self.engines: Counter[str] = Counter()

    def measure(self, predictors: Sequence[Column], outcome: Column) -> float:
        """A performance; one half without a fit when all predictors are constant in either part."""
        if any(all(column.constant[part] for column in predictors) for part in (0, 1)):
            self.engines["no information"] += 1
            return 0.5
        return self.fit(predictors, outcome)

    def fit(self, predictors: Sequence[Column], target: Column) -> float:
        """A performance; nan where nothing can be fitted."""
        parts, outcome = prepare(predictors, self._prepare), self.outcome(target)
        if not parts or (not outcome.regression and outcome.constant):
            return math.nan
        if not outcome.regression and outcome.test.min() == outcome.test.max():
            prediction = predictions(parts, outcome, self._forest)
            self.engines[prediction.engine] += 1
            return 1 - float(np.abs(outcome.test - prediction.values[:, 1]).mean())
        fit = self._fits.fit(parts, outcome, self._forest)
        self.engines[fit.engine] += 1
        return on_auc_scale(fit.performance) if outcome.regression else fit.performance

    def outcome(self, column: Column) -> Outcome:
        """What is predicted: zeros and ones are classes, everything else numbers."""
        if column not in self._outcomes:
            train, test = filled(column.train), filled(column.test)
            classes = bool(np.isin(train, (0.0, 1.0)).all() and np.isin(test, (0.0, 1.0)).all())
            train, test = train[self._train], test[self._test]
            if classes:
                count = 2 if train.min() != train.max() else 1
                outcome = Outcome(column.name, "binary", train.astype(np.int64), test.astype(np.int64), count)
            else:
                outcome = Outcome(column.name, "regression", train, test)
            self._outcomes[column] = outcome
        return self._outcomes[column]

    def _prepare(self, column: Column) -> tuple[EncodedColumn, ...]:
        if column not in self._prepared:
            rows = Column(column.name, column.train.iloc[self._train], column.test.iloc[self._test])
            self._prepared[column] = prepare_one(rows)
        return self._prepared[column]
