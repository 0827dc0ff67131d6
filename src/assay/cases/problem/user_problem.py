"""A problem from a table of one's own with a label, and a classifier, its predictions, or a fitted model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from assay.cases.generate.classifiers import make_classifier
from assay.cases.neighbors.checks import LabelArray, as_labels, as_probability_rows, demand_same_kind, listed
from assay.cases.problem.from_table import problem_from_table
from assay.cases.problem.task import CasesTask, CasesTruth, write_problem
from assay.cases.problem.training import demand_classes
from assay.core import InvalidInput, Json, Tags
from assay.core.arrays import FloatArray, IntArray
from assay.core.checks import demand_fraction, demand_whole
from assay.core.display import counted
from assay.core.files.drafts import new_folder
from assay.intake.new_problem import NewProblem, as_reading, check_problems, demand_columns, further_reading
from assay.intake.table.options import TableOptions
from assay.intake.table.reading import TableReading

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["new_problem"]

Table: TypeAlias = "str | Path | pd.DataFrame | TableReading | Any"

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
    ...     made = new_problem(f"{folder}/iris", table, label="target", classifier="naive-bayes")
    ...     load(f"{folder}/iris").task
    CasesTask(105 cases, 45 queries, 4 features, 3 classes)
    >>> made.facts["errors"], made.oracle
    (3, {'iris': 1.0})
    """
    folder, options = Path(folder), options or TableOptions()
    options = replace(options, ignore=(*options.ignore, *ignore))
    demand_whole(seed, "seed")
    if (classifier is None) == (predictions is None):
        given = "neither was" if classifier is None else "both were"
        raise InvalidInput(f"give a classifier or a column with its predictions; {given} given.")
    if probabilities and predictions is None:
        raise InvalidInput("probabilities: a classifier brings its own; give them beside a column of predictions.")
    if query is not None and folds is not None:
        raise InvalidInput("give query rows or a number of folds, not both.")
    aside = () if predictions is None else (predictions, *(entry.rpartition("=")[2] for entry in probabilities))
    own = _read(as_reading(table, options, label=label), label, keep=keep, aside=(*aside, *probabilities))
    tables = [own]
    if query is None:
        splits = _split_rows(own, folds, holdout, seed)
    else:
        asked = _read(further_reading(query, options), label, like=own)
        tables.append(asked)
        demand_same_kind(asked.labels, own.labels, what=f"label column {label!r} of {asked.source} and {own.source}")
        splits = {"": (own.frame, asked.frame)}
    source = (
        _Classifier(classifier, fit) if predictions is None else _given(tables, predictions, probabilities, options)
    )
    identity, made = id or folder.name, []
    with new_folder(folder) as place:
        for suffix, (cases, rows) in splits.items():
            task, truth = source.problem(cases, rows, [*own.features, label], label)
            made.append((task, truth))
            known: Tags = {"classifier": source.name, "origin": "table", "classes": len(task.classes)}
            accuracy = round(float((task.predicted == truth.labels).mean()), 4)
            name, target = (f"{identity}-{suffix}", place / suffix) if suffix else (identity, place)
            write_problem(target, id=name, task=task, truth=truth, tags={**known, "accuracy": accuracy, **(tags or {})})
        problems, scores = check_problems("cases", place)
    facts, warnings = _described(made, tables[0].labels)
    return NewProblem(
        track="cases",
        folder=folder,
        problems=tuple(problem.id for problem in problems),
        facts=facts,
        warnings=(*source.warnings, *warnings),
        notes=own.notes,
        tables=tuple(each.reading for each in tables),
        oracle=scores,
        subjects=("max-probability", "correspondence"),
    )


@dataclass(frozen=True, slots=True)
class _Labelled:
    """A table with its features and labels; rows of several tables have different numbers."""

    reading: TableReading
    frame: pd.DataFrame
    features: list[str]
    labels: LabelArray
    notes: tuple[str, ...]

    @property
    def source(self) -> str:
        return self.reading.source


def _read(
    reading: TableReading,
    label: str,
    *,
    keep: Sequence[str] = (),
    aside: Sequence[str] = (),
    like: _Labelled | None = None,
) -> _Labelled:
    """Features and label, with the columns to set aside; as in another table, where one is given."""
    demand_columns(reading, [label], kind="label column")
    if like is None:
        demand_columns(reading, keep)
        beside = [name for name in aside if name in reading.frame.columns]
        found = reading.features(label=label, keep=keep, ignore=beside)
        names, notes, first = list(found.frame.columns), found.notes, 0
    else:
        names, notes, first = like.features, (), len(like.frame)
        demand_columns(reading, names)
        beside = [name for name in reading.frame.columns if name not in (*names, label)]
    if not names:
        left_out = " ".join(notes)
        raise InvalidInput(f"{reading.source}: there is no feature column beside {label!r}. {left_out}".rstrip())
    labels = _labels(reading, label)
    if like is None:
        demand_classes(labels, what=f"{reading.source}: label column {label!r}")
    frame = reading.frame[[*names, *beside]].assign(**{label: labels})
    return _Labelled(reading, frame.set_axis(range(first, first + len(frame))), names, labels, notes)


