"""Scenarios that differ from the problem's in one respect: labels, order, what lies in the future.

A scenario is what a function sees: rows with their target, the training table, auxiliary tables. Its rows are positions
in train.csv, so values from any two scenarios can be compared row by row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from assay.core.arrays import BoolArray, IntArray
from assay.insight.leakage.label_tables import LabelCells, find_label_cells
from assay.insight.problem.task import InsightTask, ProblemType

__all__ = [
    "BoolArray",
    "IntArray",
    "Scenario",
    "Setting",
    "changed_labels",
    "permuted_labels",
    "renumbered",
    "shuffled",
]


def changed_labels(labels: pd.Series[Any], kind: ProblemType, chosen: BoolArray, *, step: int = 1) -> pd.Series[Any]:
    """The labels with some of them changed: to the other or the next class, or by the range of all.

    >>> changed_labels(pd.Series([0, 1, 1]), "binary", np.array([True, True, False])).tolist()
    [1, 0, 1]
    """
    if kind == "regression":
        spread = float(labels.max() - labels.min()) or 1.0
        moved = labels + step * (spread if labels.dtype.kind == "f" else int(spread))
    else:
        classes = sorted(labels.unique(), key=str)
        following = {value: classes[(place + step) % len(classes)] for place, value in enumerate(classes)}
        moved = labels.map(following).astype(labels.dtype)
    return labels.where(~chosen, moved)


def permuted_labels(labels: pd.Series[Any], rng: np.random.Generator) -> pd.Series[Any]:
    """The labels in another order: the same counts, sums and means."""
    return pd.Series(labels.to_numpy()[rng.permutation(len(labels))], index=labels.index, dtype=labels.dtype)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scenario:
    """Everything that a function can see; ``order[p]`` is the row of train.csv that stands at position p."""

    rows: pd.DataFrame
    train: pd.DataFrame
    tables: Mapping[str, pd.DataFrame]
    order: IntArray
    seed: int = 0
    later: bool = False  # whether the clock shows another time


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Setting:
    """A problem from which scenarios are made."""

    task: InsightTask
    cells: Mapping[str, tuple[LabelCells, ...]] = field(default_factory=dict)
    withheld: bool = False  # whether rows come without their target, as they do when columns are scored

    @classmethod
    def of(cls, task: InsightTask) -> Setting:
        """The setting of a task, its tables searched for labels."""
        return cls(task=task, cells=find_label_cells(task))

    @property
    def labels(self) -> pd.Series[Any]:
        """The training labels."""
        return self.task.train[self.task.target_column]

    def plain(self) -> Scenario:
        """The problem as it is."""
        train = self.task.train
        rows = train.drop(columns=self.task.target_column) if self.withheld else train
        return Scenario(rows=rows, train=train, tables=dict(self.task.tables.items()), order=np.arange(len(train)))

    def relabelled(self, labels: pd.Series[Any]) -> Scenario:
        """Other labels in ``row``, and in everything else that holds them: the training table, tables of labels."""
        scenario = self.plain()
        changed = scenario.train.assign(**{self.task.target_column: labels})
        tables = dict(scenario.tables)
        for name, cells in self.cells.items():
            for cell in cells:
                tables[name] = cell.relabel(tables[name], self.labels, labels)
        return replace(scenario, rows=scenario.rows if self.withheld else changed, train=changed, tables=tables)


def renumbered(scenario: Scenario, order: IntArray) -> Scenario:
    """The training table in another order, and rows that know their new places; the order of the calls stays."""
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order))
    return replace(
        scenario,
        rows=scenario.rows.set_axis(places, axis=0),
        train=scenario.train.iloc[order].reset_index(drop=True),
    )


def shuffled(scenario: Scenario, order: IntArray, *, together: bool) -> Scenario:
    """Another order of the calls; ``together`` moves the training table along, and rows are counted again."""
    if not together:
        return replace(scenario, rows=scenario.rows.iloc[order], order=order)
    return replace(
        scenario,
        rows=scenario.rows.iloc[order].reset_index(drop=True),
        train=scenario.train.iloc[order].reset_index(drop=True),
        order=order,
    )
