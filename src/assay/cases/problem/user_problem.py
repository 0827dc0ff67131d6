"""A problem from a table of one's own with a label, and a classifier, its predictions, or a fitted model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from assay.cases.generate.classifiers import make_classifier
from assay.cases.neighbors.checks import LabelArray, demand_same_kind
from assay.cases.problem.from_table import problem_from_table
from assay.cases.problem.given_predictions import read_predictions
from assay.cases.problem.labelled_table import read_labelled, split_rows
from assay.cases.problem.reading import demand_same_types
from assay.cases.problem.task import CasesTask, CasesTruth, write_problem
from assay.core import InvalidInput, Json, Tags
from assay.core.checks import demand_whole
from assay.core.display import counted
from assay.core.files.drafts import new_folder
from assay.intake.new_problem import NewProblem, as_reading, check_problems, demand_columns, further_reading
from assay.intake.table.options import TableOptions
from assay.intake.table.reading import TableReading

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["new_problem"]

Table: TypeAlias = "str | Path | pd.DataFrame | TableReading | Any"

_SEEN = "the classifier was fitted elsewhere. Rows that it has seen make it look better than it is: give query rows."
_FEW_QUERIES, _FEW_ERRORS, _FEW_CASES = 30, 10, 30


def new_problem(
    folder: str | Path,
    table: Table,
    *,
    label: str,
    classifier: Any = None,
    predictions: str | None = None,
    probabilities: Sequence[str] = (),
    fit: bool = True,
    query: Table | None = None,
    folds: int | None = None,
    holdout: float = 0.3,
    ignore: Sequence[str] = (),
    keep: Sequence[str] = (),
    seed: int = 0,
    id: str | None = None,
    tags: Tags | None = None,
    options: TableOptions | None = None,
) -> NewProblem:
    """Make a problem of a table of one's own, checked and ready to run: which predictions of a classifier are wrong?

    The predictions come from a classifier that is trained on the training rows, or from a column of the table.

    Parameters
    ----------
    folder : str or Path
        The problem folder, or with ``folds`` the folder of problem folders; must be new or empty.
    table : path, data frame or TableReading
        Labelled rows: a CSV, Parquet or Excel file, a frame of pandas or polars, or what :func:`assay.read_table` gave.
    label : str
        The column of true classes.
    classifier : str or classifier, optional
        ``forest``, ``logistic``, ``tree``, ``naive-bayes``, ``module:Class(parameter=value)``, or an object with
        ``fit``, ``predict`` and ``predict_proba``.
    predictions : str, optional
        The column with the predicted classes, instead of a classifier.
    probabilities : sequence of str, optional
        The columns with the predicted probabilities, one per class: ``CLASS=COLUMN``, or columns whose names are the
        classes or end with them (``p_setosa``).
    fit : bool, default True
        Train the classifier; False for an object that is fitted already.
    query : path, data frame or TableReading, optional
        The rows to predict, with labels; the table then holds the training rows only.
    folds : int, optional
        Make so many problems instead: each part of the table is predicted from the others.
    holdout : float, default 0.3
        Without query and folds, the share of every class that is predicted.
    ignore : sequence of str, optional
        Columns that are no features.
    keep : sequence of str, optional
        Features that would be left out: identifiers, times, constants and free text are, unless they are named here.
    seed : int, default 0
        Seed of the split; the same seed gives the same bytes.
    id : str, optional
        The problem's id; the folder's name by default.
    tags : mapping, optional
        Texts or numbers by name, for grouped statistics.
    options : TableOptions, optional
        How the files are to be read.

    Returns
    -------
    NewProblem
        What was written, with warnings and the next commands.

    Raises
    ------
    InvalidInput
        A column is missing, labels are no classes, or the classifier cannot be trained.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import load_iris
    >>> from assay.cases import load
    >>> table = load_iris(as_frame=True).frame
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     summary = new_problem(f"{folder}/iris", table, label="target", classifier="naive-bayes")
    ...     load(f"{folder}/iris").task
    CasesTask(105 cases, 45 queries, 4 features, 3 classes)
    >>> summary.facts["errors"], summary.oracle
    (3, {'iris': 1.0})
    """
    folder, options = Path(folder), options or TableOptions()
    options = replace(options, ignore=(*options.ignore, *ignore))
    demand_whole(seed, "seed")
    if (classifier is None) == (predictions is None):
        fault = "neither was" if classifier is None else "both were"
        raise InvalidInput(f"give a classifier or a column with its predictions; {fault} given.")
    if probabilities and predictions is None:
        raise InvalidInput(
            "probabilities: a classifier brings its own; give them together with a column of predictions."
        )
    if query is not None and folds is not None:
        raise InvalidInput("give query rows or a number of folds, not both.")
    aside = () if predictions is None else (predictions, *(entry.rpartition("=")[2] for entry in probabilities))
    reading = as_reading(table, options, label=label)
    trained_on = () if fit else tuple(getattr(classifier, "feature_names_in_", ()))
    if trained_on:  # of a fitted classifier: what it was trained on is what it is asked about
        demand_columns(reading, trained_on)
        aside = tuple(column.name for column in reading.columns if column.name not in (*trained_on, label))
    own = read_labelled(reading, label, keep=(*keep, *trained_on), aside=(*aside, *probabilities))
    tables = [own]
    if query is None:
        splits = split_rows(own, folds, holdout, seed)
    else:
        queries = read_labelled(further_reading(query, options, label=label, like=reading), label, like=own)
        tables.append(queries)
        demand_same_types(queries.frame, own.frame, source=queries.source, like=own.source)
        demand_same_kind(
            queries.labels, own.labels, what=f"label column {label!r} of {queries.source} and {own.source}"
        )
        splits = {"": (own.frame, queries.frame)}
    source = (
        _Classifier(classifier, fit)
        if predictions is None
        else read_predictions(tables, predictions, probabilities, options)
    )
    identity, pairs = id or folder.name, []
    with new_folder(folder) as place:
        for suffix, (cases, rows) in splits.items():
            task, truth = source.problem(cases, rows, [*own.features, label], label)
            pairs.append((task, truth))
            own_tags: Tags = {"classifier": source.name, "origin": "table", "classes": len(task.classes)}
            accuracy = round(float((task.predicted == truth.labels).mean()), 4)
            name, target = (f"{identity}-{suffix}", place / suffix) if suffix else (identity, place)
            write_problem(
                target, id=name, task=task, truth=truth, tags={**own_tags, "accuracy": accuracy, **(tags or {})}
            )
        problems, scores = check_problems("cases", place)
    facts, warnings = _described(pairs, tables[0].labels)
    return NewProblem(
        track="cases",
        folder=folder,
        problems=tuple(problem.id for problem in problems),
        facts=facts,
        warnings=(*source.warnings, *warnings, *([_SEEN] if not fit and query is None else [])),
        notes=own.notes,
        tables=tuple(each.reading for each in tables),
        oracle=scores,
        subjects=("max-probability", "correspondence"),
    )


class _Classifier:
    """Predictions of a classifier that is trained on the training rows of each problem, or fitted already."""

    warnings: tuple[str, ...] = ()

    def __init__(self, classifier: Any, fit: bool) -> None:
        self._classifier, self._fit = classifier, fit
        self.name = classifier if isinstance(classifier, str) else type(classifier).__name__

    def problem(
        self, cases: pd.DataFrame, rows: pd.DataFrame, columns: list[str], label: str
    ) -> tuple[CasesTask, CasesTruth]:
        """Training cases and queries with the predictions of a classifier that was trained on these cases."""
        model = self._classifier
        if isinstance(model, str):
            model = make_classifier(model, cases[columns].drop(columns=label))
        elif self._fit:
            from sklearn.base import clone

            model = clone(model, safe=False)
        return problem_from_table(cases[columns], rows[columns], label=label, model=model, fit=self._fit)


def _described(pairs: Sequence[tuple[CasesTask, CasesTruth]], labels: LabelArray) -> tuple[dict[str, Json], list[str]]:
    """Sizes over all problems, and what is thin about them."""
    queries = sum(len(truth.labels) for _, truth in pairs)
    cases = min(len(task.train_y) for task, _ in pairs)
    errors = [int((task.predicted != truth.labels).sum()) for task, truth in pairs]
    first = pairs[0][0]
    facts: dict[str, Json] = {
        "training cases": cases,
        "queries": queries,
        "features": len(first.feature_names),
        "classes": len(first.classes),
        "errors": sum(errors),
        "accuracy": round(1 - sum(errors) / queries, 4),
    }
    warnings = []
    if cases < _FEW_CASES:
        warnings.append(
            f"{counted(cases, 'training case')}: neighbours will be far away. {_FEW_CASES} are a good start."
        )
    if queries < _FEW_QUERIES:
        warnings.append(f"{counted(queries, 'query')}: intervals will be wide. {_FEW_QUERIES} are a good start.")
    if min(errors) == 0:
        where = "" if len(pairs) == 1 else f"in {errors.count(0)} of {len(pairs)} problems: "
        warnings.append(f"{where}without a single wrong prediction there is nothing to tell apart; auroc is undefined.")
    elif sum(errors) == queries:
        warnings.append("every prediction is wrong: auroc is undefined. Do predictions and labels use the same names?")
    elif sum(errors) < _FEW_ERRORS:
        warnings.append(f"{counted(sum(errors), 'wrong prediction')} in all: scores rest on these few.")
    names, counts = np.unique(labels, return_counts=True)
    warnings += [f"the label {name!r} occurs in one row only." for name in names[counts == 1].tolist()]
    unseen = sorted({*np.unique(pairs[0][1].labels).tolist()} - {*np.unique(first.train_y).tolist()}, key=str)
    if unseen:
        warnings.append(f"no training case has the label {unseen[0]!r}, which queries have.")
    return facts, warnings
