"""Candidates of the primary row itself: numbers, dates, categories, what other tables say of them, and pairs."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from assay.core.arrays import FloatArray
from assay.insight.search.choose import responses_of
from assay.insight.search.kernels import pair_of
from assay.insight.search.pool import Pool
from assay.insight.search.recipes import Combined, Recipe, RowTerm
from assay.insight.search.search_context import SearchContext
from assay.insight.search.typed_tables import SELF, Column, Ref

__all__ = ["Offer", "add_combined", "comparable", "number_offer", "row_families"]

_MOST_LEVELS = 12
_MOST_PAIRED = 14
_MOST_ORDERED = 36
_LEAST_ROWS = 12  # of a level whose mean target is to count
_ALIKE = 8.0  # factor between two spreads up to which they are comparable
_RECENT = (30.0, 90.0, 180.0, 365.0)
_UNITS = (1.0, 30.4375, 365.25)  # days of a day, a month, a year
_PERIOD = re.compile("period|term|duration|warranty|tenure|months|years|days|length", re.IGNORECASE)


Offer: TypeAlias = tuple[Recipe, FloatArray]  # a column and its values


def add_combined(pool: Pool, sign: str, left: Offer, right: Offer) -> None:
    """Offer two columns in one."""
    pool.add(Combined(sign, left[0], right[0]), _combine(sign, left[1], right[1]))


def _combine(sign: str, a: FloatArray, b: FloatArray) -> FloatArray:
    """The values of two columns in one, as the recipe ``Combined`` computes them."""
    if sign == "/+":
        b = b + 1.0
    if sign in ("/", "/+", "%"):
        usable = np.abs(b) > 1e-12
        above = a - b if sign == "%" else a
        return np.where(usable, above / np.where(usable, b, 1.0), 0.0)
    return a + b if sign == "+" else a - b if sign == "-" else a * b


def comparable(a: FloatArray, b: FloatArray) -> bool:
    """Whether a sum or difference of two columns says something of both: they spread alike."""
    x, y = float(np.nanstd(a)), float(np.nanstd(b))
    return x > 0 and y > 0 and 1 / _ALIKE < x / y < _ALIKE


def number_offer(context: SearchContext, column: Column) -> Offer:
    """A numeric column of the row; missing values are 0."""
    ref = column.ref
    slug = ref.column if ref.key is None else f"{ref.column}_of_{ref.table}"
    term = RowTerm(f"number_of({ref.in_row()})", ref.words, slug, ref.key is not None)
    return term, np.nan_to_num(context.numbers(ref))


def _numbers(context: SearchContext) -> list[Offer]:
    return [number_offer(context, column) for column in context.primary.of("number")]


def numbers(context: SearchContext, pool: Pool) -> None:
    """Numeric columns of the row and of what it reaches; missing values are 0."""
    for term, values in _numbers(context):
        pool.add(term, values)


def _day(ref: Ref) -> str:
    return f"day_of({ref.in_row()})"


def dates(context: SearchContext, pool: Pool) -> None:
    """Parts of dates, days between two, and periods that count from one."""
    columns = context.primary.of("date")
    periods = [c for c in context.primary.of("number") if _PERIOD.search(c.ref.column)][:4]
    for column in columns:
        ref, days = column.ref, context.days(column.ref)
        moment = f"np.datetime64(int(np.floor(plain({_day(ref)}))), 'D')"
        whole = np.floor(np.nan_to_num(days)).astype("int64").astype("datetime64[D]")
        month = whole.astype("datetime64[M]").astype(int) % 12 + 1
        weekday = (whole.astype(int) + 3) % 7
        hour = np.floor((np.nan_to_num(days) % 1.0) * 24.0)
        for code, words, slug, values in (
            # a fixed day is all that is needed: the age at any time is it but for a constant
            (_day(ref), f"{ref.words} as days", "days", days),
            (f"float({moment}.astype('datetime64[M]').astype(int) % 12 + 1)", f"month of {ref.words}", "month", month),
            (f"float(({moment}.astype(int) + 3) % 7)", f"day of the week of {ref.words}", "weekday", weekday),
            (f"np.floor(({_day(ref)} % 1.0) * 24.0)", f"hour of {ref.words}", "hour", hour),
        ):
            pool.add(RowTerm(code, words, f"{ref.column}_{slug}", ref.key is not None), values)
    for a, b in itertools.combinations(columns[:8], 2):
        gap = context.days(b.ref) - context.days(a.ref)
        term = RowTerm(
            f"{_day(b.ref)} - {_day(a.ref)}", f"days from {a.ref.words} to {b.ref.words}",
            f"days_{a.ref.column}_to_{b.ref.column}", a.ref.key is not None or b.ref.key is not None,
        )  # fmt: skip
        pool.add(term, gap)
        for period, unit in itertools.product(periods, _UNITS):
            excess(context, pool, f"{_day(b.ref)} - {_day(a.ref)}", gap, period, unit)
            excess(context, pool, f"{_day(a.ref)} - {_day(b.ref)}", -gap, period, unit)
    if context.timed:
        return
    for column in columns:
        days = context.days(column.ref)
        end = float(np.nanmax(days)) if np.isfinite(days).any() else 0.0
        for period, unit in itertools.product(periods, _UNITS):
            excess(context, pool, f"{end!r} - {_day(column.ref)}", end - days, period, unit)


def excess(context: SearchContext, pool: Pool, code: str, days: FloatArray, period: Column, unit: float) -> None:
    """By how many days a period is over, and the same where it is not yet."""
    length = np.nan_to_num(context.numbers(period.ref)) * unit
    beyond = f"({code}) - {unit!r} * number_of({period.ref.in_row()})"
    words = f"days beyond {period.ref.words} (unit of {unit:g} days)"
    over = np.nan_to_num(days - length)
    gated = np.where(over > 0, np.nan_to_num(days), 0.0)
    for term, phrase, slug, values in (
        (beyond, words, "beyond", over),
        (f"max({beyond}, 0.0)", f"{words}, at least 0", "over", np.maximum(over, 0.0)),
        (f"({code}) if {beyond} > 0 else 0.0", f"days where they exceed {period.ref.words}", "exceeding", gated),
    ):
        pool.add(RowTerm(term, phrase, f"days_{slug}_{period.ref.column}", True, 2.0), values)


def recent(context: SearchContext, pool: Pool) -> None:
    """Whether a date lies within some days before the row's, and what numbers say where it does: 0 elsewhere."""
    dates_ = [c for c in context.primary.of("date") if "birth" not in c.ref.column.lower()][:6]
    for moment in context.moments:
        for date in dates_:
            if date.ref == moment:
                continue
            gap = context.days(moment) - context.days(date.ref)
            code = f"({_day(moment)} - {_day(date.ref)})"
            companions = [
                c for c in context.primary.of("number") if c.ref.key is not None and c.ref.key == date.ref.key
            ][:4]
            for length in _RECENT:
                inside = (gap >= 0) & (gap <= length)
                holds = f"0 <= {code} <= {length!r}"
                words = f"{date.ref.words} is within {length:g} days before {moment.words}"
                slug = f"{date.ref.column}_within_{length:g}d_of_{moment.column}"
                pool.add(RowTerm(f"float({holds})", words, slug, True, 1.0), inside.astype(np.float64))
                for number in companions:
                    term = RowTerm(
                        f"number_of({number.ref.in_row()}) if {holds} else 0.0",
                        f"{number.ref.words} where {words}", f"{number.ref.column}_where_{slug}", True, 2.0,
                    )  # fmt: skip
                    pool.add(term, np.where(inside, context.numbers(number.ref), 0.0))


