"""Problems of the cases track: a classifier's predictions to be trusted or doubted, and the labels that decide."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.cases.answer import CasesAnswer, decode, encode
from assay.cases.checks import FloatArray, Label, LabelArray, as_labels, as_matrix, demand_same_kind, listed
from assay.cases.storage import read_arrays, write_arrays
from assay.core import InvalidInput, Json, Problem, Tags, read_manifest

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
_SUM_TOLERANCE = 1e-3  # probabilities are often stored rounded


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CasesTask:
    """Training cases with labels, and queries with what a classifier said of them; all labels are values of classes."""

    train_X: FloatArray  # noqa: N815
    train_y: LabelArray
    query_X: FloatArray  # noqa: N815
    predicted: LabelArray
    probabilities: FloatArray  # [queries, classes], columns in the order of ``classes``
    classes: tuple[Label, ...]
    feature_names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CasesTruth:
    """The true classes of the queries."""

    labels: LabelArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CasesEvidence:
    """Scores beside what they should have known: which predictions are wrong.

    ``correspondence`` is recomputed from the neighbours that the answer names; None when it names none.
    """

    scores: FloatArray
    wrong: npt.NDArray[np.bool_]
    correspondence: FloatArray | None = None


def load(folder: Path) -> Problem[CasesTask, CasesTruth]:
    """Read and check one problem folder."""
    folder = Path(folder)
    manifest = read_manifest(folder, track=_TRACK)
    train_X, train_y = read_arrays(folder / "train.npz", "X", "y")
    query_X, predicted, probabilities = read_arrays(folder / "queries.npz", "X", "predicted", "probabilities")
    (labels,) = read_arrays(folder / "truth" / "labels.npz", "labels")
    task, truth = _checked(
        train_X=train_X,
        train_y=train_y,
        query_X=query_X,
        predicted=predicted,
        probabilities=probabilities,
        labels=labels,
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
        labels=truth.labels,
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
    text = json.dumps(manifest, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    (folder / "problem.json").write_text(text + "\n", encoding="utf-8")
    write_arrays(folder / "train.npz", {"X": task.train_X, "y": task.train_y})
    write_arrays(
        folder / "queries.npz",
        {"X": task.query_X, "predicted": task.predicted, "probabilities": task.probabilities},
    )
    write_arrays(folder / "truth" / "labels.npz", {"labels": truth.labels})


def _checked(
    *,
    train_X: object,
    train_y: object,
    query_X: object,
    predicted: object,
    probabilities: object,
    labels: object,
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
    for given, what in ((y, f"{train}, array 'y'"), (said, f"{queries}, array 'predicted'"), (true, truth)):
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
        probabilities=_probabilities(probabilities, (len(rows), len(known)), what=f"{queries}, array 'probabilities'"),
        classes=tuple(known.tolist()),
        feature_names=_feature_names(feature_names, cases.shape[1], where=where),
    )
    return task, CasesTruth(labels=true)


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


def _probabilities(values: object, shape: tuple[int, int], *, what: str) -> FloatArray:
    probabilities = as_matrix(values, what=what)
    if probabilities.shape != shape:
        raise InvalidInput(
            f"{what}: has shape {probabilities.shape}, needed are {shape[0]} queries by {shape[1]} classes."
        )
    outside = (probabilities < 0) | (probabilities > 1)
    if outside.any():
        raise InvalidInput(f"{what}: {probabilities[outside][0]} is not between 0 and 1.")
    sums = probabilities.sum(axis=1)
    odd = np.abs(sums - 1) > _SUM_TOLERANCE
    if odd.any():
        raise InvalidInput(f"{what}: row {int(np.argmax(odd))} sums to {sums[odd][0]:.6g}, not to 1. Normalise it.")
    return probabilities


def _feature_names(names: Any, count: int, *, where: str) -> tuple[str, ...]:
    if names is None:
        return tuple(f"x{feature}" for feature in range(count))
    if not isinstance(names, list) or len(names) != count or not all(isinstance(name, str) for name in names):
        raise InvalidInput(f"{where}, problem.json, 'feature_names': must be a list of {count} texts, got {names!r}.")
    return tuple(names)
