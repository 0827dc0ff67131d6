"""Demands on single values; each message names the value and says what is wanted."""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterable
from numbers import Real
from typing import Any, TypeGuard

from assay.core.errors import InvalidInput

__all__ = [
    "as_whole",
    "demand_confidence",
    "demand_fraction",
    "demand_one_kind",
    "demand_positive",
    "demand_share",
    "demand_whole",
    "is_number",
    "own_whole",
]


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a value is a number that a float can hold; true and false are none.

    >>> is_number(3), is_number(True), is_number(10**400), is_number(float("nan"))
    (True, False, False, False)
    """
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def demand_whole(value: object, what: str, *, least: int = 0) -> int:
    """An int of at least ``least``.

    >>> demand_whole(0, "generate: problems", least=1)
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: generate: problems must be a whole number of at least 1, got 0.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InvalidInput(f"{what} must be a whole number of at least {least}, got {value!r}.")
    return value


def as_whole(value: Any, what: str, *, least: int = 0) -> int:
    """An int of at least ``least`` from a whole number of any library."""
    return demand_whole(own_whole(value), what, least=least)


def own_whole(value: Any) -> Any:
    """A plain int of what is one, such as a number of NumPy's; anything else, true and false too, as it is."""
    try:
        return value if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return value


def demand_one_kind(names: Iterable[object], what: str) -> None:
    """Names of groups or classes, never texts beside others: "1" and 1 would silently be one, or could not be sorted.

    >>> demand_one_kind(["a", 1], "clusters")
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: clusters: texts stand beside others ('a' and 1). Convert all to one type.
    """
    if getattr(getattr(names, "dtype", None), "kind", "O") != "O":
        return  # an array of one type
    text = other = None
    for name in names:
        if name is None:
            raise InvalidInput(f"{what}: one is missing (None). Name all of them, such as 'unknown'.")
        if isinstance(name, str):
            text = name
        else:
            other = name
        if text is not None and other is not None:
            raise InvalidInput(f"{what}: texts stand beside others ({text!r} and {other!r}). Convert all to one type.")


def demand_positive(value: object, what: str) -> None:
    """A finite number above 0."""
    if not is_number(value) or value <= 0:
        raise InvalidInput(f"{what} must be a positive number, got {value!r}.")


def demand_share(value: object, what: str) -> None:
    """A number from 0 to below 1."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) < 1:
        raise InvalidInput(f"{what} must be a share from 0 to below 1, got {value!r}.{_per_cent(value)}")


def demand_fraction(value: object, what: str) -> None:
    """A number strictly between 0 and 1."""
    if not isinstance(value, Real) or not 0 < float(value) < 1:
        raise InvalidInput(f"{what} must lie strictly between 0 and 1, got {value!r}.{_per_cent(value)}")


def _per_cent(value: object) -> str:
    return f" For {value:g} % give {value / 100:g}." if is_number(value) and 1 < value < 100 else ""


def demand_confidence(confidence: object) -> None:
    """The confidence of an interval, as 0.95."""
    if not isinstance(confidence, Real) or not 0 < float(confidence) < 1:
        raise InvalidInput(f"confidence must lie between 0 and 1 (0.95 for 95 %), got {confidence!r}.")
