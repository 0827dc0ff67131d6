"""Problems of the cases track: a classifier's predictions to be trusted or doubted, and the labels that decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from assay.cases.answer.answer import CasesAnswer, decode, encode
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
from assay.core.files import write_json
from assay.intake.arrays import read_npz, write_npz

__all__ = [
    "CasesAnswer",
    "CasesEvidence",
    "CasesTask",
    "CasesTruth",
    "decode",
    "encode",
    "load",
    "write_problem",
]

_TRACK = "cases"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CasesTask:
    """Training cases with labels, and queries with what a classifier said of them; all labels are values of classes.

    ``train_predicted`` is what the classifier says of its own training cases. ``twins`` names, for some queries, the
    row of a slightly perturbed copy with the same predicted class, else -1. Both are None where a problem has none.
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CasesTruth:
    """The true classes of the queries, and what was planted: queries from elsewhere, changed training labels."""

    labels: LabelArray
    ood: BoolArray | None = None  # per query
    mislabelled: BoolArray | None = None  # per training case


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CasesEvidence:
    """Scores beside what they should have known: which predictions are wrong.

    Perturbed copies of queries count for stability only: they stand in ``twin_neighbors`` and nowhere else. All that
    concerns neighbours is computed from the cases that the answer names; None when it names none, or where the problem
    lacks what is needed.
    """

    scores: FloatArray
    wrong: BoolArray
    correspondence: FloatArray | None = None
    neighbors: IntArray | None = None
    exact_neighbors: IntArray | None = None  # the truly nearest, equally many
    neighbor_labels: LabelArray | None = None
    neighbor_distances: FloatArray | None = None  # per query, mean distance between two of its neighbours
    predicted: LabelArray | None = None
    neighbor_predictions: LabelArray | None = None
    twin_neighbors: tuple[IntArray, IntArray] | None = None  # of the queries that have a twin, and of their twins
    unfamiliarity: FloatArray | None = None
    ood: BoolArray | None = None
    suspicion: FloatArray | None = None
    mislabelled: BoolArray | None = None


def load(folder: Path) -> Problem[CasesTask, CasesTruth]:
    """Read and check one problem folder."""
    folder = Path(folder)
    manifest = read_manifest(folder, track=_TRACK)
    train = read_npz(folder / "train.npz", "X", "y", optional=("predicted",))
    queries = read_npz(folder / "queries.npz", "X", "predicted", "probabilities", optional=("twins",))
    held = read_npz(folder / "truth" / "labels.npz", "labels", optional=("ood", "mislabelled"))
    task, truth = _checked(
        train_X=train["X"],
        train_y=train["y"],
        query_X=queries["X"],
        predicted=queries["predicted"],
        probabilities=queries["probabilities"],
        train_predicted=train.get("predicted"),
        twins=queries.get("twins"),
        labels=held["labels"],
        ood=held.get("ood"),
        mislabelled=held.get("mislabelled"),
        classes=manifest.content.get("classes"),
        feature_names=manifest.content.get("feature_names"),
        where=f"problem {manifest.id!r} ({folder})",
    )
    return Problem(id=manifest.id, digest=manifest.digest, task=task, truth=truth, tags=manifest.tags)


def write_problem(folder: Path, *, id: str, task: CasesTask, truth: CasesTruth, tags: Tags) -> None:
    """Write one problem folder, checked as when it is read; the same problem gives the same bytes."""
    folder = Path(folder)
    task, truth = _checked(
        train_X=task.train_X,
        train_y=task.train_y,
        query_X=task.query_X,
        predicted=task.predicted,
        probabilities=task.probabilities,
        train_predicted=task.train_predicted,
        twins=task.twins,
        labels=truth.labels,
        ood=truth.ood,
        mislabelled=truth.mislabelled,
        classes=list(task.classes),
        feature_names=list(task.feature_names),
        where=f"problem {id!r} ({folder})",
    )
    manifest: dict[str, Json] = {
        "id": id,
        "track": _TRACK,
        "tags": dict(tags),
        "classes": list(task.classes),
        "feature_names": list(task.feature_names),
    }
    (folder / "truth").mkdir(parents=True, exist_ok=True)
    write_json(folder / "problem.json", manifest)
    _write(folder / "train.npz", {"X": task.train_X, "y": task.train_y, "predicted": task.train_predicted})
    queries = {"X": task.query_X, "predicted": task.predicted, "probabilities": task.probabilities}
    _write(folder / "queries.npz", {**queries, "twins": task.twins})
    planted = {"ood": truth.ood, "mislabelled": truth.mislabelled}
    _write(folder / "truth" / "labels.npz", {"labels": truth.labels, **planted})


