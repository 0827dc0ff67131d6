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

Ends: TypeAlias = dict[str, tuple[float, ...]]  # low and high, a number per sample
IntervalLists: TypeAlias = Mapping[str, Ends]

_ENDS = ("low", "high")
_UNBOUNDED = {"low": -inf, "high": inf}


def as_interval_lists(intervals: Any) -> IntervalLists:
    """Bounds by task, checked: numbers, -inf below and inf above where nothing is ruled out, as many of both.

    >>> as_interval_lists({"price": {"low": [1, None], "high": [2, 3.5]}})
    {'price': {'low': (1.0, -inf), 'high': (2.0, 3.5)}}
    >>> as_interval_lists({"price": [[0.5, 2.0]]})
    {'price': {'low': (0.5,), 'high': (2.0,)}}
    """
    if not isinstance(intervals, Mapping):
        raise InvalidInput(
            "answer: intervals must be given by the names of the tasks, as "
            f"{{'price': Intervals(low, high)}}; got {type(intervals).__name__}."
        )
    bounds: dict[str, Ends] = {}
    for name, entry in intervals.items():
        if not isinstance(name, str):
            raise InvalidInput(f"answer: intervals: {name!r} is not the name of a task.")
        bounds[name] = ends = {end: _bounds(values, name, end) for end, values in _ends(entry, name).items()}
        low, high = len(ends["low"]), len(ends["high"])
        if low != high:
            raise InvalidInput(f"answer: intervals of {name!r}: {low} lower and {high} upper bounds.")
    return bounds


def _ends(entry: Any, name: str) -> dict[str, Any]:
    if isinstance(entry, Mapping):
        if set(entry) != set(_ENDS):
            raise InvalidInput(f'answer: intervals of {name!r}: must be {{"low": [...], "high": [...]}}.')
        return {end: entry[end] for end in _ENDS}
    if isinstance(entry, Intervals):
        return {"low": entry.low, "high": entry.high}
    try:
        pairs = to_numpy(entry)
    except ValueError:
        pairs = np.empty(0)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "fiu":
        raise InvalidInput(
            f"answer: intervals of {name!r}: give Intervals(low, high), an (n, 2) array of low and high, or "
            '{"low": [...], "high": [...]}.'
        )
    return {"low": pairs[:, 0], "high": pairs[:, 1]}


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
        name: {end: [None if isinf(bound) else bound for bound in bounds] for end, bounds in ends.items()}
        for name, ends in intervals.items()
    }


def interval_text(intervals: IntervalLists) -> str:
    """For a display: the tasks, and how many of their intervals lack a bound."""
    texts = []
    for name, ends in intervals.items():
        unbounded = sum(isinf(low) or isinf(high) for low, high in zip(ends["low"], ends["high"], strict=True))
        texts.append(name + (f" ({unbounded} of {len(ends['low'])} unbounded)" if unbounded else ""))
    return f"intervals of {', '.join(texts)}"
