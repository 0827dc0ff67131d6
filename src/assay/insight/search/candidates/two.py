"""Candidates of two others: ratios and differences of aggregates, also of different tables, and two conditions."""

from __future__ import annotations

import itertools

import numpy as np

from assay.insight.search.candidates.families import add_combined, comparable
from assay.insight.search.candidates.scope import Scope, condition, variant
from assay.insight.search.pool import Pool
from assay.insight.search.ranges import Measured
from assay.insight.search.recipes import Aggregate, Window
from assay.insight.search.search_context import SearchContext

__all__ = ["both_conditions", "ratios"]

_BEAM = 34  # columns that are combined with each other
_WIDE_BEAM = 150  # of which plain ones are taken per row of another table
_PLAIN = 2.5  # what such a column may cost to say
_LEAST_ROWS = 250  # with fewer, chance would choose among so many
_FIRST, _SECOND = 5, 40  # conditions that promise most, and those that are added to each


def ratios(context: SearchContext, pool: Pool) -> None:
    """Ratios and differences of the columns that say most alone; one is added below where counts may be 0."""
    if len(context.rows) < _LEAST_ROWS:
        return
    strongest = pool.strongest(_BEAM)
    for offer, counted in itertools.product(pool.strongest(_WIDE_BEAM), pool.counts):
        part, rows = offer[0], counted[0]
        if isinstance(part, Aggregate) and part.table != rows.table and rows.window in (Window(), part.window):
            if part.cost > _PLAIN or rows.row_key != part.row_key or rows.after is not None:
                continue
            add_combined(pool, "/", offer, counted)
            add_combined(pool, "/+", offer, counted)
    for a, b in itertools.permutations(strongest, 2):
        if _same_rows(a[0], b[0]):
            continue  # tried within the family
        for sign in ("/", "/+") if (b[1] == 0).any() else ("/",):
            add_combined(pool, sign, a, b)
    for a, b in itertools.combinations(strongest, 2):
        if not _same_rows(a[0], b[0]) and comparable(a[1], b[1]):
            add_combined(pool, "-", a, b)


def _same_rows(a: object, b: object) -> bool:
    """Whether a ratio of the two is a mean that another aggregate gives."""
    if not isinstance(a, Aggregate) or not isinstance(b, Aggregate):
        return False
    place = (a.table, a.row_key, a.table_key, a.window, a.keep, a.value) == (
        b.table, b.row_key, b.table_key, b.window, b.keep, b.value
    )  # fmt: skip
    return place and {a.function, b.function} <= {"sum", "mean", "count"}


def both_conditions(scope: Scope, pool: Pool) -> None:
    """How many rows there are, and which share, for which two things hold: the most promising with all others."""
    views = scope.main_views
    if not views or len(scope.context.rows) < _LEAST_ROWS:
        return
    promise = [
        max(pool.gain(Measured(scope.grouping, truth.values).sum(view.span)) for view in views[:2])
        for truth in scope.truths
    ]
    order = np.argsort(-np.array(promise), kind="stable").tolist()
    for number, place in enumerate(order[:_FIRST]):
        first = scope.truths[place]
        for other in order[number + 1 : _SECOND]:
            second = scope.truths[other]
            if first.part.code.partition("==")[0] == second.part.code.partition("==")[0]:
                continue  # two values of one column
            both = Measured(scope.grouping, np.where(first.values > 0, second.values, np.nan))
            pool.watch()
            for view in views:
                pool.add(variant(view.base, "sum", second.part, condition(first)), both.sum(view.span))
            for view in scope.views if pool.promising else []:
                function, values = ("mean", both.mean) if view.main else ("sum", both.sum)
                pool.add(variant(view.base, function, second.part, condition(first)), values(view.span))
