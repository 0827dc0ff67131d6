"""Problems of the cases track: a classifier's predictions to be trusted or doubted, and the labels that decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from assay.cases.neighbors.checks import (
    FloatArray,
    IntArray,
    Label,
    LabelArray,
    as_labels,
    as_matrix,
    as_probability_rows,
    demand_same_kind,
    listed,
)
from assay.core import InvalidInput, Json, Problem, Tags, read_manifest
from assay.core.arrays import AnyArray, BoolArray
from assay.core.display import counted
from assay.core.files.text import write_json
from assay.intake.arrays import read_npz, write_npz

__all__ = ["CasesTask", "CasesTruth", "load", "write_problem"]

Arrays: TypeAlias = Mapping[str, AnyArray | None]

_TRACK = "cases"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CasesTask:
    """What a subject of the cases track sees: labelled training cases, and queries with what a classifier said of them.

    Parameters
    ----------
    train_X : array of shape (cases, features)
        The training cases.
    train_y : array of one class per case
        Their labels.
    query_X : array of shape (n, features)
        The queries.
    predicted : array of n classes
        What the classifier said.
    probabilities : array of shape (n, classes)
        Columns in the order of ``classes``.
    classes : tuple
        All classes; every label is one of them.
    feature_names : tuple of str
        One per column.
    train_predicted : array of one class per case, optional
        What the classifier says of its own training cases.
    twins : array of n row numbers, optional
        For some queries the row of a slightly perturbed copy with the same predicted class, else -1.

    Examples
    --------
    >>> task = CasesTask(
    ...     train_X=np.array([[0.0], [1.0]]),
    ...     train_y=np.array(["a", "b"]),
    ...     query_X=np.array([[0.2]]),
    ...     predicted=np.array(["a"]),
    ...     probabilities=np.array([[0.8, 0.2]]),
    ...     classes=("a", "b"),
    ...     feature_names=("size",),
    ... )
    >>> task
    CasesTask(2 cases, 1 query, 1 feature, 2 classes)
    """

    train_X: FloatArray  # noqa: N815
    train_y: LabelArray
    query_X: FloatArray  # noqa: N815
    predicted: LabelArray
    probabilities: FloatArray  # [queries, classes], columns in the order of ``classes``
    classes: tuple[Label, ...]
    feature_names: tuple[str, ...]
    train_predicted: LabelArray | None = None
    twins: IntArray | None = None

    def __repr__(self) -> str:
        cases, queries = counted(len(self.train_y), "case"), counted(len(self.predicted), "query")
        features, classes = counted(len(self.feature_names), "feature"), counted(len(self.classes), "class")
        return f"CasesTask({cases}, {queries}, {features}, {classes})"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CasesTruth:
    """What only examination sees of a problem: the true classes, and what was planted.

    Parameters
    ----------
    labels : array of n classes
        The true classes of the queries.
    ood : array of n booleans, optional
        Which queries come from elsewhere.
    mislabelled : array of one boolean per training case, optional
        Which training labels were changed.

    Examples
    --------
    >>> CasesTruth(labels=np.array(["a", "b"]), ood=np.array([False, True])).ood.sum()
    np.int64(1)
    """

    labels: LabelArray
    ood: BoolArray | None = None  # per query
    mislabelled: BoolArray | None = None  # per training case

    def __repr__(self) -> str:
        planted = [name for name in ("ood", "mislabelled") if getattr(self, name) is not None]
        return f"CasesTruth({counted(len(self.labels), 'query')}{''.join(f', {name}' for name in planted)})"


def load(folder: str | Path) -> Problem[CasesTask, CasesTruth]:
    """Read and check one problem folder.

    Parameters
    ----------
    folder : str or Path
        With ``problem.json``, ``train.npz``, ``queries.npz`` and ``truth/labels.npz``.

    Returns
    -------
    Problem
        Of a :class:`CasesTask` and a :class:`CasesTruth`.

    Raises
    ------
    InvalidInput
        When a file is missing, damaged or does not fit the others; the message names it.

    Examples
    --------
    >>> import tempfile
    >>> from assay.cases import generate
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     generate(folder, problems=1, seed=1, cases=40, queries=30)
    ...     load(f"{folder}/generated-1-000").task
    CasesTask(40 cases, 30 queries, 6 features, 3 classes)
    """
    folder = Path(folder)
    manifest = read_manifest(folder, track=_TRACK)
    task, truth = _checked(
        read_npz(folder / "train.npz", "X", "y", optional=("predicted",)),
        read_npz(folder / "queries.npz", "X", "predicted", "probabilities", optional=("twins",)),
        read_npz(folder / "truth" / "labels.npz", "labels", optional=("ood", "mislabelled")),
        manifest.content,
        where=f"problem {manifest.id!r} ({folder})",
    )
    return Problem(id=manifest.id, digest=manifest.digest, task=task, truth=truth, tags=manifest.tags, track=_TRACK)


def write_problem(folder: str | Path, *, id: str, task: CasesTask, truth: CasesTruth, tags: Tags) -> None:
    """Write one problem folder, checked as when it is read; the same problem gives the same bytes.

    Parameters
    ----------
    folder : str or Path
        Is created.
    id : str
        The id of the problem.
    task : CasesTask
        What a subject sees.
    truth : CasesTruth
        What only examination sees; written under ``truth/``.
    tags : mapping
        Texts or numbers by name, for grouped statistics.

    Raises
    ------
    InvalidInput
        When task and truth do not fit together.

    Examples
    --------
    >>> import tempfile
    >>> task = CasesTask(
    ...     train_X=np.array([[0.0], [1.0]]),
    ...     train_y=np.array(["a", "b"]),
    ...     query_X=np.array([[0.2]]),
    ...     predicted=np.array(["a"]),
    ...     probabilities=np.array([[0.8, 0.2]]),
    ...     classes=("a", "b"),
    ...     feature_names=("size",),
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_problem(f"{folder}/mine", id="mine", task=task, truth=CasesTruth(labels=np.array(["b"])), tags={})
    ...     load(f"{folder}/mine").truth.labels.tolist()
    ['b']
    """
    folder = Path(folder)
    names = {"classes": list(task.classes), "feature_names": list(task.feature_names)}
    task, truth = _checked(*_arrays(task, truth), names, where=f"problem {id!r} ({folder})")
    manifest: dict[str, Json] = {
        "id": id,
        "track": _TRACK,
        "tags": dict(tags),
        "classes": list(task.classes),
        "feature_names": list(task.feature_names),
    }
    train, queries, hidden = _arrays(task, truth)
    (folder / "truth").mkdir(parents=True, exist_ok=True)
    write_json(folder / "problem.json", manifest)
    _write(folder / "train.npz", train)
    _write(folder / "queries.npz", queries)
    _write(folder / "truth" / "labels.npz", hidden)


def _arrays(task: CasesTask, truth: CasesTruth) -> tuple[Arrays, Arrays, Arrays]:
    """What stands in train.npz, queries.npz and truth/labels.npz; None for what a problem does not have."""
    return (
        {"X": task.train_X, "y": task.train_y, "predicted": task.train_predicted},
        {"X": task.query_X, "predicted": task.predicted, "probabilities": task.probabilities, "twins": task.twins},
        {"labels": truth.labels, "ood": truth.ood, "mislabelled": truth.mislabelled},
    )


def _write(path: Path, arrays: Arrays) -> None:
    """The arrays that there are, by name: their order must not change a byte."""
    write_npz(path, {name: array for name, array in sorted(arrays.items()) if array is not None})


def _checked(
    train: Arrays, queries: Arrays, hidden: Arrays, manifest: Mapping[str, Any], *, where: str
) -> tuple[CasesTask, CasesTruth]:
    """A task and its truth that agree with each other, or an error that says where they do not."""
    train_file, query_file, truth_file = f"{where}, train.npz", f"{where}, queries.npz", f"{where}, truth/labels.npz"
    cases = as_matrix(train["X"], what=f"{train_file}, array 'X'")
    rows = as_matrix(queries["X"], what=f"{query_file}, array 'X'")
    if not len(cases) or not len(rows):
        empty = query_file if len(cases) else train_file
        raise InvalidInput(f"{empty}, array 'X': is empty; give at least one row.")
    if cases.shape[1] != rows.shape[1]:
        raise InvalidInput(
            f"{query_file}, array 'X': has {rows.shape[1]} features, train.npz has {cases.shape[1]}; they must agree."
        )
    y = _column(train["y"], len(cases), what=f"{train_file}, array 'y'")
    classes = _classes(manifest.get("classes"), y, where=where)
    predicted = _column(queries["predicted"], len(rows), what=f"{query_file}, array 'predicted'")
    true = _column(hidden["labels"], len(rows), what=f"{truth_file}, array 'labels'")
    checked = [(y, f"{train_file}, array 'y'"), (predicted, f"{query_file}, array 'predicted'"), (true, truth_file)]
    train_predicted = None
    if train.get("predicted") is not None:
        train_predicted = _column(train.get("predicted"), len(cases), what=f"{train_file}, array 'predicted'")
        checked.append((train_predicted, f"{train_file}, array 'predicted'"))
    for labels, what in checked:
        demand_same_kind(labels, classes, what=f"{what} and 'classes' of problem.json")
        outside = labels[~np.isin(labels, classes)]
        if outside.size:
            raise InvalidInput(
                f"{what}: {outside[0].item()!r} is not one of the classes {listed(classes.tolist())}. "
                "List it under 'classes' in problem.json, or correct the array."
            )
    shape = len(rows), len(classes)
    task = CasesTask(
        train_X=cases,
        train_y=y,
        query_X=rows,
        predicted=predicted,
        probabilities=as_probability_rows(queries["probabilities"], shape, what=f"{query_file}, array 'probabilities'"),
        classes=tuple(classes.tolist()),
        feature_names=_feature_names(manifest.get("feature_names"), cases.shape[1], where=where),
        train_predicted=train_predicted,
        twins=_twins(queries.get("twins"), predicted, what=f"{query_file}, array 'twins'"),
    )
    return task, CasesTruth(
        labels=true,
        ood=_flags(hidden.get("ood"), len(rows), what=f"{truth_file}, array 'ood'"),
        mislabelled=_flags(hidden.get("mislabelled"), len(cases), what=f"{truth_file}, array 'mislabelled'"),
    )


def _twins(values: AnyArray | None, predicted: LabelArray, *, what: str) -> IntArray | None:
    """Rows of perturbed copies: each of one query, of the same predicted class, itself without a twin."""
    if values is None:
        return None
    twins = np.asarray(values)
    count = len(predicted)
    if twins.shape != (count,) or twins.dtype.kind not in "iu" or twins.max() >= count or twins.min() < -1:
        raise InvalidInput(f"{what}: must hold a row number from 0 to {count - 1}, or -1, for each of {count} queries.")
    twins = twins.astype(np.int64)
    of = np.flatnonzero(twins >= 0)
    copies = twins[of]
    if len(np.unique(copies)) != len(copies) or (twins[copies] >= 0).any():
        raise InvalidInput(f"{what}: a perturbed copy must belong to exactly one query and have no twin itself.")
    changed = of[predicted[of] != predicted[copies]]
    if len(changed):
        row = int(changed[0])
        raise InvalidInput(
            f"{what}: query {row} and its twin {twins[row]} have different predicted classes "
            f"({predicted[row].item()!r} and {predicted[twins[row]].item()!r}); leave such pairs out."
        )
    return twins


def _flags(values: AnyArray | None, count: int, *, what: str) -> BoolArray | None:
    if values is None:
        return None
    flags = np.asarray(values)
    if flags.shape != (count,) or flags.dtype.kind != "b":
        raise InvalidInput(
            f"{what}: must hold True or False for each of {count} rows, got {flags.dtype} {flags.shape}."
        )
    return flags


def _column(values: object, length: int, *, what: str) -> LabelArray:
    labels = as_labels(values, what=what)
    if len(labels) != length:
        raise InvalidInput(f"{what}: has {len(labels)} entries for {length} rows of X; give one per row.")
    return labels


def _classes(classes: object, y: LabelArray, *, where: str) -> LabelArray:
    if classes is None:
        return np.unique(y)
    what = f"{where}, problem.json, 'classes'"
    if not isinstance(classes, list) or not classes:
        raise InvalidInput(f"{what}: must be a list of the class labels, got {classes!r}.")
    labels = as_labels(classes, what=what)
    if len(np.unique(labels)) != len(labels):
        raise InvalidInput(f"{what}: names a class twice: {listed(classes)}.")
    return labels


def _feature_names(names: Any, count: int, *, where: str) -> tuple[str, ...]:
    if names is None:
        return tuple(f"x{feature}" for feature in range(count))
    if not isinstance(names, list) or len(names) != count or not all(isinstance(name, str) for name in names):
        raise InvalidInput(f"{where}, problem.json, 'feature_names': must be a list of {count} texts, got {names!r}.")
    return tuple(names)
