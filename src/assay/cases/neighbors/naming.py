"""What features, classes and columns are called, and what is said of them by name; checked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.cases.neighbors.checks import FloatArray, Label, LabelArray, as_label, listed
from assay.cases.neighbors.metadata import Metadata
from assay.core import InvalidInput, UnknownName

__all__ = [
    "Names",
    "Weights",
    "as_class_names",
    "as_columns",
    "as_feature_names",
    "as_feature_weights",
    "as_private",
    "as_units",
]

Names: TypeAlias = Sequence[str] | npt.NDArray[Any]
Weights: TypeAlias = Mapping[str, float] | npt.ArrayLike


def as_columns(
    categorical: Collection[str | int], feature_names: Names | None, columns: tuple[str, ...] | None
) -> frozenset[int]:
    """The places of columns given by name or by place."""
    categorical = _listed(categorical, what="categorical", expected="features")
    names = columns
    if categorical and feature_names is not None:
        names = tuple(str(name) for name in _listed(feature_names, what="feature_names", expected="names"))
    chosen = set()
    for entry in categorical:
        if isinstance(entry, int | np.integer) and not isinstance(entry, bool):
            chosen.add(int(entry))
        elif names is None or entry not in names:
            raise UnknownName("feature", str(entry), names or ())
        else:
            chosen.add(names.index(entry))
    return frozenset(chosen)


def _listed(values: Any, *, what: str, expected: str) -> list[Any]:
    """A list of names; None is an empty one, and a text is not a list of letters."""
    if values is None:
        return []
    if isinstance(values, str):
        raise InvalidInput(f"{what}: must be a list of {expected}, got the text {values!r}.")
    try:
        return list(values)
    except TypeError:
        raise InvalidInput(f"{what}: must be a list of {expected}, got {values!r}.") from None


def as_feature_weights(feature_weights: Weights | None, names: tuple[str, ...]) -> FloatArray | None:
    """Weights of features, by name or in their order; a feature that is not named weighs 1."""
    if feature_weights is None:
        return None
    if isinstance(feature_weights, Mapping):
        for name in feature_weights:
            if name not in names:
                raise UnknownName("feature", str(name), names)
        feature_weights = [feature_weights.get(name, 1.0) for name in names]
    try:
        weights = np.array(feature_weights, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(f"feature_weights: must be numbers, got {feature_weights!r}.") from None
    if weights.shape != (len(names),):
        raise InvalidInput(
            f"feature_weights: give one weight for each of the {len(names)} features, got shape {weights.shape}."
        )
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        raise InvalidInput(
            f"feature_weights: the weight of {names[int(np.argmax(bad))]!r} must be finite and not negative, "
            f"got {weights[bad][0]}."
        )
    if not weights.any():
        raise InvalidInput("feature_weights: all are 0; at least one feature must count.")
    return weights


def as_private(private: Collection[str], names: tuple[str, ...], metadata: Metadata) -> frozenset[str]:
    """Names of features or metadata columns that are never shown."""
    private = _listed(private, what="private", expected="columns")
    for name in private:
        if not isinstance(name, str) or (name not in names and name not in metadata):
            raise UnknownName("feature or metadata column", str(name), {*names, *metadata})
    return frozenset(private)


def as_units(units: Mapping[str, str] | None, names: tuple[str, ...]) -> dict[str, str]:
    """What the numbers of some features count, by the feature's name."""
    if units is None:
        return {}
    if not isinstance(units, Mapping):
        raise InvalidInput(f"units: must map features to units, as {{'age': 'years'}}; got {units!r}.")
    for name, unit in units.items():
        if name not in names:
            raise UnknownName("feature", str(name), names)
        if not isinstance(unit, str):
            raise InvalidInput(f"units: the unit of {name!r} must be a text, got {unit!r}.")
    return {name: unit for name, unit in units.items() if unit}


def as_feature_names(feature_names: Names | None, columns: tuple[str, ...] | None, count: int) -> tuple[str, ...]:
    """One name per feature: those given, those of the columns, or x0, x1 and so on."""
    if feature_names is None:
        names = columns or tuple(f"x{feature}" for feature in range(count))
    else:
        names = tuple(str(name) for name in _listed(feature_names, what="feature_names", expected=f"{count} names"))
    if len(names) != count:
        raise InvalidInput(f"feature_names: {len(names)} names were given for {count} features; give one per feature.")
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InvalidInput(f"feature_names: {twice[0]!r} is given twice; names must differ.")
    return names


def as_class_names(class_names: Names | Mapping[Any, str] | None, classes: LabelArray) -> dict[Label, str]:
    """A name per class: given by class or in the order of the classes, else the class itself."""
    labels: list[Label] = classes.tolist()
    names = {label: str(label) for label in labels}
    if class_names is None:
        return names
    if isinstance(class_names, Mapping):
        for label, name in class_names.items():
            plain = as_label(label, what="class_names")
            if plain not in names:
                raise InvalidInput(f"class_names: {label!r} is not a training class. Known classes: {listed(labels)}.")
            names[plain] = str(name)
        return names
    class_names = _listed(class_names, what="class_names", expected=f"{len(labels)} names")
    if len(class_names) != len(labels):
        raise InvalidInput(
            f"class_names: give one name for each of the {len(labels)} classes in the order {listed(labels)}, "
            f"or a mapping from class to name; got {listed(class_names)}."
        )
    return dict(zip(labels, (str(name) for name in class_names), strict=True))
