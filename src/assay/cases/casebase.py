"""The training cases as they are compared and shown: values, labels, names, and the space of distances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.cases.checks import (
    FloatArray,
    Label,
    LabelArray,
    as_label,
    as_labels,
    as_matrix,
    column_names,
    demand_same_kind,
    listed,
)
from assay.cases.scaling import Scaling, fit_scaling, no_scaling
from assay.core import InvalidInput

__all__ = ["CaseBase", "Names", "build_case_base"]

Names: TypeAlias = Sequence[str] | npt.NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CaseBase:
    """Validated training cases; ``X`` holds the raw values, distances live in the space of ``scaling``."""

    X: FloatArray
    y: LabelArray
    classes: LabelArray  # sorted
    feature_names: tuple[str, ...]
    class_names: Mapping[Label, str]
    scaling: Scaling

    def name_of(self, label: Label) -> str:
        """A class as people call it."""
        return self.class_names.get(label, str(label))

    def rows(self, X: Any, *, what: str) -> FloatArray:
        """Queries as an array with the features of the cases, matched by position."""
        names = column_names(X)
        if names is not None:
            self.demand_order(names, what=what)
        rows = as_matrix(X, what=what)
        if rows.shape[1] != self.X.shape[1]:
            raise InvalidInput(
                f"{what}: has {rows.shape[1]} features, the training cases have {self.X.shape[1]} "
                f"({listed(self.feature_names, most=5)})."
            )
        return rows

    def row(self, x: Any, *, what: str) -> FloatArray:
        """One query, given flat or as a table of one row, as a table of one row."""
        if not hasattr(x, "columns"):
            if hasattr(x, "to_numpy"):
                self.demand_order(tuple(str(name) for name in x.index), what=what)
                x = x.to_numpy()
            try:
                flat = np.asarray(x)
            except ValueError:
                raise InvalidInput(f"{what}: must be one row of numbers.") from None
            x = flat[None] if flat.ndim == 1 else x
        rows = self.rows(x, what=what)
        if len(rows) != 1:
            raise InvalidInput(f"{what}: must be one row, got {len(rows)}. Use explain_batch for many.")
        return rows

    def demand_order(self, names: tuple[str, ...], *, what: str) -> None:
        """Features are matched by position, so the same names in another order can only be a mistake."""
        if names != self.feature_names and sorted(names) == sorted(self.feature_names):
            raise InvalidInput(
                f"{what}: its columns are those of the training cases in another order ({listed(names, most=5)}, "
                f"trained as {listed(self.feature_names, most=5)}). Reorder them as in training."
            )

    def labels(self, values: object, *, count: int, what: str, allow_unseen: bool) -> LabelArray:
        """One label per row, of the type of the training labels and, unless allowed, seen among them."""
        labels = as_labels(values, what=what)
        if len(labels) != count:
            raise InvalidInput(f"{what}: {len(labels)} were given for {count} row(s); give exactly one per row.")
        demand_same_kind(labels, self.y, what=f"{what} and training labels")
        unseen = ~np.isin(labels, self.classes)
        if unseen.any() and not allow_unseen:
            raise InvalidInput(
                f"{what}: class {labels[unseen][0].item()!r} was never seen in training. Known classes: "
                f"{listed(self.classes.tolist())}. With allow_unseen=True its correspondence is 0."
            )
        return labels


def build_case_base(
    X_train: object,
    y_train: object,
    *,
    feature_names: Names | None = None,
    class_names: Names | Mapping[Any, str] | None = None,
    scale: bool = True,
) -> CaseBase:
    """Check the training cases and fit the space in which they are compared."""
    X = as_matrix(X_train, what="X_train")
    y = as_labels(y_train, what="y_train").copy()
    if not len(X):
        raise InvalidInput("X_train: the training set is empty; give at least one case.")
    if len(X) != len(y):
        raise InvalidInput(f"X_train has {len(X)} rows but y_train has {len(y)} labels; give one label per row.")
    classes = np.unique(y)
    return CaseBase(
        X=X,
        y=y,
        classes=classes,
        feature_names=_feature_names(feature_names, column_names(X_train), X.shape[1]),
        class_names=_class_names(class_names, classes),
        scaling=fit_scaling(X) if scale else no_scaling(X.shape[1]),
    )


def _feature_names(given: Names | None, columns: tuple[str, ...] | None, count: int) -> tuple[str, ...]:
    if given is None:
        names = columns or tuple(f"x{feature}" for feature in range(count))
    elif isinstance(given, str):
        raise InvalidInput(f"feature_names: must be a list of {count} names, got the text {given!r}.")
    else:
        names = tuple(str(name) for name in given)
    if len(names) != count:
        raise InvalidInput(f"feature_names: {len(names)} names were given for {count} features; give one per feature.")
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InvalidInput(f"feature_names: {twice[0]!r} is given twice; names must differ.")
    return names


def _class_names(given: Names | Mapping[Any, str] | None, classes: LabelArray) -> dict[Label, str]:
    known: list[Label] = classes.tolist()
    names = {label: str(label) for label in known}
    if given is None:
        return names
    if isinstance(given, Mapping):
        for label, name in given.items():
            plain = as_label(label, what="class_names")
            if plain not in names:
                raise InvalidInput(f"class_names: {label!r} is not a training class. Known classes: {listed(known)}.")
            names[plain] = str(name)
        return names
    if isinstance(given, str) or len(given) != len(known):
        raise InvalidInput(
            f"class_names: give one name for each of the {len(known)} classes in the order {listed(known)}, "
            f"or a mapping from class to name; got {listed(given)}."
        )
    return dict(zip(known, (str(name) for name in given), strict=True))
