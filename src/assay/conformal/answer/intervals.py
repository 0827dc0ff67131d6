"""Intervals of an answer: by the name of a task, the lower and the upper bound of every test sample."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, isinf, isnan
from typing import Any, TypeAlias

import numpy as np

from assay.conformal.regions.region import Intervals
from assay.conformal.sets.checks import to_numpy
from assay.core import InvalidInput

__all__ = ["IntervalLists", "as_interval_lists", "interval_json", "interval_text"]

IntervalLists: TypeAlias = Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]]

_ENDS = ("low", "high")
_UNBOUNDED = {"low": -inf, "high": inf}


def as_interval_lists(given: Any) -> IntervalLists:
    """Bounds by task, checked: numbers, -inf below and inf above where nothing is ruled out, as many of both.

    >>> as_interval_lists({"price": {"low": [1, None], "high": [2, 3.5]}})
    {'price': ((1.0, -inf), (2.0, 3.5))}
    >>> as_interval_lists({"price": [[0.5, 2.0]]})
    {'price': ((0.5,), (2.0,))}
    """
    if not isinstance(given, Mapping):
        raise InvalidInput(
            "answer: intervals must be given by the names of the tasks, as "
            f"{{'price': Intervals(low, high)}}; got {type(given).__name__}."
        )
    found: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {}
    for name, entry in given.items():
        if not isinstance(name, str):
            raise InvalidInput(f"answer: intervals: {name!r} is no name of a task.")
        low, high = _ends(entry, name)
        if len(low) != len(high):
            raise InvalidInput(f"answer: intervals of {name!r}: {len(low)} lower and {len(high)} upper bounds.")
        found[name] = low, high
    return found


def _ends(entry: Any, name: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
    if isinstance(entry, Mapping):
        if set(entry) != set(_ENDS):
            raise InvalidInput(f'answer: intervals of {name!r}: must be {{"low": [...], "high": [...]}}.')
        return _bounds(entry["low"], name, "low"), _bounds(entry["high"], name, "high")
    if isinstance(entry, Intervals):
        return _bounds(entry.low, name, "low"), _bounds(entry.high, name, "high")
    try:
        pairs = to_numpy(entry)
    except ValueError:
        pairs = np.empty(0)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "fiu":
        raise InvalidInput(
            f"answer: intervals of {name!r}: give Intervals(low, high), an (n, 2) array of low and high, or "
            '{"low": [...], "high": [...]}.'
        )
    return _bounds(pairs[:, 0], name, "low"), _bounds(pairs[:, 1], name, "high")


def _bounds(values: Any, name: str, end: str) -> tuple[float, ...]:
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if not isinstance(values, list | tuple):
        raise InvalidInput(f"answer: intervals of {name!r}, {end}: must be a list of one number per sample.")
    return tuple(_bound(value, name, end, sample) for sample, value in enumerate(values))


def _bound(value: Any, name: str, end: str, sample: int) -> float:
    if value is None:
        return _UNBOUNDED[end]
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise InvalidInput(f"answer: intervals of {name!r}, {end}, sample {sample}: must be a number or null.")
    try:
        bound = float(value)
    except OverflowError:
        bound = inf if value > 0 else -inf
    if isnan(bound) or (isinf(bound) and bound != _UNBOUNDED[end]):
        raise InvalidInput(
            f"answer: intervals of {name!r}, {end}, sample {sample}: {bound} is no {end} bound; give a number, or null "
            "where there is none."
        )
    return bound


def interval_json(intervals: IntervalLists) -> dict[str, dict[str, list[float | None]]]:
    """The intervals as plain values; null where there is no bound."""
    return {
        name: {
            end: [None if isinf(bound) else bound for bound in bounds] for end, bounds in zip(_ENDS, ends, strict=True)
        }
        for name, ends in intervals.items()
    }


def interval_text(intervals: IntervalLists) -> str:
    """For a display: the tasks and the share of intervals that have both bounds."""
    told = []
    for name, (low, high) in intervals.items():
        unbounded = sum(isinf(a) or isinf(b) for a, b in zip(low, high, strict=True))
        told.append(name + (f" ({unbounded} of {len(low)} unbounded)" if unbounded else ""))
    return f"intervals of {', '.join(told)}"
