"""Candidates from related rows: aggregates over all of them, in windows of time, under conditions, and changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from assay.core.arrays import FloatArray
from assay.insight.search.candidates.families import add_combined, comparable, number_offer
from assay.insight.search.candidates.parts import Valued
from assay.insight.search.candidates.scope import HOURS, ONES, Scope, View, condition, variant
from assay.insight.search.pool import Pool
from assay.insight.search.ranges import Measured, Span, recency
from assay.insight.search.recipes import Part

__all__ = ["against_row", "changes", "conditional", "plain_aggregates", "products", "shares", "times", "varieties"]

_MOST_LINES = 2_000_000
_MOST_COUNTED = 100_000  # rows of all spans together, where different values are counted one by one
_FEW_KINDS = 24
_COMPARED = (30.0, 90.0, 180.0, 365.0)  # lengths of windows that are compared with those before


def times(scope: Scope, pool: Pool) -> None:
    """How many rows there are, how long ago the first and last were, how often they come."""
    for view in scope.views:
        count = variant(view.base, "count", ONES), view.span.count()
        pool.add(*count)
        if view.base.table_day and (view.window.anchor is None or view.window.high is None):
            aggregates = recency(scope.grouping, view.span)
            for name, values in aggregates.items():
                pool.add(variant(view.base, name, ONES), values)
            for name in ("span", "age"):
                add_combined(pool, "/", count, (variant(view.base, name, ONES), aggregates[name]))


def plain_aggregates(scope: Scope, pool: Pool) -> None:
    """Sums, means, spreads, extremes, first and last, trends of numbers."""
    _of_numbers(scope, pool, scope.plain_numbers)


def products(scope: Scope, pool: Pool) -> None:
    """Sums and means of products and ratios of two numbers of a row."""
    _of_numbers(scope, pool, [valued for valued in scope.numbers if not valued.plain])


def _of_numbers(scope: Scope, pool: Pool, numbers: list[Valued]) -> None:
    """All numbers over all time and in the main windows, then those that say something there in the others."""
    promising = []
    for valued in numbers:
        measured = Measured(scope.grouping, valued.values)
        pool.watch()
        for view in scope.main_views:
            _aggregates(pool, view, valued, measured)
        if pool.promising:
            promising.append((valued, measured))
    for valued, measured in promising:
        for view in scope.views:
            if not view.main:
                _aggregates(pool, view, valued, measured)


def _aggregates(pool: Pool, view: View, valued: Valued, measured: Measured) -> None:
    aggregate = partial(variant, view.base, value=valued.part)
    pool.add(aggregate("mean"), measured.mean(view.span))
    pool.add(aggregate("sum"), measured.sum(view.span))
    if not valued.plain:
        return
    pool.add(aggregate("std"), measured.std(view.span))
    least, most = measured.extreme(view.span, "min"), measured.extreme(view.span, "max")
    pool.add(aggregate("max"), most)
    pool.add(aggregate("min"), least)
    if not view.main:
        return
    pool.add(aggregate("range"), most - least)
    if measured.complete and view.base.table_day:
        pool.add(aggregate("last"), measured.at(view.span, -1))
        pool.add(aggregate("first"), measured.at(view.span, 0))
        pool.add(aggregate("slope"), measured.slope(view.span))
        several = view.span.high - view.span.low > 1
        step = np.where(several, measured.at(view.span, -1) - measured.at(view.span, -2), 0.0)
        pool.add(aggregate("step"), step)


def shares(scope: Scope, pool: Pool) -> None:
    """How many rows something holds for, and which share."""
    for valued in scope.truths:
        measured = Measured(scope.grouping, valued.values)
        pool.watch()
        for view in scope.ordered():
            if not view.main and not pool.promising:
                break
            pool.add(variant(view.base, "sum", valued.part), measured.sum(view.span))
            pool.add(variant(view.base, "mean", valued.part), measured.mean(view.span))


def varieties(scope: Scope, pool: Pool) -> None:
    """How many different ones there are of each category and key."""
    for valued in scope.codes:
        for view in scope.main_views:
            diversity(scope, view, valued, pool)


def diversity(scope: Scope, view: View, valued: Valued, pool: Pool) -> None:
    """The number of different values, repetitions, and the entropy of their shares."""
    codes = valued.values[scope.grouping.order]
    if not np.isfinite(codes).any():
        return
    spans = view.span.distinct()
    size, kinds = len(spans.low), int(np.nanmax(codes)) + 1
    aggregates: dict[str, FloatArray] = {}
    if kinds <= _FEW_KINDS:
        counts = np.zeros((size, kinds))
        for kind in range(kinds):
            running = np.concatenate([[0.0], np.cumsum(codes == kind)])
            counts[:, kind] = running[spans.high] - running[spans.low]
        distinct, present = (counts > 0).sum(axis=1).astype(np.float64), counts.sum(axis=1)
        share = counts / np.maximum(present[:, None], 1.0)
        entropy = -(share * np.log(np.where(share > 0, share, 1.0))).sum(axis=1)
        aggregates = {"distinct": distinct, "repeats": present - distinct, "entropy": entropy}
    elif 0 < int(spans.lengths.sum()) <= _MOST_COUNTED:
        places, owner = spans.rows()
        present_rows = np.isfinite(codes[places])
        pairs = np.unique(owner[present_rows] * kinds + codes[places][present_rows].astype(np.int64))
        distinct = np.bincount(pairs // kinds, minlength=size).astype(np.float64)
        aggregates = {"distinct": distinct, "repeats": np.bincount(owner[present_rows], minlength=size) - distinct}
    for function, values in aggregates.items():
        pool.add(variant(view.base, function, valued.part), values[spans.back])


def conditional(scope: Scope, pool: Pool) -> None:
    """Sums, means, extremes and recency of the rows for which something holds, and their share of the sum."""
    for truth in scope.truths[: max(6, _MOST_LINES // max(len(scope.grouping), 1))]:
        holds = truth.values > 0
        for valued in scope.plain_numbers[:4]:
            if valued.part.slug and truth.part.slug.startswith(valued.part.slug):
                continue
            both = Measured(scope.grouping, np.where(holds, valued.values, np.nan))
            whole = Measured(scope.grouping, valued.values)
            keep = condition(truth)
            for view in scope.main_views:
                part = variant(view.base, "sum", valued.part, keep), both.sum(view.span)
                pool.add(*part)
                pool.add(variant(view.base, "mean", valued.part, keep), both.mean(view.span))
                if view.window.anchor is None or view.window.high is None:
                    add_combined(pool, "/", part, (variant(view.base, "sum", valued.part), whole.sum(view.span)))


def changes(scope: Scope, pool: Pool) -> None:
    """The last window against the one before and against all: differences and ratios of counts, sums and means."""
    lengths = (*_COMPARED, *(view.window.high for view in scope.views if view.main and view.window.high in HOURS))
    clocked = [view for view in scope.ordered() if view.window.high in lengths and view.base.after is None]
    named = {view.window.named: view for view in scope.views if view.window.named}
    clocked += [view for name, view in named.items() if _before(name) in named]
    wholes = {
        (view.window.anchor, view.base.row_day): view
        for view in scope.views
        if view.window.high is None and view.base.after is None
    }
    measures: list[tuple[Part, str, Callable[[Span], FloatArray]]] = [(ONES, "count", Span.count)]
    for valued in scope.plain_numbers[:5]:
        measured = Measured(scope.grouping, valued.values)
        measures += [(valued.part, "mean", measured.mean), (valued.part, "sum", measured.sum)]
    for valued in scope.truths[:12]:
        measured = Measured(scope.grouping, valued.values)
        measures.append((valued.part, "sum", measured.sum))
    for view in clocked:
        length = float(view.window.high or 0.0)
        before = replace(view.window, low=length, high=2 * length)
        if view.window.named:
            before = named[_before(view.window.named)].window
        row_days = view.span.now if view.window.anchor == "row" else None
        earlier = scope.grouping.span(before, row_days)
        past = replace(view.base, window=before)
        whole = wholes.get((view.window.anchor, view.base.row_day)) or wholes.get((None, ""))
        for part, function, measure in measures:
            last = variant(view.base, function, part), measure(view.span)
            previous = variant(past, function, part), measure(earlier)
            for sign in ("-", "%", "/") if function != "mean" or view.main else ("-", "%"):
                add_combined(pool, sign, last, previous)
            if whole is not None and view.main:
                always = variant(whole.base, function, part), measure(whole.span)
                for sign in ("/", "-") if function == "mean" else ("/",):
                    add_combined(pool, sign, last, always)


def _before(name: str) -> str:
    """The calendar period before one.

    >>> _before("the last full month")
    'the full month before the last'
    """
    prefix, separator, period = name.partition("the last full ")
    return f"the full {period} before the last" if separator and not prefix else ""


def against_row(scope: Scope, pool: Pool) -> None:
    """The row's own number against the mean, the sum and the largest of related rows."""
    context = scope.context
    mine = context.primary.of("number")[:6]
    for view in scope.main_views[:3]:
        for column in mine:  # so many for each unit of the row's number
            add_combined(
                pool, "/", (variant(view.base, "count", ONES), view.span.count()), number_offer(context, column)
            )
    for view in scope.main_views[:3]:
        for valued in scope.plain_numbers[:5]:
            measured = Measured(scope.grouping, valued.values)
            mean = variant(view.base, "mean", valued.part), measured.mean(view.span)
            most = variant(view.base, "max", valued.part), measured.extreme(view.span, "max")
            total = variant(view.base, "sum", valued.part), measured.sum(view.span)
            for column in mine:
                if column.ref.key == scope.join.row_key and column.ref.table == scope.join.table:
                    continue  # what the same table says of the same row
                number = number_offer(context, column)
                add_combined(pool, "/", number, mean)
                if comparable(number[1], mean[1]):
                    add_combined(pool, "-", number, mean)
                add_combined(pool, "/", total, number)
                add_combined(pool, "/", number, most)
                if valued.part.slug != column.ref.column:
                    add_combined(pool, "*", number, mean)
