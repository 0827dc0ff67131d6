"""A join in use: the related rows of each row, the windows of time, and the values of each related row."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from assay.core.arrays import FloatArray
from assay.insight.search.candidates.parts import Valued, code_parts, number_parts, tells_hours, truth_parts
from assay.insight.search.ranges import Grouping, Span
from assay.insight.search.recipes import NEVER, Aggregate, Part, Window
from assay.insight.search.search_context import Join, SearchContext
from assay.insight.search.typed_tables import SELF, Ref

__all__ = ["ONES", "Scope", "View", "condition", "open_scope", "variant"]

LENGTHS = (1.0, 7.0, 14.0, 30.0, 60.0, 90.0, 180.0, 365.0, 730.0, 1095.0, 1826.0)
_MAIN = (90.0, 365.0)
_RARE = (1.0, 14.0, 1826.0)  # not for whole tables
HOURS = (0.125, 0.25, 1.0, 3.0)  # in days: tried too where times are declared and a table tells the time of day
_MAIN_HOURS = (0.25, 1.0)
_DENSE = 0.2  # share of rows that have related ones in so short a time
_LEAST_SHARED = 1.6  # rows of a key in the primary table, on average
_FEWEST_SHARED = 1.15  # where steps from row to row still say something
_CONSTANT = 0.005
_INSTANT = 1e-6
_MOST_EVENTS = 3
_LEAST_EVENTS = 1.3  # of a key, on average
ONES = Part("np.ones(len(t))")


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
    join: Join
    grouping: Grouping
    views: list[View]
    numbers: list[Valued]
    truths: list[Valued]
    codes: list[Valued]
    small: bool  # a distant or coarse join, where the plainest aggregates must do
    sparse: bool = False  # most rows are alone with their key: only counts and steps from row to row are tried

    def ordered(self) -> list[View]:
        """The views, main ones first."""
        return sorted(self.views, key=lambda view: not view.main)

    @property
    def main_views(self) -> list[View]:
        """The views in which all aggregates are tried."""
        return [view for view in self.views if view.main]

    @property
    def plain_numbers(self) -> list[Valued]:
        """Numbers that are not made of two."""
        return [valued for valued in self.numbers if valued.plain]


def open_scope(context: SearchContext, join: Join, clock: Ref | None) -> Scope | None:
    """The join with what it offers; None where no rows are related, or none may be counted."""
    table = context.tables[join.table]
    data = context.data
    careful = context.timed and (join.table == SELF or join.table in context.dated)
    if careful and (clock is None or not context.moments):
        return None
    days = data.days(table.name, clock) if clock else np.zeros(len(table.frame))
    grouping = Grouping(context.keys(join.row_key), data.keys(table.name, join.table_key), days)
    if not len(grouping):
        return None
    alone = len(grouping) <= len(np.unique(grouping.owner)) * 1.02
    if alone and join.far == 0 and join.table != SELF:
        return None  # one row for each key: the row itself has been looked up
    shared = len(grouping) / max(len(np.unique(grouping.owner)), 1)
    sparse = join.table == SELF and shared < _LEAST_SHARED  # most rows are alone: aggregates would repeat the row
    if sparse and (shared < _FEWEST_SHARED or join.far > 0):
        return None
    pooled = (table.stack.first if table.stack else join.table) == SELF
    itself = tuple(dict.fromkeys(c.ref.column for c in context.primary.columns if c.ref.key is None)) if pooled else ()
    base = Aggregate(
        table=join.table, row_key=join.row_key, table_key=join.table_key, function="count", value=ONES,
        table_day=f"days_of({clock.in_table()})" if clock else "", subject=table.words, pooled=itself,
        stack=table.stack,
    )  # fmt: skip
    windows: list[tuple[Window, bool, Ref | None]] = []
    if not careful:
        windows.append((Window(), True, None))
        if clock:
            windows += [(Window("end", None, length), length in _MAIN, None) for length in LENGTHS]
            windows += [(window, False, None) for window in calendar_windows(grouping.end)]
    short = HOURS if context.timed and clock and tells_hours(days) else ()
    if clock:
        for place, moment in enumerate(context.moments):
            strict = pooled and context.timed  # where times count, the row itself is not its own past
            windows.append((Window("row", None, None, strict), place == 0, moment))
            if (
                pooled and not strict and place == 0 and join.row_key.column and not table.stack
            ):  # days since the one before it
                windows.append((Window("row", None, None, True), False, moment))
            windows += [
                (Window("row", None, length, strict), place == 0 and length in _MAIN, moment) for length in LENGTHS
            ]
            if short:
                windows = [entry for entry in windows if entry[0].high not in short]
                windows += [(Window("row", None, length, strict), length in _MAIN_HOURS, moment) for length in short]
    whole = not join.row_key.column
    if whole:  # all rows are related: only what moves with the row's date can differ
        moving = [(window, True, since) for window, _, since in windows if window.anchor == "row"]
        windows = [entry for entry in moving if entry[0].high not in _RARE or entry[0].high in short]
    small = join.far > 0 or (pooled and len(np.unique(grouping.owner)) <= 50 and not whole)
    if small:
        windows = [entry for entry in windows if entry[1]]
    views = []
    for window, main, since in windows:
        row_days = None if since is None else context.days(since)
        span = grouping.span(window, row_days)
        filled = float(span.filled.mean())
        if not filled:
            continue
        if window.high in short and filled < _DENSE:
            if whole or window.high not in LENGTHS:
                continue
            main = False
        views.append(View(window, span, replace(base, window=window, row_day=_row_day(since)), main))
    if clock and context.moments and not small and not whole and not pooled:
        views += [
            View(base.window, grouping.span(base.window, context.days(context.moments[0]), since), base, False)
            for base, since in _since_last(context, join, base)
        ]
        views = [view for view in views if view.span.filled.any()]
    numbers, truths = number_parts(context, table, join.table_key), truth_parts(context, table, join.table_key)
    codes = code_parts(context, table)
    if not whole:
        numbers, truths, codes = ([v for v in valued if _varies(grouping, v)] for valued in (numbers, truths, codes))
    if small:
        numbers, truths, codes = [valued for valued in numbers if valued.plain][:4], truths[:10], codes[:3]
    return Scope(context, join, grouping, views, numbers, truths, codes, small, sparse)


def _since_last(context: SearchContext, join: Join, base: Aggregate) -> list[tuple[Aggregate, FloatArray]]:
    """What came after the last event of the same key: an earlier row of the primary table, or a row of another one."""
    variants: list[tuple[Aggregate, FloatArray]] = []
    moment = context.moments[0]
    now, row_day = context.days(moment), _row_day(moment)
    events = [Join(SELF, join.row_key, join.row_key)] if context.itself else []
    events += [
        j for j in context.joins if j.row_key == join.row_key and j.far == 0 and j.table not in (SELF, join.table)
    ]
    for event in events[:_MOST_EVENTS]:
        table, itself = context.tables[event.table], event.table == SELF
        clock = moment if itself else table.clock
        if clock is None or table.stack:
            continue
        days = context.data.days(table.name, clock)
        rows = Grouping(context.keys(event.row_key), context.data.keys(table.name, event.table_key), days)
        if len(rows) < _LEAST_EVENTS * max(len(np.unique(rows.owner)), 1):
            continue
        span = rows.span(Window("row", strict=True), now)
        last = np.where(span.filled, rows.days[np.clip(span.high - 1, 0, None)], NEVER["latest"])
        own = tuple(c.ref.column for c in context.primary.columns if c.ref.key is None) if itself else ()
        latest = Aggregate(
            table=event.table, row_key=event.row_key, table_key=event.table_key, function="latest", value=ONES,
            window=Window("row", strict=True), table_day=f"days_of({clock.in_table()})", row_day=row_day,
            subject=table.words, pooled=own,
        )  # fmt: skip
        variants.append((replace(base, window=Window("row"), row_day=row_day, after=latest), last))
    return variants


def calendar_windows(end: float) -> list[Window]:
    """The last full month, quarter and year before a day, without and with what has passed since, and that alone."""
    month = int(np.datetime64(int(np.floor(end)), "D").astype("datetime64[M]").astype(int))  # since January 1970
    windows = []
    for months, period in ((1, "month"), (3, "quarter"), (12, "year")):
        begun = month - (month % 12) % months
        first_days = [np.datetime64(begun - back, "M").astype("datetime64[D]") for back in (0, months, 2 * months)]
        starts = [float(day.astype(int)) for day in first_days]
        # a little more, so that the first moment counts and that after the last one does not
        since = [end - start + _INSTANT for start in starts]
        windows.append(Window("end", since[0], since[1], named=f"the last full {period}"))
        windows.append(Window("end", None, since[1], named=f"the last full {period} and since"))
        windows.append(Window("end", since[1], since[2], named=f"the full {period} before the last"))
        if months > 1:
            windows.append(Window("end", None, since[0], named=f"the current {period}"))
    return windows


def _varies(grouping: Grouping, valued: Valued) -> bool:
    """Whether rows of one key differ: what belongs to the key itself has been looked up, and as a condition it would
    only join two insights into one.
    """
    values = np.nan_to_num(valued.values[grouping.order], nan=-1.0)
    pairs = np.diff(grouping.owner) == 0
    return bool((values[1:] != values[:-1])[pairs].mean() > _CONSTANT) if pairs.any() else True


def _row_day(moment: Ref | None) -> str:
    return "" if moment is None else f"day_of({moment.in_row()})"


def variant(base: Aggregate, function: str, value: Part, *keep: Part) -> Aggregate:
    """The aggregate of one view with another function and value."""
    return replace(base, function=function, value=value, keep=keep)


def condition(truth: Valued) -> Part:
    """A truth value as the condition under which a row is kept."""
    part = truth.part
    return Part(part.code + " > 0", part.words, part.slug, part.tables, part.cost)
