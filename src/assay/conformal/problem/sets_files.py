"""Sets of combinations in files: npz with their own arrays, and JSON as answers have it; product sets in both, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from assay.conformal.answer.answer import decode, encode
from assay.conformal.sets.checks import as_class_counts
from assay.conformal.sets.combination_sets import CombinationSets
from assay.conformal.sets.prediction_sets import PredictionSets
from assay.core import InvalidInput
from assay.core.files.folders import demand_file
from assay.intake.arrays import write_npz

__all__ = ["CLASSES", "combinations_of", "not_counted", "read_json_sets", "write_sets"]

CLASSES = ":classes"  # how arrays end that name the classes of a task, as in kind:classes
_ARRAYS = ("combinations", "sizes", "classes")


def write_sets(
    path: Path,
    sets: PredictionSets | CombinationSets,
    names: Sequence[str],
    classes: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Write sets as npz, or by its ending as JSON, which has numbers only.

    Product sets are a boolean matrix per task. Combinations are ``combinations`` [all of them, tasks] with the
    ``sizes`` of the samples' lists and the ``classes`` and names of the ``tasks``; where some samples have a product in
    place of a list, ``is_product`` says which, and ``product_0``, ``product_1``, ... are boolean matrices.
    Names of classes are arrays such as ``kind:classes``.
    """
    path = Path(path)
    named = {f"{task}{CLASSES}": np.asarray(own) for task, own in (classes or {}).items()}
    if path.suffix == ".json":
        path.write_bytes(encode(sets) + b"\n")
    elif isinstance(sets, PredictionSets):
        write_npz(path, {**dict(zip(names, sets.matrices(), strict=True)), **named})
    else:
        members = np.stack(np.unravel_index(sets.numbers, sets.classes), axis=1).astype(np.int64)
        arrays: dict[str, Any] = {
            "combinations": members,
            "sizes": np.diff(sets.starts),
            "classes": np.asarray(sets.classes, dtype=np.int64),
            "tasks": np.asarray(list(names)),
        }
        if sets.is_product.any():
            arrays["is_product"] = sets.is_product
            arrays |= {f"product_{task}": matrix for task, matrix in enumerate(sets.products.matrices())}
        write_npz(path, {**arrays, **named})


def combinations_of(arrays: Mapping[str, Any], path: Path) -> tuple[CombinationSets, tuple[str, ...]]:
    """The sets and the tasks' names from the arrays of such a file."""
    missing = [name for name in _ARRAYS if name not in arrays]
    if missing:
        raise InvalidInput(
            f"{path}: sets of combinations need the arrays {', '.join(_ARRAYS)}; missing: {', '.join(missing)}."
        )
    members, sizes, classes = (np.asarray(arrays[name]) for name in _ARRAYS)
    counts = as_class_counts(classes.tolist())
    if sizes.ndim != 1 or sizes.dtype.kind not in "iu" or (sizes < 0).any() or sizes.sum() != len(members):
        raise InvalidInput(f"{path}: sizes must say how many of the {len(members)} combinations each sample has.")
    starts = np.concatenate([[0], np.cumsum(sizes)]).tolist()
    rows = members.tolist()
    entries: list[Any] = [rows[start:end] for start, end in pairwise(starts)]
    boxed = np.flatnonzero(arrays.get("is_product", np.zeros(len(sizes), dtype=np.bool_)))
    for sample in boxed.tolist():
        try:
            product = [np.flatnonzero(arrays[f"product_{task}"][sample]).tolist() for task in range(len(counts))]
        except (KeyError, IndexError):
            raise InvalidInput(f"{path}: sample {sample} is a product; product_0, ... must hold its sets.") from None
        entries[sample] = {"product": product}
    try:
        sets = CombinationSets.from_labels(entries, classes=counts)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from None
    names = (
        [str(name) for name in arrays["tasks"].tolist()] if "tasks" in arrays else list(map(str, range(len(counts))))
    )
    if len(set(names)) != len(counts):
        raise InvalidInput(f"{path}: tasks must name each of the {len(counts)} tasks once.")
    return sets, tuple(names)


def read_json_sets(path: Path, classes: Sequence[int] | Mapping[str, int] | None) -> PredictionSets | CombinationSets:
    """The sets of an answer in JSON, which does not say how many classes there are."""
    demand_file(path)
    answer = decode(path.read_bytes())
    if classes is None:
        raise not_counted(path)
    counts = list(classes.values()) if isinstance(classes, Mapping) else list(classes)
    if answer.combinations is not None:
        return CombinationSets.from_labels(answer.combinations, classes=counts)
    return PredictionSets.from_labels(answer.sets, classes=counts)


def not_counted(path: Path) -> InvalidInput:
    """The error for lists of classes whose number nothing says."""
    return InvalidInput(
        f"{path}: lists of classes do not say how many there are. Give --classes (as in --classes 10,2) or "
        "--probabilities."
    )