def levels(context: SearchContext, pool: Pool) -> None:
    """Whether a category has a value, and how frequent its value is."""
    for column in context.primary.of("category", "key"):
        keys = context.keys(column.ref)
        for level in column.levels[:_MOST_LEVELS]:
            term = RowTerm(
                f"float(key_of({column.ref.in_row()}) == {level!r})", f"{column.ref.words} is {level}",
                f"{column.ref.column}_is_{level}", column.ref.key is not None,
            )  # fmt: skip
            pool.add(term, (keys == level).astype(np.float64))
    for a, b in itertools.combinations(context.primary.of("category", "key")[:12], 2):
        if a.ref.own == b.ref.own:
            continue
        same = (context.keys(a.ref) == context.keys(b.ref)).astype(np.float64)
        code = f"float(key_of({a.ref.in_row()}) == key_of({b.ref.in_row()}))"
        term = RowTerm(code, f"{a.ref.words} equals {b.ref.words}", f"{a.ref.column}_equals_{b.ref.column}", True)
        pool.add(term, same)


def orders(context: SearchContext, pool: Pool) -> None:
    """Categories, alone and in pairs, as numbers in the order of the target's mean among the training rows."""
    columns = [c for c in context.primary.of("category", "number") if 2 < c.distinct <= _MOST_ORDERED]
    columns = [c for c in columns if c.kind == "category" or c.whole]
    target = responses_of(context.target, context.kind)[0][0]
    for a in columns:
        ordered(pool, context.keys(a.ref), f"key_of({a.ref.in_row()})", target, (a,))
    for a, b in itertools.islice(itertools.combinations(columns, 2), 15):
        if a.distinct * b.distinct <= _MOST_ORDERED:
            keys = [pair_of(x, y) for x, y in zip(context.keys(a.ref), context.keys(b.ref), strict=True)]
            code = f"pair_of({a.ref.in_row()}, {b.ref.in_row()})"
            ordered(pool, np.array(keys, dtype=object), code, target, (a, b))


