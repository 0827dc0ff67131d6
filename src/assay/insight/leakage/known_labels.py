"""Labels of test rows written into the source: such a column knows more than its columns can tell.

A column that agrees with both parts may be honest: some targets are an arithmetic of other columns. It is reported
when its source is long enough to hold the labels, when it loses them as soon as the values that it is keyed by are
permuted, and when a model that learns from those values is far from guessing the test labels as it does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from assay.insight.examine.prediction_target import make_outcome
from assay.insight.fits.encoding import encode_column
from assay.insight.fits.fits import predictions
from assay.insight.fits.forest import ForestSettings
from assay.insight.leakage.finding import Finding
from assay.insight.leakage.memorised import ALPHA, as_classes, readings
from assay.insight.leakage.perturbations import Scenario
from assay.insight.leakage.perturbed_runs import Candidate, Outcome, PerturbedRuns, differ
from assay.insight.leakage.tails import binomial_tail

__all__ = ["check_known_labels", "permuted_values", "shuffled_tables"]

_NEARLY = 0.8  # agreement beyond chance (Cohen's kappa) that counts as knowing the labels
_LOST = 0.5  # the most agreement that may remain when the keys are permuted
_LEAST_BITS = 0.5  # of the labels' information that the literals must be able to hold
_FOREST = ForestSettings(trees=50, seed=42, max_depth=10)
_MOST_CATEGORIES = 10


def check_known_labels(
    runs: PerturbedRuns,
    candidate: Candidate,
    scenario: Scenario,
    parts: tuple[Outcome, Outcome],
    test_labels: npt.NDArray[Any],
    *,
    volume: int,
) -> Finding | None:
    """Whether the values in both parts, computed in a scenario without labels, are labels that the source holds."""
    task = runs.setting.task
    train_outcome, test_outcome = parts
    y, z = as_classes(runs.setting.labels.iloc[candidate.rows].to_numpy(), test_labels, task.problem_type)
    matches = [
        (predicted, guessed, kappa)
        for predicted, guessed in readings(train_outcome.values, y, test_outcome.values)
        if (kappa := min(_kappa(predicted, y), _kappa(guessed, z))) >= _NEARLY
    ]
    if not matches or 8 * volume < _LEAST_BITS * _bits(np.concatenate([y, z])):
        return None
    _, guessed, _ = max(matches, key=lambda entry: entry[2])
    keys = [
        name
        for name in task.base_columns
        if differ(train_outcome.values, permuted_values(runs, candidate, scenario, [name])).any()
    ]
    if not keys:
        return None
    remaining = max(
        _kappa(predicted, y)
        for predicted, _ in readings(permuted_values(runs, candidate, scenario, keys), y, test_outcome.values)
    )
    modelled = _model_predictions(runs, candidate, keys, y, z)
    p = _better(guessed == z, modelled == z)
    if remaining >= _LOST or p >= ALPHA:
        return None
    return Finding(
        kind="memorised",
        test="agreement with the labels of both parts, the keys permuted, and a model of the keys",
        statistic={
            "literals": volume,
            "agreement_train": max(float((predicted == y).mean()) for predicted, _, _ in matches),
            "agreement_test": float((guessed == z).mean()),
            "agreement_of_a_model": float((modelled == z).mean()),
            "keys": list(keys),
            "p_value": p,
        },
    )


def shuffled_tables(scenario: Scenario, seed: int) -> Scenario:
    """The tables with every column in an order of its own, so that they tell nothing of any row."""
    rng = np.random.default_rng([seed, 12])
    tables = {
        name: pd.DataFrame({column: table[column].to_numpy()[rng.permutation(len(table))] for column in table.columns})
        for name, table in scenario.tables.items()
    }
    return replace(scenario, tables=tables)


def permuted_values(
    runs: PerturbedRuns, candidate: Candidate, scenario: Scenario, columns: Sequence[str]
) -> npt.NDArray[Any]:
    """The values with some columns of the rows permuted, all of them alike."""
    order = np.random.default_rng([runs.seed, 11]).permutation(len(scenario.rows))
    moved = {name: scenario.rows[name].to_numpy()[order] for name in columns}
    outcome = runs.one(candidate, replace(scenario, rows=scenario.rows.assign(**moved)))
    return outcome.values


def _model_predictions(
    runs: PerturbedRuns, candidate: Candidate, keys: Sequence[str], y: npt.NDArray[Any], z: npt.NDArray[Any]
) -> npt.NDArray[Any]:
    """The test labels predicted by a forest that learns the training labels from the keys."""
    task = runs.setting.task
    train, test = task.train.iloc[candidate.rows].reset_index(drop=True), task.test.iloc[: len(z)]
    columns = [
        part for name in keys for part in encode_column(name, train[name], test[name], most_categories=_MOST_CATEGORIES)
    ]
    outcome = make_outcome("label", pd.Series(y), pd.Series(z), problem_type="multiclass")
    if outcome.constant:
        return np.full(len(z), y[0])
    predicted = predictions(columns, outcome, _FOREST).values.argmax(axis=1)
    return np.asarray(np.unique(y)[predicted])


def _kappa(guessed: npt.NDArray[Any], labels: npt.NDArray[Any]) -> float:
    agreement = float((guessed == labels).mean())
    by_chance = sum(float((guessed == label).mean() * (labels == label).mean()) for label in np.unique(labels))
    return (agreement - by_chance) / (1 - by_chance) if by_chance < 1 else 0.0


def _bits(labels: npt.NDArray[Any]) -> float:
    shares = np.unique(labels, return_counts=True)[1] / len(labels)
    return -len(labels) * float(sum(share * math.log2(share) for share in shares))


def _better(first: npt.NDArray[np.bool_], second: npt.NDArray[np.bool_]) -> float:
    """The p-value of McNemar's exact test that the first is right more often."""
    wins, losses = int((first & ~second).sum()), int((second & ~first).sum())
    return binomial_tail(wins, wins + losses, 0.5)
