"""Predictions that a table holds already, in the manner of a fitted classifier."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.cases.neighbors.checks import LabelArray, as_probability_rows, demand_same_kind, listed
from assay.cases.problem.from_table import problem_from_table
from assay.cases.problem.labelled_table import Labelled, read_classes
from assay.cases.problem.task import CasesTask, CasesTruth
from assay.core import InvalidInput
from assay.core.arrays import FloatArray
from assay.core.display import counted
from assay.intake.new_problem import demand_columns
from assay.intake.table.options import TableOptions

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["GivenPredictions", "read_predictions"]


class GivenPredictions:
    """Predictions from a column, in the manner of a fitted classifier; rows are found by their number."""

    name = "given"

    def __init__(self, predicted: pd.Series[Any], probabilities: pd.DataFrame, warnings: tuple[str, ...]) -> None:
        self._predicted, self._probabilities = predicted, probabilities
        self.classes_ = np.array(probabilities.columns)
        self.warnings = warnings

    def predict(self, rows: pd.DataFrame) -> Any:
        """The predicted class of each row; of rows without one any class, which :meth:`problem` leaves out again."""
        return self._predicted.reindex(rows.index, fill_value=self.classes_[0]).to_numpy()

    def predict_proba(self, rows: pd.DataFrame) -> FloatArray:
        """The probabilities of each row."""
        return self._probabilities.loc[rows.index].to_numpy()

    def problem(
        self, cases: pd.DataFrame, rows: pd.DataFrame, columns: list[str], label: str
    ) -> tuple[CasesTask, CasesTruth]:
        """Training cases and queries with these predictions."""
        task, truth = problem_from_table(cases[columns], rows[columns], label=label, model=self, fit=False)
        complete = cases.index.isin(self._predicted.index).all()
        return task if complete else replace(task, train_predicted=None), truth


def read_predictions(
    tables: Sequence[Labelled], predictions: str, probabilities: Sequence[str], options: TableOptions
) -> GivenPredictions:
    """The predictions of the rows that are asked for, and of the training rows where they have the column."""
    import pandas as pd

    queries = tables[-1]
    demand_columns(queries.reading, [predictions], kind="column of predictions")
    within = [table for table in tables if predictions in table.frame.columns]
    columns = []
    for table in within:
        column = read_classes(table.reading, predictions)
        demand_same_kind(column, table.labels, what=f"{table.source}, predictions {predictions!r} and the labels")
        columns.append(pd.Series(column, index=table.frame.index))
    predicted = pd.concat(columns)
    labels = np.unique(np.concatenate([table.labels for table in tables]))
    by_class = _probability_columns(queries, probabilities, labels, options)
    outside = sorted({*predicted.tolist()} - {*labels.tolist(), *by_class})
    if outside:
        raise InvalidInput(
            f"{queries.source}: column {predictions!r} predicts {outside[0]!r}, which is none of the labels "
            f"{listed(labels.tolist())}."
        )
    warnings: list[str] = []
    if by_class:
        what = f"{queries.source}, columns {listed(by_class.values())}"
        matrix = as_probability_rows(
            queries.frame[list(by_class.values())].to_numpy(dtype=np.float64, na_value=np.nan),
            (len(queries.frame), len(by_class)),
            what=what,
        )
        shares = pd.DataFrame(matrix, index=queries.frame.index, columns=list(by_class))
        unlike = int((shares.idxmax(axis=1) != predicted.loc[queries.frame.index]).sum())
        if unlike:
            warnings = [f"{counted(unlike, 'prediction')} differ from the class with the largest probability."]
    else:
        shares = pd.DataFrame(
            {name: (predicted.loc[queries.frame.index] == name).astype(np.float64) for name in labels.tolist()}
        )
        warnings = [
            "there are no probabilities: every prediction counts as certain, and subjects that rest on them, such as "
            f"max-probability, can tell nothing. Give them: {options.remedy('probabilities', 'CLASS=COLUMN')}."
        ]
    return GivenPredictions(predicted, shares, tuple(warnings))


def _probability_columns(
    queries: Labelled, entries: Sequence[str], labels: LabelArray, options: TableOptions
) -> dict[Any, str]:
    """The column of each class: named, or told by how the column's name ends."""
    if not entries:
        return {}
    classes = {str(name): name for name in labels.tolist()}
    names = [str(name) for name in queries.frame.columns]
    by_class: dict[Any, str] = {}
    for entry in entries:
        column, label = entry, ""
        if entry not in names and "=" in entry:
            label, _, column = entry.partition("=")
        demand_columns(queries.reading, [column], kind="column of probabilities")
        ends = [text for text in classes if re.search(rf"(^|[^0-9A-Za-z]){re.escape(text)}\W*$", column)]
        label = label or max(ends, key=len, default="")
        if not label:
            example = options.remedy("probabilities", f"{next(iter(classes))}={column}")
            raise InvalidInput(
                f"{queries.source}: the name of column {column!r} ends with none of the classes {listed(classes)}. Say "
                f"which it is, as in {example}."
            )
        is_number = labels.dtype.kind in "iu" and re.fullmatch(r"-?[0-9]{1,18}", label)
        name = classes.get(label, int(label) if is_number else label)
        if name in by_class:
            raise InvalidInput(
                f"{queries.source}: {by_class[name]!r} and {column!r} both hold probabilities of {name!r}."
            )
        by_class[name] = column
    absent = [name for name in labels.tolist() if name not in by_class]
    if absent:
        raise InvalidInput(
            f"{queries.source}: no column holds the probabilities of class {absent[0]!r}; give one per class."
        )
    return by_class
