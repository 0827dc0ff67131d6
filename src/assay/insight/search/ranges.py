"""The rows that belong to each primary row, as ranges of one order by key and time; aggregates over ranges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from assay.core.arrays import BoolArray, FloatArray, IntArray
from assay.insight.search.recipes import NEVER, Window

__all__ = ["DistinctSpans", "Grouping", "Measured", "Span", "recency"]


@dataclass(slots=True)
class Span:
    """For each primary row the first and the end place of its rows, and the moment it looks back from."""

    low: IntArray
    high: IntArray
    now: FloatArray

    @property
    def filled(self) -> BoolArray:
        """Which primary rows have any."""
        return np.asarray(self.high > self.low)

    def count(self) -> FloatArray:
        """How many rows each has."""
        return (self.high - self.low).astype(np.float64)

    def distinct(self) -> DistinctSpans:
        """The different ones among them."""
        spans, back = np.unique(np.column_stack([self.low, self.high]), axis=0, return_inverse=True)
        return DistinctSpans(spans[:, 0], spans[:, 1], back.reshape(-1))


class DistinctSpans(NamedTuple):
    """Different spans: where they begin and end, and which of them each primary row has."""

    low: IntArray
    high: IntArray
    back: IntArray

    @property
    def lengths(self) -> IntArray:
        """How many rows each has."""
        return self.high - self.low

    def rows(self) -> tuple[IntArray, IntArray]:
        """The rows of one span after the other: their places in the grouping, and which span they are of."""
        lengths = self.lengths
        owner = np.repeat(np.arange(len(lengths)), lengths)
        starts = np.cumsum(lengths) - lengths
        return np.arange(len(owner)) - starts[owner] + self.low[owner], owner


class Grouping:
    """A table's rows in order of key and time, found for each primary row by its key."""

    def __init__(self, row_keys: npt.NDArray[Any], table_keys: npt.NDArray[Any], days: FloatArray) -> None:
        codes, keys = pd.factorize(pd.Series(row_keys, dtype=object))
        place = {key: number for number, key in enumerate(keys.tolist())}
        owner = np.array([place.get(key, -1) if key is not None else -1 for key in table_keys.tolist()], dtype=np.int64)
        early = np.where(np.isnan(days), -np.inf, days)
        order = np.lexsort((np.arange(len(owner)), early, owner))
        self.order = order[owner[order] >= 0]
        self.owner = owner[self.order]
        self.days = days[self.order]
        self.codes = np.asarray(codes, dtype=np.int64)
        finite = days[np.isfinite(days)]
        self.end = float(finite.max()) if len(finite) else 0.0
        self._start = float(finite.min()) if len(finite) else 0.0
        self._wide = 4.0 * (self.end - self._start + 1e4)
        shifted = np.where(np.isnan(self.days), -self._wide / 4, self.days - self._start)
        self._line = self.owner * self._wide + np.clip(shifted, -self._wide / 4, self._wide / 2)
        self._entities = len(keys)

    def __len__(self) -> int:
        return len(self.order)

    def span(self, window: Window, row_days: FloatArray | None = None, since: FloatArray | None = None) -> Span:
        """The ranges of a window; with ``since`` only of what came after a day of the row's own."""
        by_row = window.anchor == "row" and row_days is not None
        if row_days is not None and by_row:
            entity, now = self.codes, row_days
        else:
            entity, now = np.arange(self._entities), np.full(self._entities, self.end)
        bounds = np.searchsorted(self.owner, np.arange(self._entities + 1))
        if window.anchor is None:
            low, high = bounds[:-1], bounds[1:]
        else:
            # before all days, but after rows without one, which never count
            begin = np.full(len(entity), -np.inf) if window.high is None else now - window.high
            low = self._place(entity, begin if since is None else np.maximum(begin, since))
            until = now if window.low is None else now - window.low
            high = np.maximum(low, self._place(entity, until, before=window.strict and window.low is None))
        if not by_row:
            at = np.maximum(self.codes, 0)
            low, high, now = (low[at], high[at], now[at]) if len(low) else (at * 0, at * 0, at * 0.0)
        gone = (self.codes < 0) | np.isnan(now)
        return Span(np.where(gone, 0, low), np.where(gone, 0, high), now)

    def _place(self, entity: IntArray, day: FloatArray, *, before: bool = False) -> IntArray:
        moment = np.clip(np.nan_to_num(day - self._start, nan=0.0), -self._wide / 8, self._wide / 2)
        side: Literal["left", "right"] = "left" if before else "right"
        places = np.searchsorted(self._line, np.maximum(entity, 0) * self._wide + moment, side=side)
        return np.asarray(places, dtype=np.int64)


