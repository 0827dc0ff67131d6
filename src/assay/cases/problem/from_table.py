"""Problems from tables: any frame or CSV with a label column, and a classifier in the manner of scikit-learn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from assay.cases.neighbors.checks import LabelArray, as_labels, demand_same_kind, listed
from assay.cases.problem.reading import read_table
from assay.cases.problem.table_encoding import fit_table_encoding
from assay.cases.problem.task import CasesTask, CasesTruth, write_problem
from assay.cases.problem.training import demand_classifier, train_model
from assay.core import InvalidInput, Tags
from assay.core.errors import suggest
from assay.intake.models import demand_classes

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Table", "problem_from_table", "write_problem_from_frames"]

Table: TypeAlias = "pd.DataFrame | Path | str"


def problem_from_table(
    train: Table, queries: Table, *, label: str, model: Any, fit: bool = True
) -> tuple[CasesTask, CasesTruth]:
    """A task and its truth: the classifier's predictions on the queries, with the training rows as its cases.

    The task holds numbers: numeric and boolean columns as they are, missing values filled by the median of the training
    rows; every other column one-hot by the categories of the training rows, in sorted order, where missing is a
    category of its own and a category that training never saw is all zero.

    Parameters
    ----------
    train, queries : data frame, or path of a CSV or Parquet file
        Both need the label column.
    label : str
        The column of true classes.
    model : classifier with predict and predict_proba
        Gets the other columns as they are, as data frames.
    fit : bool, default True
        Train the model on the training rows first.

    Returns
    -------
    tuple of CasesTask and CasesTruth
        Write them with :func:`write_problem`.

    Raises
    ------
    InvalidInput
        When a column or a method of the model is missing, or the model cannot be trained on these columns.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.dummy import DummyClassifier
    >>> train = pd.DataFrame({"size": [1.0, 2.0], "colour": ["red", "blue"], "kind": ["a", "b"]})
    >>> task, truth = problem_from_table(train, train, label="kind", model=DummyClassifier())
    >>> task.feature_names, task.train_X.tolist(), task.predicted.tolist()
    (('size', 'colour=blue', 'colour=red'), [[1.0, 0.0, 1.0], [2.0, 1.0, 0.0]], ['a', 'a'])
    """
    train_frame, query_frame = _read(train, what="train"), _read(queries, what="queries")
    train_y, labels = _labels(train_frame, label, what="train"), _labels(query_frame, label, what="queries")
    if fit:
        demand_classes(train_y, what=f"train: label column {label!r}")
    demand_same_kind(labels, train_y, what=f"label column {label!r} of queries and train")
    cases, rows = train_frame.drop(columns=label), query_frame.drop(columns=label)
    missing = [str(name) for name in cases.columns if name not in rows.columns]
    if missing:
        raise InvalidInput(f"queries: column {missing[0]!r} of train is missing. Columns: {listed(rows.columns)}.")
    rows = rows[list(cases.columns)]  # by name: the order of the columns in a file means nothing
    if not len(cases.columns):
        raise InvalidInput(f"train: has no column besides the label {label!r}; there is nothing to compare.")
    model = _fitted(model, cases, train_y, fit=fit)
    encoding = fit_table_encoding(cases)
    train_X, query_X = encoding.numbers(cases, what="train"), encoding.numbers(rows, what="queries")
    predicted = as_labels(model.predict(rows), what="the model's predictions")
    train_predicted = as_labels(model.predict(cases), what="the model's predictions on train")
    model_classes = as_labels(model.classes_, what="the model's classes")
    demand_same_kind(model_classes, train_y, what="the model's classes_ and training labels", model=model)
    classes = np.unique(np.concatenate([model_classes, train_y, labels]))
    probabilities = np.zeros((len(rows), len(classes)))
    probabilities[:, np.searchsorted(classes, model_classes)] = model.predict_proba(rows)
    task = CasesTask(
        train_X=train_X,
        train_y=train_y,
        query_X=query_X,
        predicted=predicted,
        probabilities=probabilities,
        classes=tuple(classes.tolist()),
        feature_names=encoding.names,
        train_predicted=train_predicted,
    )
    return task, CasesTruth(labels=labels)


def write_problem_from_frames(
    folder: str | Path,
    train: Table,
    queries: Table,
    *,
    label: str,
    model: Any,
    fit: bool = True,
    id: str | None = None,
    tags: Tags | None = None,
) -> None:
    """Write the problem of :func:`problem_from_table` into a folder.

    Parameters
    ----------
    folder : str or Path
        Is created.
    train, queries : data frame, or path of a CSV or Parquet file
        Both need the label column.
    label : str
        The column of true classes.
    model : classifier with predict and predict_proba
        Gets the other columns as they are.
    fit : bool, default True
        Train the model on the training rows first.
    id : str, optional
        The folder's name by default.
    tags : mapping, optional
        Added to classifier, accuracy and number of classes.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> from sklearn.dummy import DummyClassifier
    >>> from assay.cases import load
    >>> rows = pd.DataFrame({"size": [1.0, 2.0], "kind": ["a", "b"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_problem_from_frames(f"{folder}/mine", rows, rows, label="kind", model=DummyClassifier())
    ...     load(f"{folder}/mine").tags["classifier"]
    'DummyClassifier'
    """
    task, truth = problem_from_table(train, queries, label=label, model=model, fit=fit)
    accuracy = round(float((task.predicted == truth.labels).mean()), 4)
    facts: dict[str, str | float] = {"classifier": _name(model), "accuracy": accuracy, "classes": len(task.classes)}
    folder = Path(folder)
    write_problem(folder, id=id or folder.name, task=task, truth=truth, tags={**facts, **(tags or {})})


def _read(table: Table, *, what: str) -> pd.DataFrame:
    import pandas as pd

    frame = table if isinstance(table, pd.DataFrame) else read_table(Path(table))
    if not len(frame):
        raise InvalidInput(f"{what}: has no rows; give at least one.")
    twice = frame.columns[frame.columns.duplicated()]
    if len(twice):
        raise InvalidInput(f"{what}: two columns are called {str(twice[0])!r}; names must differ.")
    return frame


def _labels(frame: pd.DataFrame, label: str, *, what: str) -> LabelArray:
    if label not in frame.columns:
        names = [str(name) for name in frame.columns]
        raise InvalidInput(f"{what}: there is no label column {label!r}. {suggest(label, names)}")
    return as_labels(frame[label], what=f"{what}, label column {label!r}")


def _fitted(model: Any, cases: pd.DataFrame, y: LabelArray, *, fit: bool) -> Any:
    demand_classifier(model, what="model")
    for method in ("predict_proba", *(["fit"] if fit else [])):
        if not callable(getattr(model, method, None)):
            raise InvalidInput(
                f"model: {type(model).__name__} has no {method}(); a classifier with probabilities is needed."
            )
    if not fit:
        if not hasattr(model, "classes_"):
            raise InvalidInput(f"model: {type(model).__name__} is not fitted (no classes_). Fit it, or say fit=True.")
        return model
    return train_model(model, cases, y, what=f"model: {type(model).__name__}")


def _name(model: Any) -> str:
    """The classifier's own name, also at the end of a pipeline."""
    steps = getattr(model, "steps", None)
    return type(steps[-1][1] if steps else model).__name__
