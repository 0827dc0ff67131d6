"""A case base with more cases, or with fewer: only what is new is read and checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.cases.neighbors.casebase import CaseBase
from assay.cases.neighbors.checks import FloatArray, IntArray, LabelArray
from assay.cases.neighbors.metadata import Metadata, read_metadata
from assay.cases.neighbors.space import Space
from assay.core import InvalidInput, UnknownName

__all__ = ["FitSpace", "Updated", "add_cases", "as_removed", "remove_cases"]

FitSpace: TypeAlias = Callable[[FloatArray], Space]  # of all cases as numbers


class Updated(NamedTuple):
    """A case base after a change, and all its cases as numbers to be compared."""

    cases: CaseBase
    numbers: FloatArray


def add_cases(cases: CaseBase, numbers: FloatArray, X: object, y: object, metadata: object, fit: FitSpace) -> Updated:
    """The cases with new ones behind them, as if all had been given at once.

    ``numbers`` are the old cases as they are compared. New classes and new categories are welcome.
    """
    table = cases.read_table(X, what="X")
    count = len(table.numbers)
    labels = cases.labels(y, count=count, what="y", allow_unseen=True)
    encoding = cases.encoding.extended(table)
    encoded = encoding.encode(table, names=cases.feature_names, what="X")
    more = _more_metadata(cases.metadata, metadata, count=count)
    together = np.concatenate([numbers, encoded])
    changed = _changed(
        replace(cases, encoding=encoding),
        X=np.concatenate([cases.X, encoding.raw(table)]),
        y=np.concatenate([cases.y, labels]),
        metadata={name: column + more[name] for name, column in cases.metadata.items()},
        space=fit(together),
    )
    return Updated(changed, together)


def remove_cases(cases: CaseBase, numbers: FloatArray, removed: IntArray, fit: FitSpace) -> Updated:
    """The cases without some rows; those behind them move up."""
    rows = np.delete(np.arange(len(cases.y)), removed)
    remaining = numbers[rows]
    metadata = {name: tuple(column[row] for row in rows.tolist()) for name, column in cases.metadata.items()}
    return Updated(
        _changed(cases, X=cases.X[rows], y=cases.y[rows], metadata=metadata, space=fit(remaining)), remaining
    )


def as_removed(rows: npt.ArrayLike, *, cases: int) -> IntArray:
    """Row numbers of cases to take away: each there and named once, and not all of them."""
    removed = np.atleast_1d(np.asarray(rows))
    if removed.ndim != 1 or (removed.size and removed.dtype.kind not in "iu"):
        raise InvalidInput(f"rows: must be row numbers of training cases, got {rows!r}.")
    outside = (removed < 0) | (removed >= cases)
    if outside.any():
        raise InvalidInput(f"rows: case {removed[outside][0]} does not exist; there are cases 0 to {cases - 1}.")
    distinct, counts = np.unique(removed, return_counts=True)
    if (counts > 1).any():
        raise InvalidInput(f"rows: case {distinct[counts > 1][0]} is named twice; name each once.")
    if len(distinct) == cases:
        raise InvalidInput("rows: these are all cases; at least one must stay.")
    return distinct.astype(np.int64)


def _changed(cases: CaseBase, *, X: npt.NDArray[Any], y: LabelArray, metadata: Metadata, space: Space) -> CaseBase:
    classes = np.unique(y)
    names = {label: cases.name_of(label) for label in classes.tolist()}
    return replace(
        cases,
        X=X,
        y=y.astype(classes.dtype),
        classes=classes,
        class_names=names,
        metadata=metadata,
        space=space,
    )


def _more_metadata(columns: Metadata, metadata: object, *, count: int) -> Metadata:
    """The columns of the known metadata for new cases; what is not given is None."""
    more = read_metadata(metadata, cases=count)
    for name in more:
        if name not in columns:
            raise UnknownName("metadata column", name, columns)
    return {name: more.get(name, (None,) * count) for name in columns}