class Measured:
    """One value of each row, in the order of a grouping, and its aggregates over spans."""

    def __init__(self, grouping: Grouping, values: FloatArray) -> None:
        self._grouping = grouping
        ordered = values[grouping.order]
        self.present = np.isfinite(ordered)
        self.complete = bool(self.present.all())
        self._values = np.where(self.present, ordered, 0.0)
        self._sums = _running(self._values)
        self._counts = _running(self.present.astype(np.float64))
        self._squares: FloatArray | None = None

    def count(self, span: Span) -> FloatArray:
        """Rows with a value."""
        return self._counts[span.high] - self._counts[span.low]

    def sum(self, span: Span) -> FloatArray:
        """The sum of the values."""
        return self._sums[span.high] - self._sums[span.low]

    def mean(self, span: Span) -> FloatArray:
        """The mean of the values; 0 where there are none."""
        count = self.count(span)
        return np.where(count > 0, self.sum(span) / np.maximum(count, 1), 0.0)

    def std(self, span: Span) -> FloatArray:
        """The standard deviation of the values."""
        if self._squares is None:
            middle = self._values.mean() if len(self._values) else 0.0
            self._middle = middle
            self._squares = _running(np.where(self.present, self._values - middle, 0.0) ** 2)
        count = np.maximum(self.count(span), 1)
        moved = self.mean(span) - self._middle
        spread = (self._squares[span.high] - self._squares[span.low]) / count - moved**2
        return np.sqrt(np.maximum(np.where(self.count(span) > 0, spread, 0.0), 0.0))

    def extreme(self, span: Span, which: str) -> FloatArray:
        """The least or largest value; 0 where there is none."""
        far = np.inf if which == "min" else -np.inf
        values = np.append(np.where(self.present, self._values, far), far)
        edges = np.column_stack([span.low, span.high]).ravel()
        reduce = np.minimum if which == "min" else np.maximum
        extremes = reduce.reduceat(values, edges)[::2]
        return np.where(self.count(span) > 0, extremes, 0.0)

    def at(self, span: Span, place: int) -> FloatArray:
        """The first (0), last (-1) or last but one (-2) value, where all rows have one; 0 where there is none."""
        index = span.low + place if place >= 0 else span.high + place
        inside = (index >= span.low) & (index < span.high)
        if not len(self._values):
            return np.zeros(len(index))
        return np.where(inside, self._values[np.clip(index, 0, len(self._values) - 1)], 0.0)

    def slope(self, span: Span) -> FloatArray:
        """The slope of a straight line over days, where all rows have a value."""
        days = np.where(np.isfinite(self._grouping.days), self._grouping.days, 0.0)
        days = days - (days.mean() if len(days) else 0.0)
        count = np.maximum(span.high - span.low, 1)
        sums = [_running(part) for part in (days, days * days, days * self._values)]
        t, tt, tv = (part[span.high] - part[span.low] for part in sums)
        below = tt - t * t / count
        return np.where(below > 1e-6, (tv - t * self.sum(span) / count) / np.maximum(below, 1e-6), 0.0)


def _running(values: FloatArray) -> FloatArray:
    return np.concatenate([[0.0], np.cumsum(values)])


def recency(grouping: Grouping, span: Span) -> dict[str, FloatArray]:
    """Days since the last and the first row, between them, and the mean gap."""
    filled = span.filled
    if not len(grouping):
        return {}
    top = len(grouping) - 1
    last = grouping.days[np.clip(span.high - 1, 0, top)]
    first = grouping.days[np.clip(span.low, 0, top)]
    count = np.maximum(span.high - span.low - 1, 1)
    times = {
        "recency": np.where(filled, span.now - last, NEVER["recency"]),
        "age": np.where(filled, span.now - first, NEVER["age"]),
        "span": np.where(filled, last - first, 0.0),
        "gap": np.where(filled, (last - first) / count, 0.0),
    }
    return {name: np.nan_to_num(values) for name, values in times.items()}
