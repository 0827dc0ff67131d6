"""Candidates from the course of related rows: monthly totals, successive rows and the gaps between them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from assay.core.arrays import BoolArray, FloatArray, IntArray
from assay.insight.search.candidates.parts import Valued
from assay.insight.search.candidates.scope import ONES, Scope, View, condition, variant
from assay.insight.search.choose import responses_of
from assay.insight.search.pool import Pool
from assay.insight.search.recipes import Part
from assay.insight.search.typed_tables import SELF

__all__ = ["courses"]

_MOST_LINES = 250_000  # rows of all spans together
_MOST_NUMBERS = 5
_MOST_TRUTHS = 10
_MOST_KINDS = 6
_TELLS = 16.0  # a squared correlation times rows that chance hardly gives
_MONTHLY = ("mean", "max", "std", "slope", "deviation", "step", "drift", "growth", "falls")
_STEPS = ("deviation", "drift", "growth", "rises", "falls", "climb", "descent", "jump", "slope")
_GAPS = ("std", "max", "min", "last", "slope", "deviation")


@dataclass(slots=True)
class Lines:
    """The rows of each distinct span one after the other: their places in the grouping, and which span they are of."""

    places: IntArray
    spans: IntArray
    count: int
    back: IntArray  # the span of each primary row

    def of(self, scope: Scope, valued: Valued) -> FloatArray:
        """What each of the rows has of something."""
        return valued.values[scope.grouping.order][self.places]

    def series(self, values: FloatArray, used: BoolArray) -> Series:
        """The values of those rows that count."""
        return Series(values[used], self.spans[used], self.count)


@dataclass(slots=True)
class Series:
    """Numbers of all spans one after the other, and which span they are of."""

    values: FloatArray
    spans: IntArray
    count: int


def courses(scope: Scope, pool: Pool) -> None:
    """How counts, totals, means and single values went over months and from row to row."""
    kinds = [valued for valued in scope.truths if valued.part.cost <= 0.5][:_MOST_KINDS]
    for view in scope.main_views:
        lines = _lines(view)
        if lines is None:
            continue
        if not view.base.table_day:
            by_file_order(scope, view, lines, pool)
            continue
        days = scope.grouping.days[lines.places]
        dated = np.isfinite(days)
        add = partial(_add, view, lines, pool)
        add(ONES, "month_count", _monthly(days, np.ones(len(days)), dated, lines, "count"), _MONTHLY)
        add(ONES, "gaps", _gaps(days, lines), _GAPS)
        for valued in scope.plain_numbers[:_MOST_NUMBERS]:
            values = lines.of(scope, valued)
            present = np.isfinite(values)
            for how in ("sum", "mean"):
                add(valued.part, f"month_{how}", _monthly(days, values, dated & present, lines, how), _MONTHLY)
            add(valued.part, "rows", lines.series(values, present), _STEPS)
            for truth in kinds:
                used = present & dated & (lines.of(scope, truth) > 0)
                series = lines.series(values, used)
                add(valued.part, "rows", series, ("last", "std", "deviation", "drift"), condition(truth))
                _add_slope(view, lines, pool, valued.part, condition(truth), series, days[used])
        for valued in scope.truths[:_MOST_TRUTHS]:
            values = lines.of(scope, valued)
            add(valued.part, "month_sum", _monthly(days, values, dated & np.isfinite(values), lines, "sum"),
                ("std", "slope", "deviation", "max"))  # fmt: skip
        for valued in scope.codes:
            values = lines.of(scope, valued)
            add(valued.part, "rows", lines.series(values, np.isfinite(values)), ("changes",))


def by_file_order(scope: Scope, view: View, lines: Lines, pool: Pool) -> None:
    """Successive rows of a table without dates, in the order of its file, unless that order tells the target."""
    if scope.join.table == SELF or _order_tells(scope, lines, view):
        return
    for valued in scope.plain_numbers[:_MOST_NUMBERS]:
        values = lines.of(scope, valued)
        series = lines.series(values, np.isfinite(values))
        _add(view, lines, pool, valued.part, "rows", series, ("last", "step", *_STEPS))


def _order_tells(scope: Scope, lines: Lines, view: View) -> bool:
    """Whether rows of a table that stand near each other belong to rows of like targets: then it was sorted by them."""
    mean = np.bincount(lines.spans, weights=scope.grouping.order[lines.places], minlength=lines.count)
    filled = view.span.filled
    place = (mean / np.maximum(np.bincount(lines.spans, minlength=lines.count), 1))[lines.back][filled]
    for response in responses_of(scope.context.target, scope.context.kind)[0]:
        mine = response[filled]
        if len(mine) > 8 and place.std() > 0 and mine.std() > 0:
            correlation = float(np.corrcoef(place, mine)[0, 1])
            if len(mine) * correlation * correlation > _TELLS:
                return True
    return False


def _add_slope(view: View, lines: Lines, pool: Pool, part: Part, keep: Part, series: Series, days: FloatArray) -> None:
    """The slope over days of the values of the rows for which something holds."""
    count = np.maximum(np.bincount(series.spans, minlength=series.count), 1)
    moved = days - (_added(series.spans, days, series.count) / count)[series.spans]
    below = _added(series.spans, moved * moved, series.count)
    above = _added(series.spans, moved * series.values, series.count)
    values = np.where(below > 1e-9, above / np.maximum(below, 1e-9), 0.0)
    pool.add(variant(view.base, "slope", part, keep), values[lines.back])


def _lines(view: View) -> Lines | None:
    spans = view.span.distinct()
    if spans.lengths.sum() > _MOST_LINES or spans.lengths.max(initial=0) < 2:
        return None
    places, owner = spans.rows()
    return Lines(places, owner, len(spans.low), spans.back)


def _monthly(days: FloatArray, values: FloatArray, used: BoolArray, lines: Lines, how: str) -> Series:
    """As the kernel ``monthly`` does for one span; rows of a span are in order of time, so months are runs."""
    spans = lines.spans[used]
    months = np.floor(days[used]).astype("int64").astype("datetime64[D]").astype("datetime64[M]").astype("int64")
    if not len(spans):
        return Series(np.empty(0), np.empty(0, dtype=np.int64), lines.count)
    first = np.flatnonzero(np.concatenate([[True], (np.diff(spans) != 0) | (np.diff(months) != 0)]))
    counts = np.diff(np.append(first, len(spans))).astype(np.float64)
    if how == "count":
        return Series(counts, spans[first], lines.count)
    sums = np.add.reduceat(values[used], first)
    return Series(sums if how == "sum" else sums / counts, spans[first], lines.count)


def _gaps(days: FloatArray, lines: Lines) -> Series:
    same = np.diff(lines.spans) == 0
    return Series(np.diff(days)[same], lines.spans[1:][same], lines.count)


def _add(
    view: View,
    lines: Lines,
    pool: Pool,
    part: Part,
    series: str,
    numbers: Series,
    statistics: tuple[str, ...],
    *keep: Part,
) -> None:
    if not len(numbers.values):
        return
    moments = _Moments(numbers)
    for what in statistics:
        values = np.nan_to_num(moments.of(what))
        pool.add(variant(view.base, f"{what}_of_{series}", part, *keep), values[lines.back])


def _added(places: IntArray, values: FloatArray, count: int) -> FloatArray:
    """The sum of the values of each place."""
    return np.bincount(places, weights=values, minlength=count).astype(np.float64)


class _Moments:
    """The statistics of the kernel ``course``, for all series at once."""

    def __init__(self, series: Series) -> None:
        self.values, self.spans, self.count = np.nan_to_num(series.values), series.spans, series.count
        self.lengths = np.bincount(self.spans, minlength=self.count)
        self.ends = np.cumsum(self.lengths)
        self.starts = self.ends - self.lengths
        self.means = self._total(self.values) / np.maximum(self.lengths, 1)
        self.same = np.diff(self.spans) == 0
        self.steps = np.diff(self.values)[self.same]
        self.of_step = self.spans[1:][self.same]

    def _total(self, values: FloatArray) -> FloatArray:
        return _added(self.spans, values, self.count)

    def _of_steps(self, values: FloatArray) -> FloatArray:
        return _added(self.of_step, values, self.count)

    def _at(self, places: IntArray) -> FloatArray:
        return self.values[np.clip(places, 0, len(self.values) - 1)]

    def of(self, what: str) -> FloatArray:
        """One statistic of all series."""
        least = 1 if what in ("mean", "max", "min", "last") else 2
        answers = self._answer(what)
        return np.where(self.lengths >= least, answers, 0.0)

    def _answer(self, what: str) -> FloatArray:
        n = np.maximum(self.lengths, 1)
        last, first = self._at(self.ends - 1), self._at(self.starts)
        fewer = np.maximum(n - 1, 1)
        match what:
            case "mean":
                return self.means
            case "last":
                return last
            case "std":
                moved = self.values - self.means[self.spans]
                spread: FloatArray = np.sqrt(self._total(moved * moved) / fewer)
                return spread
            case "slope":
                places = np.arange(len(self.values)) - self.starts[self.spans] - (n[self.spans] - 1) / 2
                return self._total(places * self.values) / np.maximum(self._total(places * places), 1e-9)
            case "deviation":
                return last - self.means
            case "step":
                return last - self._at(self.ends - 2)
            case "drift":
                moving: FloatArray = (last - first) / fewer
                return moving
            case "growth":
                before = self.values[:-1][self.same]
                usable = np.abs(before) > 1e-12
                ratios = np.where(usable, self.steps / np.where(usable, before, 1.0), 0.0)
                return self._of_steps(ratios) / np.maximum(self._of_steps(usable.astype(np.float64)), 1)
            case "rises":
                return self._of_steps((self.steps > 0).astype(np.float64))
            case "falls":
                return self._of_steps((self.steps < 0).astype(np.float64))
            case "changes":
                return self._of_steps((self.steps != 0).astype(np.float64))
            case "climb" | "descent":
                return self._of_steps(np.maximum(self.steps if what == "climb" else -self.steps, 0.0))
            case "jump":
                jumps: FloatArray = self._of_steps(np.abs(self.steps)) / fewer
                return jumps
            case _:
                reduce = np.maximum if what == "max" else np.minimum
                filled = np.flatnonzero(self.lengths > 0)
                answers = np.zeros(self.count)
                answers[filled] = reduce.reduceat(self.values, self.starts[filled])
                return answers
