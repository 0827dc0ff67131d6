"""Auxiliary tables that hold the labels of training rows under any column name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from assay.insight.problem.task import InsightTask

__all__ = ["LabelCells", "find_label_cells"]

_LEAST_SHARE = 0.5  # of the training rows that must be found in the table
_MOST_CODES = 50  # distinct values of a column that may stand for the classes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelCells:
    """Cells of one column that hold the labels of training rows: ``places`` in the table, ``rows`` in train.csv."""

    column: str
    places: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]

    def relabel(self, table: pd.DataFrame, old: pd.Series[Any], new: pd.Series[Any]) -> pd.DataFrame:
        """The table with what it would hold if the labels were the new ones."""
        spelled = table[self.column].iloc[self.places].to_numpy()
        meaning = dict(zip(old.iloc[self.rows].tolist(), spelled.tolist(), strict=True))
        values = table[self.column].to_numpy(copy=True)
        numeric = values.dtype.kind in "biuf"
        for place, label in zip(self.places.tolist(), new.iloc[self.rows].tolist(), strict=True):
            if label not in meaning:  # a class that no row of the table has; among numbers a text gets the next one
                meaning[label] = np.nanmax(values) + 1 if numeric and isinstance(label, str) else label
            values[place] = meaning[label]
        return table.assign(**{self.column: values})


def find_label_cells(task: InsightTask) -> Mapping[str, tuple[LabelCells, ...]]:
    """Columns, by table, that tell the labels of most training rows and never contradict them.

    Rows are matched by one shared column that identifies them, or by all shared columns together. A column that most
    test rows have as well is known at prediction time, as a column of the rows is: no label, however much it tells.
    """
    cells_by_table: dict[str, tuple[LabelCells, ...]] = {}
    for name, table in task.tables.items():
        cells = [
            cell
            for keys in _keys(task.train, table, task.target_column)
            for cell in _matched(task.train, table, keys, task)
        ]
        first = {cell.column: cell for cell in reversed(cells)}
        if first:
            cells_by_table[name] = tuple(first.values())
    return cells_by_table


def _keys(train: pd.DataFrame, table: pd.DataFrame, target: str) -> list[list[str]]:
    shared = [str(name) for name in train.columns if name in table.columns and name != target]
    single = [[name] for name in shared if train[name].is_unique]
    together = [shared] if len(shared) > 1 and not train.duplicated(shared).any() else []
    return single + together


def _matched(train: pd.DataFrame, table: pd.DataFrame, keys: Sequence[str], task: InsightTask) -> list[LabelCells]:
    rows, places = _pairs(train, table, keys)
    if len(np.unique(rows)) < len(rows) or len(rows) < _LEAST_SHARE * len(train):
        return []
    labels = train[task.target_column].iloc[rows].to_numpy()
    if len(pd.unique(labels)) < 2:
        return []
    cells = [
        LabelCells(column=str(name), places=places, rows=rows)
        for name in table.columns
        if name not in keys and _tells(table[name].iloc[places], labels, task.problem_type)
    ]
    if not cells or not set(keys) <= set(task.test.columns):
        return cells
    test_rows, test_places = _pairs(task.test, table, keys)
    return [cell for cell in cells if not _is_given(table[cell.column], cell, test_rows, test_places, task)]


def _pairs(
    rows: pd.DataFrame, table: pd.DataFrame, keys: Sequence[str]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Places of rows and of the table's rows with the same keys."""
    row_keys = rows[list(keys)].astype(str).assign(_row=np.arange(len(rows)))
    table_keys = table[list(keys)].astype(str).assign(_place=np.arange(len(table)))
    pairs = row_keys.merge(table_keys, on=list(keys))
    return pairs["_row"].to_numpy(), pairs["_place"].to_numpy()


def _is_given(
    values: pd.Series[Any],
    cell: LabelCells,
    test_rows: npt.NDArray[np.int64],
    test_places: npt.NDArray[np.int64],
    task: InsightTask,
) -> bool:
    """Whether most test rows have the column too, with values such as training rows have, and more than one."""
    of_test = values.iloc[test_places]
    usable = of_test.notna() if task.problem_type == "regression" else of_test.isin(values.iloc[cell.places].unique())
    rows = test_rows[usable.to_numpy()]
    return of_test[usable].nunique() > 1 and len(np.unique(rows)) >= _LEAST_SHARE * len(task.test)


def _tells(values: pd.Series[Any], labels: npt.NDArray[Any], kind: str) -> bool:
    """Whether the values are the labels, perhaps under other names: one name for each label and none for two."""
    if values.isna().any():
        return False
    if kind == "regression":
        numeric = pd.api.types.is_numeric_dtype(values.dtype)
        return numeric and bool(np.array_equal(values.to_numpy(dtype=np.float64), labels.astype(np.float64)))
    if values.nunique() > _MOST_CODES:
        return False
    pairs = pd.DataFrame({"value": values.astype(str).to_numpy(), "label": labels.astype(str)}).drop_duplicates()
    return bool(pairs["value"].is_unique and pairs["label"].is_unique)
