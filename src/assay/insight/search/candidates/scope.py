"""A join at work: the related rows of each row, the windows that they are seen through, what each of them says."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from assay.core.arrays import FloatArray
from assay.insight.search.candidates.parts import Valued, code_parts, number_parts, truth_parts
from assay.insight.search.ranges import Grouping, Span
from assay.insight.search.recipes import Aggregate, Part, Window
from assay.insight.search.search_context import Join, SearchContext
from assay.insight.search.typed_tables import SELF, Ref, TypedTable

__all__ = ["ONES", "Scope", "View", "condition", "made", "open_scope"]

LENGTHS = (7.0, 30.0, 60.0, 90.0, 180.0, 365.0, 730.0, 1095.0)
_MAIN = (90.0, 365.0)
HOURS = (0.125, 0.25, 1.0, 3.0)  # days: also tried before a row, where a table tells the time of day and is dense
_MAIN_HOURS = (0.25, 1.0)
_DENSE = 0.2  # share of rows that have related ones in so short a time
_LEAST_SHARED = 1.6  # rows of a key in the primary table, on average
_CONSTANT = 0.005
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
    sheet: TypedTable
    join: Join
    grouping: Grouping
    views: list[View]
    numbers: list[Valued]
    truths: list[Valued]
    codes: list[Valued]
    small: bool  # a distant or coarse join, where the plainest aggregates must do

    def ordered(self) -> list[View]:
        """The views, those first that all is tried in."""
        return sorted(self.views, key=lambda view: not view.main)


def open_scope(context: SearchContext, join: Join, clock: Ref | None) -> Scope | None:
    """The join with what it offers; None where no rows are related, or none may be counted."""
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
    if join.table == SELF and len(grouping) < _LEAST_SHARED * len(np.unique(grouping.owner)):
        return None  # most rows are alone with their key: aggregates would repeat the row
    pooled = join.table == SELF
    itself = tuple(dict.fromkeys(c.ref.column for c in context.primary.columns if c.ref.key is None)) if pooled else ()
    base = Aggregate(
        table=join.table, row_key=join.row_key, table_key=join.table_key, function="count", value=ONES,
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
            strict = pooled and context.timed  # where times count, the row itself is not its own past
            windows.append((Window("row", None, None, strict), place == 0, moment))
            windows += [
                (Window("row", None, length, strict), place == 0 and length in _MAIN, moment) for length in LENGTHS
            ]
            if place == 0 and _tells_hours(days):
                windows += [(Window("row", None, hours, strict), hours in _MAIN_HOURS, moment) for hours in HOURS]
    whole = not join.row_key.column
    if whole:  # all rows are related: only what moves with the row's date can differ
        windows = [(window, True, since) for window, _, since in windows if window.anchor == "row"]
    small = join.far > 0 or (pooled and len(np.unique(grouping.owner)) <= 50 and not whole)
    if small:
        windows = [entry for entry in windows if entry[1]]
    for window, main, since in windows:
        row_days = None if since is None else context.days(since)
        span = grouping.span(window, row_days)
        filled = float((span.high > span.low).mean())
        if not filled or (window.high in HOURS and filled < _DENSE):
            continue
        views.append(View(window, span, replace(base, window=window, row_day=_row_day(since)), main))
    numbers, truths = number_parts(context, sheet, join.table_key), truth_parts(context, sheet, join.table_key)
    codes = code_parts(context, sheet)
    if not whole:
        numbers, truths, codes = ([v for v in valued if _varies(grouping, v)] for valued in (numbers, truths, codes))
    if small:
        numbers, truths, codes = [valued for valued in numbers if valued.plain][:4], truths[:10], codes[:3]
    return Scope(context, sheet, join, grouping, views, numbers, truths, codes, small)


def _tells_hours(days: FloatArray) -> bool:
    """Whether times of day are known."""
    known = days[np.isfinite(days)]
    return bool(len(known)) and float((known != np.floor(known)).mean()) > 0.5


def _varies(grouping: Grouping, valued: Valued) -> bool:
    """Whether rows of one key differ: what belongs to the key itself has been looked up, and as a condition it would
    only join two insights into one.
    """
    values = np.nan_to_num(valued.values[grouping.order], nan=-1.0)
    pairs = np.diff(grouping.owner) == 0
    return bool((values[1:] != values[:-1])[pairs].mean() > _CONSTANT) if pairs.any() else True


def _row_day(moment: Ref | None) -> str:
    return "" if moment is None else f"day_of({moment.in_row()})"


def made(base: Aggregate, function: str, value: Part, *keep: Part) -> Aggregate:
    """The aggregate of one view with another function and value."""
    return replace(base, function=function, value=value, keep=keep)


def condition(truth: Valued) -> Part:
    """What holds for a row as the condition that it is kept for."""
    part = truth.part
    return Part(part.code + " > 0", part.words, part.slug, part.tables, part.cost)