def _labels(reading: TableReading, label: str) -> LabelArray:
    column = reading.classes(label)
    _demand_filled(column, f"{reading.source}: column {label!r}")
    return as_labels(column, what=f"{reading.source}, column {label!r}")


def _demand_filled(column: pd.Series[Any], what: str) -> None:
    missing = column.isna().to_numpy()
    if missing.any():
        raise InvalidInput(
            f"{what} is empty in {counted(int(missing.sum()), 'row')}, the first is row {int(missing.argmax()) + 1}. "
            "Fill or remove them."
        )


def _split_rows(
    own: _Labelled, folds: int | None, holdout: float, seed: int
) -> dict[str, tuple[pd.DataFrame, pd.DataFrame]]:
    """Training rows and queries, by what is added to the problem's id; each class is spread evenly."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(own.labels))
    members = [order[own.labels[order] == name] for name in np.unique(own.labels)]
    if folds is not None:
        demand_whole(folds, "folds", least=2)
        rarest = min(members, key=len)
        if len(rarest) < folds:
            name = own.labels[rarest[0]].item()
            raise InvalidInput(
                f"{own.source}: class {name!r} has {counted(len(rarest), 'row')}, too few for {folds} folds."
            )
        parts = {f"fold-{fold + 1}": np.concatenate([rows[fold::folds] for rows in members]) for fold in range(folds)}
    else:
        demand_fraction(holdout, "holdout")
        parts = {"": np.concatenate([rows[: round(holdout * len(rows))] for rows in members])}
        if not len(parts[""]):
            raise InvalidInput(
                f"{own.source}: of {counted(len(order), 'row')} none is left to predict; give more rows, or query rows."
            )
    chosen = {name: np.isin(np.arange(len(order)), rows) for name, rows in parts.items()}
    return {name: (own.frame[~asked], own.frame[asked]) for name, asked in chosen.items()}


class _Classifier:
    """Predictions of a classifier that is trained on the training rows of each problem, or fitted already."""

    warnings: tuple[str, ...] = ()

    def __init__(self, classifier: Any, fit: bool) -> None:
        self._classifier, self._fit = classifier, fit
        self.name = classifier if isinstance(classifier, str) else type(classifier).__name__

    def problem(
        self, cases: pd.DataFrame, rows: pd.DataFrame, columns: list[str], label: str
    ) -> tuple[CasesTask, CasesTruth]:
        model = self._classifier
        if isinstance(model, str):
            model = make_classifier(model, cases[columns].drop(columns=label))
        elif self._fit:
            from sklearn.base import clone

            model = clone(model, safe=False)
        return problem_from_table(cases[columns], rows[columns], label=label, model=model, fit=self._fit)


class _Given:
    """Predictions from a column, in the manner of a fitted classifier; rows are found by their number."""

    name = "given"

    def __init__(self, predicted: pd.Series[Any], probabilities: pd.DataFrame, warnings: tuple[str, ...]) -> None:
        self._predicted, self._probabilities = predicted, probabilities
        self.classes_ = np.array(probabilities.columns)
        self.warnings = warnings

    def predict(self, rows: pd.DataFrame) -> Any:
        return self._predicted.reindex(rows.index, fill_value=self.classes_[0]).to_numpy()

    def predict_proba(self, rows: pd.DataFrame) -> FloatArray:
        return self._probabilities.loc[rows.index].to_numpy()

    def problem(
        self, cases: pd.DataFrame, rows: pd.DataFrame, columns: list[str], label: str
    ) -> tuple[CasesTask, CasesTruth]:
        task, truth = problem_from_table(cases[columns], rows[columns], label=label, model=self, fit=False)
        known = cases.index.isin(self._predicted.index).all()
        return task if known else replace(task, train_predicted=None), truth


def _given(
    tables: Sequence[_Labelled], predictions: str, probabilities: Sequence[str], options: TableOptions
) -> _Given:
    """The predictions of the rows that are asked for, and of the training rows where they have the column."""
    import pandas as pd

    asked = tables[-1]
    demand_columns(asked.reading, [predictions], kind="column of predictions")
    within = [table for table in tables if predictions in table.frame.columns]
    columns = []
    for table in within:
        said = _labels(table.reading, predictions)
        demand_same_kind(said, table.labels, what=f"{table.source}, predictions {predictions!r} and the labels")
        columns.append(pd.Series(said, index=table.frame.index))
    predicted = pd.concat(columns)
    labels = np.unique(np.concatenate([table.labels for table in tables]))
    by_class = _probability_columns(asked, probabilities, labels, options)
    outside = sorted({*predicted.tolist()} - {*labels.tolist(), *by_class})
    if outside:
        raise InvalidInput(
            f"{asked.source}: column {predictions!r} predicts {outside[0]!r}, which is none of the labels "
            f"{listed(labels.tolist())}."
        )
    if by_class:
        what = f"{asked.source}, columns {listed(by_class.values())}"
        matrix = as_probability_rows(
            asked.frame[list(by_class.values())].to_numpy(dtype=np.float64, na_value=np.nan),
            (len(asked.frame), len(by_class)),
            what=what,
        )
        shares = pd.DataFrame(matrix, index=asked.frame.index, columns=list(by_class))
        unlike = int((shares.idxmax(axis=1) != predicted.loc[asked.frame.index]).sum())
        warnings = (f"{counted(unlike, 'prediction')} differ from the class with the largest probability.",)
        warnings = warnings if unlike else ()
    else:
        shares = pd.DataFrame(
            {name: (predicted.loc[asked.frame.index] == name).astype(np.float64) for name in labels.tolist()}
        )
        warnings = (
            "there are no probabilities: every prediction counts as certain, and subjects that rest on them, such as "
            f"max-probability, can tell nothing. Give them: {options.remedy('probabilities', 'CLASS=COLUMN')}.",
        )
    return _Given(predicted, shares, warnings)


def _probability_columns(
    asked: _Labelled, given: Sequence[str], labels: LabelArray, options: TableOptions
) -> dict[Any, str]:
    """The column of each class: named, or told by how the column's name ends."""
    if not given:
        return {}
    classes = {str(name): name for name in labels.tolist()}
    names, by_class = [str(name) for name in asked.frame.columns], {}
    for entry in given:
        column, wanted = entry, ""
        if entry not in names and "=" in entry:
            wanted, _, column = entry.partition("=")
        demand_columns(asked.reading, [column], kind="column of probabilities")
        ends = [text for text in classes if re.search(rf"(^|[^0-9A-Za-z]){re.escape(text)}\W*$", column)]
        wanted = wanted or max(ends, key=len, default="")
        if not wanted:
            example = options.remedy("probabilities", f"{next(iter(classes))}={column}")
            raise InvalidInput(
                f"{asked.source}: the name of column {column!r} ends with none of the classes {listed(classes)}. Say "
                f"which it is, as in {example}."
            )
        name = classes.get(wanted, int(wanted) if labels.dtype.kind in "iu" and wanted.isdigit() else wanted)
        if name in by_class:
            raise InvalidInput(
                f"{asked.source}: {by_class[name]!r} and {column!r} both hold probabilities of {name!r}."
            )
        by_class[name] = column
    absent = [name for name in labels.tolist() if name not in by_class]
    if absent:
        raise InvalidInput(
            f"{asked.source}: no column holds the probabilities of class {absent[0]!r}; give one per class."
        )
    return by_class