def ordered(pool: Pool, keys: npt.NDArray[Any], code: str, target: FloatArray, columns: tuple[Column, ...]) -> None:
    """One such column; levels with few rows stand in the middle."""
    groups = pd.Series(target).groupby(pd.Series(keys, dtype=object))
    means, sizes = groups.mean(), groups.size()
    means = means[sizes >= _LEAST_ROWS]
    if len(means) < 3:
        return
    places = {str(key): float(place) for place, key in enumerate(means.sort_values(kind="stable").index)}
    middle = (len(places) - 1) / 2
    names = " and ".join(column.ref.words for column in columns)
    term = RowTerm(
        f"{places!r}.get({code}, {middle!r})", f"{names}, in the order of the mean target",
        "order_of_" + "_and_".join(column.ref.column for column in columns),
        any(column.ref.key is not None for column in columns), 1.0 + len(places) / 3,
    )  # fmt: skip
    pool.add(term, np.array([places.get(key, middle) for key in keys.tolist()]))


def lists(context: SearchContext, pool: Pool) -> None:
    """How often each word stands in a list."""
    for column in context.primary.of("list"):
        for word in words_in(context, SELF, column):
            values = context.data.values(SELF, f"counts_of({column.ref.in_table()}, {word!r})")[context.rows]
            term = RowTerm(
                f"count_in({column.ref.in_row()}, {word!r})", f"{word} in {column.ref.words}",
                f"{column.ref.column}_{word}", column.ref.key is not None,
            )  # fmt: skip
            pool.add(term, values)


def words_in(context: SearchContext, table: str, column: Column) -> list[str]:
    """The commonest words of a column of lists."""
    counts: dict[str, int] = {}
    for text in context.data.values(table, column.ref.in_table()).dropna().astype(str).head(300):
        for part in text.split(","):
            word = part.strip(" '\"[]()")
            counts[word] = counts.get(word, 0) + 1
    return sorted((word for word in counts if word), key=lambda word: (-counts[word], word))[:8]


def pairs(context: SearchContext, pool: Pool) -> None:
    """Sums, differences, products and ratios of two numbers."""
    for a, b in itertools.combinations(_numbers(context)[:_MOST_PAIRED], 2):
        for sign in ("/", "-", "*", "+") if comparable(a[1], b[1]) else ("/", "*"):
            add_combined(pool, sign, a, b)
        add_combined(pool, "/", b, a)


row_families: tuple[Callable[[SearchContext, Pool], None], ...] = (
    numbers, dates, recent, levels, orders, lists, pairs,
)  # fmt: skip
