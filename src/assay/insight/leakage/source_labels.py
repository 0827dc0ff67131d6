"""Are labels written into the source? Of training rows, or of both parts where the values come from nowhere else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.insight.leakage.finding import Finding
from assay.insight.leakage.known_labels import check_known_labels, shuffled_tables
from assay.insight.leakage.listed_rows import check_listed_rows, identifying_columns
from assay.insight.leakage.memorised import LEAST_LITERALS, compare_agreement, literal_volume
from assay.insight.leakage.own_label import perturbed_labels
from assay.insight.leakage.perturbations import BoolArray, Scenario
from assay.insight.leakage.perturbed_runs import Candidate, Outcome, PerturbedRuns

__all__ = ["check_source_labels"]


def check_source_labels(
    runs: PerturbedRuns, candidate: Candidate, test_target: npt.NDArray[Any], *, uses_labels: bool
) -> tuple[Finding | None, list[str]]:
    """Labels that the source holds, if there are any, and why that could not be checked."""
    setting, task = runs.setting, runs.setting.task
    names = {*map(str, task.train.columns), *task.tables}
    names |= {str(column) for table in task.tables.values() for column in table.columns}
    ids = {str(value) for name in identifying_columns(task) for value in task.train[name]}
    volume = literal_volume(candidate.function.code, known=names, ids=ids)
    if volume < LEAST_LITERALS:
        return None, []
    scenario, train_outcome = setting.plain(), candidate.plain
    if uses_labels:  # so that only what is written down can fit the labels
        scenario = setting.relabelled(perturbed_labels(runs)[1][1])
        train_outcome = runs.one(candidate, scenario)
    if not candidate.needs.auxiliary:
        return _search(runs, candidate, scenario, train_outcome, test_target, volume)
    unrelated = shuffled_tables(scenario, runs.seed)
    outcome = runs.one(candidate, unrelated)
    finding, warnings = _search(runs, candidate, unrelated, outcome, test_target, volume, training=False)
    if finding is None:
        finding, further = _search(runs, candidate, scenario, train_outcome, test_target, volume, both=False)
        warnings += further
    return finding, warnings


def _search(
    runs: PerturbedRuns,
    candidate: Candidate,
    scenario: Scenario,
    train_outcome: Outcome,
    test_target: npt.NDArray[Any],
    volume: int,
    *,
    both: bool = True,
    training: bool = True,
) -> tuple[Finding | None, list[str]]:
    """Labels of both parts, for a scenario whose tables tell nothing, and labels of training rows only."""
    task = runs.setting.task
    every = np.arange(len(task.test))
    test_rows = every if candidate.needs.whole else every[: len(candidate.rows)]
    test_scenario = replace(scenario, rows=task.test, order=every)
    test_outcome = runs.one(candidate, test_scenario, test_rows)
    outcomes = (train_outcome, test_outcome)
    if not (train_outcome.ok and test_outcome.ok):
        return None, [f"not checked for memorised labels: {test_outcome.message or train_outcome.message}"]
    test_labels = test_target[: len(test_rows)]
    finding: Finding | None = None
    if both:
        finding = check_known_labels(runs, candidate, scenario, outcomes, test_labels, volume=volume)
        finding = finding or check_listed_rows(
            runs, candidate, (scenario, test_scenario), outcomes, test_rows, test_labels
        )
    if training and finding is None:
        agreement = compare_agreement(
            train_outcome.values,
            runs.setting.labels.iloc[candidate.rows].to_numpy(),
            test_outcome.values,
            test_labels,
            task.problem_type,
            recent=_recent(runs, candidate),
        )
        if agreement.memorised:
            finding = Finding(
                kind="memorised",
                test="agreement with training and with test labels",
                statistic={
                    "literals": volume,
                    "agreement_train": agreement.train,
                    "agreement_test": agreement.test,
                    "p_value": agreement.p_value,
                },
            )
    return finding, []


def _recent(runs: PerturbedRuns, candidate: Candidate) -> BoolArray | None:
    """The latest third of the rows, where they have times."""
    if not runs.available.declared:
        return None
    times = runs.available.times[candidate.rows]
    return np.asarray(times >= np.quantile(times, 2 / 3))
