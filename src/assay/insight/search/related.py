"""Candidates from related rows: aggregates over all of them, in windows of time, under conditions, and changes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from assay.insight.search.families import combine, number_term
from assay.insight.search.parts import Valued, code_parts, number_parts, truth_parts
from assay.insight.search.pool import Pool
from assay.insight.search.ranges import Grouping, Measured, Span, recency
from assay.insight.search.recipes import Aggregate, Combined, Part, Recipe, Window
from assay.insight.search.search_context import Join, SearchContext
from assay.insight.search.typed_tables import SELF, Ref, TypedTable

__all__ = ["related_families"]

LENGTHS = (30.0, 90.0, 180.0, 365.0, 730.0)
_MAIN = (90.0, 365.0)
_ONES = Part("np.ones(len(t))")
_MOST_LINES = 2_000_000
_FEW_KINDS = 24


@dataclass(slots=True)
class View:
    """One window on one join: what a recipe needs, and the ranges."""

    window: Window
    span: Span
    base: Aggregate
    main: bool  # conditions and all aggregates are tried here; elsewhere counts, sums and means


@dataclass(slots=True)
class Scope:
    """A join at work."""

    context: SearchContext
    sheet: TypedTable
    join: Join
    grouping: Grouping
    views: list[View]
    numbers: list[Valued]
    truths: list[Valued]
    codes: list[Valued]
    small: bool  # a distant or coarse join, where the plainest aggregates must do


def related_families(context: SearchContext, pool: Pool, join: Join, clock: Ref | None) -> None:
    """All candidates of one join."""
    scope = _open(context, join, clock)
    if scope is None:
        return
    plain_aggregates(scope, pool)
    if scope.small:
        return
    against_row(scope, pool)
    conditional(scope, pool)
    changes(scope, pool)


def _open(context: SearchContext, join: Join, clock: Ref | None) -> Scope | None:
    sheet = context.sheets[join.table]
    data = context.data
    careful = context.timed and (join.table == SELF or join.table in context.dated)
    if careful and (clock is None or not context.moments):
        return None
    days = data.days(sheet.name, clock) if clock else np.zeros(len(sheet.frame))
    grouping = Grouping(context.keys(join.row_key), data.keys(sheet.name, join.table_key), days)
    if not len(grouping):
        return None
    alone = len(grouping) <= len(np.unique(grouping.owner)) * 1.02
    if alone and join.far == 0 and join.table != SELF:
        return None  # one row for each key: the row itself has been looked up
    pooled = join.table == SELF
    itself = tuple(dict.fromkeys(c.ref.column for c in context.primary.columns if c.ref.key is None)) if pooled else ()
    base = Aggregate(
        table=join.table, row_key=join.row_key, table_key=join.table_key, function="count", value=_ONES,
        table_day=f"days_of({clock.in_table()})" if clock else "", subject=sheet.words, pooled=itself,
    )  # fmt: skip
    views = []
    windows: list[tuple[Window, bool, Ref | None]] = []
    if not careful:
        windows.append((Window(), True, None))
        if clock:
            windows += [(Window("end", None, length), length in _MAIN, None) for length in LENGTHS]
    if clock:
        for place, moment in enumerate(context.moments):
            strict = pooled  # the row itself is not its own past
            windows.append((Window("row", None, None, strict), place == 0, moment))
            windows += [
                (Window("row", None, length, strict), place == 0 and length in _MAIN, moment) for length in LENGTHS
            ]
    whole = not join.row_key.column
    if whole:  # all rows are related: only what moves with the row's date can differ
        windows = [(window, True, since) for window, _, since in windows if window.anchor == "row"]
    small = join.far > 0 or (pooled and len(np.unique(grouping.owner)) <= 50 and not whole)
    if small:
        windows = [entry for entry in windows if entry[1]]
    for window, main, since in windows:
        row_days = None if since is None else context.days(since)
        span = grouping.span(window, row_days)
        if not (span.high > span.low).any():
            continue
        views.append(View(window, span, replace(base, window=window, row_day=_row_day(since)), main))
    numbers, truths = number_parts(context, sheet, join.table_key), truth_parts(context, sheet, join.table_key)
    if small:
        numbers, truths = [valued for valued in numbers if valued.plain][:6], truths[:12]
    return Scope(context, sheet, join, grouping, views, numbers, truths, code_parts(context, sheet), small)


def _row_day(moment: Ref | None) -> str:
    return "" if moment is None else f"day_of({moment.in_row()})"


def _made(base: Aggregate, function: str, value: Part, *keep: Part) -> Aggregate:
    return replace(base, function=function, value=value, keep=keep)


def plain_aggregates(scope: Scope, pool: Pool) -> None:
    """Counts, times, sums, means, spreads, extremes, first and last, trends, diversity."""
    grouping = scope.grouping
    for view in scope.views:
        count = (view.span.high - view.span.low).astype(np.float64)
        pool.add(_made(view.base, "count", _ONES), count)
        if view.base.table_day and (view.window.anchor is None or view.window.high is None):
            times = recency(grouping, view.span)
            for name, values in times.items():
                pool.add(_made(view.base, name, _ONES), values)
            for name in ("span", "age"):
                frequency = Combined("/", _made(view.base, "count", _ONES), _made(view.base, name, _ONES))
                pool.add(frequency, combine("/", count, times[name]))
    for valued in scope.numbers:
        measured = Measured(grouping, valued.values)
        for view in scope.views:
            made = partial(_made, view.base, value=valued.part)
            pool.add(made("mean"), measured.mean(view.span))
            pool.add(made("sum"), measured.sum(view.span))
            if not view.main or not valued.plain:
                continue
            least, most = measured.extreme(view.span, "min"), measured.extreme(view.span, "max")
            pool.add(made("max"), most)
            pool.add(made("min"), least)
            pool.add(made("std"), measured.std(view.span))
            pool.add(made("range"), most - least)
            if measured.complete and view.base.table_day:
                pool.add(made("last"), measured.at(view.span, -1))
                pool.add(made("first"), measured.at(view.span, 0))
                pool.add(made("slope"), measured.slope(view.span))
                several = view.span.high - view.span.low > 1
                step = np.where(several, measured.at(view.span, -1) - measured.at(view.span, -2), 0.0)
                pool.add(made("step"), step)
    for valued in scope.truths:
        measured = Measured(grouping, valued.values)
        for view in scope.views:
            pool.add(_made(view.base, "sum", valued.part), measured.sum(view.span))
            pool.add(_made(view.base, "mean", valued.part), measured.mean(view.span))
    for valued in scope.codes:
        for view in scope.views:
            if view.main:
                diversity(scope, view, valued, pool)


def diversity(scope: Scope, view: View, valued: Valued, pool: Pool) -> None:
    """How many different ones, and the entropy of their shares."""
    codes = valued.values[scope.grouping.order]
    if not np.isfinite(codes).any():
        return
    spans, back = np.unique(np.column_stack([view.span.low, view.span.high]), axis=0, return_inverse=True)
    back = back.reshape(-1)
    kinds = int(np.nanmax(codes)) + 1
    if kinds <= _FEW_KINDS:
        low, high = spans[:, 0], spans[:, 1]
        counts = np.zeros((len(spans), kinds))
        for kind in range(kinds):
            running = np.concatenate([[0.0], np.cumsum(codes == kind)])
            counts[:, kind] = running[high] - running[low]
        distinct = (counts > 0).sum(axis=1).astype(np.float64)
        share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
        entropy = -(share * np.log(np.where(share > 0, share, 1.0))).sum(axis=1)
        pool.add(_made(view.base, "distinct", valued.part), distinct[back])
        pool.add(_made(view.base, "entropy", valued.part), entropy[back])
    elif int((spans[:, 1] - spans[:, 0]).sum()) <= _MOST_LINES:
        distinct = np.zeros(len(spans))
        for place, (start, end) in enumerate(spans.tolist()):
            if end > start:
                own = set(codes[start:end].tolist())
                distinct[place] = sum(1 for code in own if code == code)
        pool.add(_made(view.base, "distinct", valued.part), distinct[back])


def conditional(scope: Scope, pool: Pool) -> None:
    """Sums, means, extremes and recency of the rows for which something holds, and their share of the sum."""
    values = [valued for valued in scope.numbers if valued.plain][:4]
    size = max(len(scope.grouping), 1)
    truths = scope.truths[: max(6, _MOST_LINES // size)]
    for truth in truths:
        holds = truth.values > 0
        for valued in values:
            if valued.part.slug and truth.part.slug.startswith(valued.part.slug):
                continue
            both = Measured(scope.grouping, np.where(holds, valued.values, np.nan))
            whole = Measured(scope.grouping, valued.values)
            keep = Part(truth.part.code + " > 0", truth.part.words, truth.part.slug, truth.part.tables, truth.part.cost)
            for view in scope.views:
                if not view.main:
                    continue
                part = _made(view.base, "sum", valued.part, keep)
                total = both.sum(view.span)
                pool.add(part, total)
                pool.add(_made(view.base, "mean", valued.part, keep), both.mean(view.span))
                if view.window.anchor is None or view.window.high is None:
                    share = combine("/", total, whole.sum(view.span))
                    pool.add(Combined("/", part, _made(view.base, "sum", valued.part)), share)


def changes(scope: Scope, pool: Pool) -> None:
    """The last window against the one before and against all: differences and ratios of counts, sums and means."""
    clocked = [view for view in scope.views if view.window.high is not None]
    wholes = {(view.window.anchor, view.base.row_day): view for view in scope.views if view.window.high is None}
    measures: list[tuple[Part, str, Any]] = [(_ONES, "count", None)]
    for valued in [v for v in scope.numbers if v.plain][:5]:
        measured = Measured(scope.grouping, valued.values)
        measures += [(valued.part, "mean", measured.mean), (valued.part, "sum", measured.sum)]
    for valued in scope.truths[:12]:
        measured = Measured(scope.grouping, valued.values)
        measures += [(valued.part, "sum", measured.sum)]
    for view in clocked:
        length = float(view.window.high or 0.0)
        before = replace(view.window, low=length, high=2 * length)
        row_days = view.span.now if view.window.anchor == "row" else None
        earlier = scope.grouping.span(before, row_days)
        past = replace(view.base, window=before)
        whole = wholes.get((view.window.anchor, view.base.row_day)) or wholes.get((None, ""))
        for part, function, measure in measures:
            if measure is None:
                now = (view.span.high - view.span.low).astype(np.float64)
                then = (earlier.high - earlier.low).astype(np.float64)
                always = (whole.span.high - whole.span.low).astype(np.float64) if whole else None
            else:
                now, then = measure(view.span), measure(earlier)
                always = measure(whole.span) if whole else None
            last = _made(view.base, function, part)
            previous = _made(past, function, part)
            pool.add(Combined("-", last, previous), now - then)
            if function != "mean" or view.main:
                pool.add(Combined("/", last, previous), combine("/", now, then))
            if whole is not None and always is not None and view.main:
                total = _made(whole.base, function, part)
                pool.add(Combined("/", last, total), combine("/", now, always))
                if function == "mean":
                    pool.add(Combined("-", last, total), now - always)


def against_row(scope: Scope, pool: Pool) -> None:
    """The row's own number against the mean, the sum and the largest of related rows."""
    context = scope.context
    mine = context.primary.of("number")[:6]
    for view in [view for view in scope.views if view.main][:3]:
        for valued in [v for v in scope.numbers if v.plain][:5]:
            measured = Measured(scope.grouping, valued.values)
            mean, most = measured.mean(view.span), measured.extreme(view.span, "max")
            for column in mine:
                term: Recipe = number_term(column.ref)
                values = np.nan_to_num(context.numbers(column.ref))
                average = _made(view.base, "mean", valued.part)
                pool.add(Combined("/", term, average), combine("/", values, mean))
                pool.add(Combined("-", term, average), values - mean)
                pool.add(Combined("/", term, _made(view.base, "max", valued.part)), combine("/", values, most))
                if valued.part.slug != column.ref.column:
                    pool.add(Combined("*", term, average), values * mean)