def _write(path: Path, arrays: Mapping[str, AnyArray | None]) -> None:
    """The arrays that there are, by name: their order must not change a byte."""
    write_npz(path, {name: array for name, array in sorted(arrays.items()) if array is not None})


def _checked(
    *,
    train_X: object,
    train_y: object,
    query_X: object,
    predicted: object,
    probabilities: object,
    train_predicted: object,
    twins: object,
    labels: object,
    ood: object,
    mislabelled: object,
    classes: object,
    feature_names: object,
    where: str,
) -> tuple[CasesTask, CasesTruth]:
    """A task and its truth that agree with each other, or an error that says where they do not."""
    train, queries, truth = f"{where}, train.npz", f"{where}, queries.npz", f"{where}, truth/labels.npz"
    cases = as_matrix(train_X, what=f"{train}, array 'X'")
    rows = as_matrix(query_X, what=f"{queries}, array 'X'")
    if not len(cases) or not len(rows):
        raise InvalidInput(f"{train if not len(cases) else queries}, array 'X': is empty; give at least one row.")
    if cases.shape[1] != rows.shape[1]:
        raise InvalidInput(
            f"{queries}, array 'X': has {rows.shape[1]} features, train.npz has {cases.shape[1]}; they must agree."
        )
    y = _column(train_y, len(cases), what=f"{train}, array 'y'")
    known = _classes(classes, y, where=where)
    said = _column(predicted, len(rows), what=f"{queries}, array 'predicted'")
    true = _column(labels, len(rows), what=f"{truth}, array 'labels'")
    own = None
    if train_predicted is not None:
        own = _column(train_predicted, len(cases), what=f"{train}, array 'predicted'")
    checked = [(y, f"{train}, array 'y'"), (said, f"{queries}, array 'predicted'"), (true, truth)]
    for given, what in (*checked, *([] if own is None else [(own, f"{train}, array 'predicted'")])):
        demand_same_kind(given, known, what=f"{what} and 'classes' of problem.json")
        outside = given[~np.isin(given, known)]
        if outside.size:
            raise InvalidInput(
                f"{what}: {outside[0].item()!r} is not one of the classes {listed(known.tolist())}. "
                "List it under 'classes' in problem.json, or correct the array."
            )
    task = CasesTask(
        train_X=cases,
        train_y=y,
        query_X=rows,
        predicted=said,
        probabilities=as_probability_rows(
            probabilities, (len(rows), len(known)), what=f"{queries}, array 'probabilities'"
        ),
        classes=tuple(known.tolist()),
        feature_names=_feature_names(feature_names, cases.shape[1], where=where),
        train_predicted=own,
        twins=None if twins is None else _twins(twins, said, what=f"{queries}, array 'twins'"),
    )
    return task, CasesTruth(
        labels=true,
        ood=None if ood is None else _flags(ood, len(rows), what=f"{truth}, array 'ood'"),
        mislabelled=None
        if mislabelled is None
        else _flags(mislabelled, len(cases), what=f"{truth}, array 'mislabelled'"),
    )


def _twins(values: object, predicted: LabelArray, *, what: str) -> IntArray:
    """Rows of perturbed copies: each of one query, of the same predicted class, itself without a twin."""
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


def _flags(values: object, count: int, *, what: str) -> BoolArray:
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
    known = as_labels(classes, what=what)
    if len(np.unique(known)) != len(known):
        raise InvalidInput(f"{what}: names a class twice: {listed(classes)}.")
    return known


def _feature_names(names: Any, count: int, *, where: str) -> tuple[str, ...]:
    if names is None:
        return tuple(f"x{feature}" for feature in range(count))
    if not isinstance(names, list) or len(names) != count or not all(isinstance(name, str) for name in names):
        raise InvalidInput(f"{where}, problem.json, 'feature_names': must be a list of {count} texts, got {names!r}.")
    return tuple(names)
