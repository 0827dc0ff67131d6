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
    given: Collection[str | int], feature_names: Names | None, columns: tuple[str, ...] | None
) -> frozenset[int]:
    """The places of columns given by name or by place."""
    given = _listed(given, what="categorical", wanted="features")
    names = columns
    if given and feature_names is not None:
        names = tuple(str(name) for name in _listed(feature_names, what="feature_names", wanted="names"))
    chosen = set()
    for entry in given:
        if isinstance(entry, int | np.integer) and not isinstance(entry, bool):
            chosen.add(int(entry))
        elif names is None or entry not in names:
            raise UnknownName("feature", str(entry), names or ())
        else:
            chosen.add(names.index(entry))
    return frozenset(chosen)


def _listed(given: Any, *, what: str, wanted: str) -> list[Any]:
    """A list of names; None is an empty one, and a text is not a list of letters."""
    if given is None:
        return []
    if isinstance(given, str):
        raise InvalidInput(f"{what}: must be a list of {wanted}, got the text {given!r}.")
    try:
        return list(given)
    except TypeError:
        raise InvalidInput(f"{what}: must be a list of {wanted}, got {given!r}.") from None


def as_feature_weights(given: Weights | None, names: tuple[str, ...]) -> FloatArray | None:
    """Weights of features, by name or in their order; a feature that is not named weighs 1."""
    if given is None:
        return None
    if isinstance(given, Mapping):
        for name in given:
            if name not in names:
                raise UnknownName("feature", str(name), names)
        given = [given.get(name, 1.0) for name in names]
    try:
        weights = np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(f"feature_weights: must be numbers, got {given!r}.") from None
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


def as_private(given: Collection[str], names: tuple[str, ...], metadata: Metadata) -> frozenset[str]:
    """Names of features or metadata columns that are never shown."""
    given = _listed(given, what="private", wanted="columns")
    for name in given:
        if not isinstance(name, str) or (name not in names and name not in metadata):
            raise UnknownName("feature or metadata column", str(name), {*names, *metadata})
    return frozenset(given)


def as_units(given: Mapping[str, str] | None, names: tuple[str, ...]) -> dict[str, str]:
    """What the numbers of some features count, by the feature's name."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InvalidInput(f"units: must map features to units, as {{'age': 'years'}}; got {given!r}.")
    for name, unit in given.items():
        if name not in names:
            raise UnknownName("feature", str(name), names)
        if not isinstance(unit, str):
            raise InvalidInput(f"units: the unit of {name!r} must be a text, got {unit!r}.")
    return {name: unit for name, unit in given.items() if unit}


def as_feature_names(given: Names | None, columns: tuple[str, ...] | None, count: int) -> tuple[str, ...]:
    """One name per feature: those given, those of the columns, or x0, x1 and so on."""
    if given is None:
        names = columns or tuple(f"x{feature}" for feature in range(count))
    else:
        names = tuple(str(name) for name in _listed(given, what="feature_names", wanted=f"{count} names"))
    if len(names) != count:
        raise InvalidInput(f"feature_names: {len(names)} names were given for {count} features; give one per feature.")
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InvalidInput(f"feature_names: {twice[0]!r} is given twice; names must differ.")
    return names


def as_class_names(given: Names | Mapping[Any, str] | None, classes: LabelArray) -> dict[Label, str]:
    """A name per class: given by class or in the order of the classes, else the class itself."""
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
    given = _listed(given, what="class_names", wanted=f"{len(known)} names")
    if len(given) != len(known):
        raise InvalidInput(
            f"class_names: give one name for each of the {len(known)} classes in the order {listed(known)}, "
            f"or a mapping from class to name; got {listed(given)}."
        )
    return dict(zip(known, (str(name) for name in given), strict=True))