def _described(made: Sequence[tuple[CasesTask, CasesTruth]], labels: LabelArray) -> tuple[dict[str, Json], list[str]]:
    """Sizes over all problems, and what is thin about them."""
    queries = sum(len(truth.labels) for _, truth in made)
    cases = min(len(task.train_y) for task, _ in made)
    errors = [int((task.predicted != truth.labels).sum()) for task, truth in made]
    first = made[0][0]
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
        where = "" if len(made) == 1 else f"in {errors.count(0)} of {len(made)} problems: "
        warnings.append(f"{where}without a single wrong prediction there is nothing to tell apart; auroc is undefined.")
    elif max(errors) == queries:
        warnings.append("every prediction is wrong: auroc is undefined. Do predictions and labels use the same names?")
    elif sum(errors) < _FEW_ERRORS:
        warnings.append(f"{counted(sum(errors), 'wrong prediction')} in all: scores rest on these few.")
    names, counts = np.unique(labels, return_counts=True)
    for name in names[counts == 1].tolist():
        warnings.append(f"the label {name!r} stands in one row only.")
    unseen = sorted({*np.unique(made[0][1].labels).tolist()} - {*np.unique(first.train_y).tolist()}, key=str)
    if unseen:
        warnings.append(f"no training case has the label {unseen[0]!r}, which queries have.")
    return facts, warnings
