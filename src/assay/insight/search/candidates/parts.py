"""What each row of a related table contributes: numbers, whether something holds, which of several it is."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from assay.core.arrays import FloatArray
from assay.insight.search.candidates.families import words_in
from assay.insight.search.recipes import Part
from assay.insight.search.search_context import SearchContext
from assay.insight.search.typed_tables import Column, Ref, TypedTable

__all__ = ["Valued", "code_parts", "number_parts", "tells_hours", "truth_parts"]

_MOST_NUMBERS = 12
_MOST_LEVELS = 10
_MOST_OTHERS = 4
_MOST_TRUTHS = 70
_MOST_ROUND = 3
_MOST_LIMITS = 10
_GAPS = (0.0, 7.0, 14.0, 30.0, 60.0, 90.0, 180.0, 365.0)
_FEW = 10  # distinct numbers that are cut one by one


class Valued(NamedTuple):
    """A part with its values, one per row of the table."""

    part: Part
    values: FloatArray
    plain: bool = True  # a column itself, not made of two


def _valued(context: SearchContext, table: TypedTable, part: Part) -> Valued:
    return Valued(part, context.data.values(table.name, part.code))


def _far(column: Column) -> bool:
    return column.ref.key is not None


def number_parts(context: SearchContext, table: TypedTable, key: Ref) -> list[Valued]:
    """Numeric columns but the key, counts in lists, days between dates, products and ratios of two own columns."""
    parts: list[Valued] = []
    columns = [c for c in table.of("number") if c.distinct > 1 and c.ref != key]
    for column in sorted(columns, key=_far)[:_MOST_NUMBERS]:
        code = f"numbers_of({column.ref.in_table()})"
        parts.append(_valued(context, table, Part(code, column.ref.words, column.ref.column, _far(column))))
    for column in table.of("list"):
        for word in words_in(context, table.name, column):
            for kernel, phrase in (("counts_of", "number of"), ("runs_of", "longest run of")):
                code = f"{kernel}({column.ref.in_table()}, {word!r})"
                part = Part(code, f"{phrase} {word} in {column.ref.words}", f"{kernel}_{word}", _far(column))
                parts.append(_valued(context, table, part))
    own = [c for c in table.of("date") if not _far(c)]
    for a, b in itertools.islice(itertools.combinations(own, 2), 3):
        code = f"days_of({b.ref.in_table()}) - days_of({a.ref.in_table()})"
        part = Part(code, f"days from {a.ref.words} to {b.ref.words}", f"days_{a.ref.column}_to_{b.ref.column}")
        parts.append(_valued(context, table, part))
    clock = table.clock
    if clock is not None and clock.key is None and tells_hours(context.data.days(table.name, clock)):
        part = Part(f"(days_of({clock.in_table()}) % 1.0) * 24.0", f"hour of {clock.words}", f"{clock.column}_hour")
        parts.append(_valued(context, table, part))
    singles = [entry for entry in parts if np.ptp(_finite(entry.values)) > 0][:5]
    for x, y in itertools.combinations(singles, 2):
        tables = x.part.tables or y.part.tables
        product = Part(f"{x.part.code} * {y.part.code}", f"{x.part.words} times {y.part.words}",
                       f"{x.part.slug}_times_{y.part.slug}", tables, 2.0)  # fmt: skip
        parts.append(Valued(product, x.values * y.values, False))
        ratio = Part(f"{x.part.code} / np.where({y.part.code} == 0, np.nan, {y.part.code})",
                     f"{x.part.words} per {y.part.words}", f"{x.part.slug}_per_{y.part.slug}", tables, 2.0)  # fmt: skip
        parts.append(Valued(ratio, x.values / np.where(y.values == 0, np.nan, y.values), False))
    return parts


def _finite(values: FloatArray) -> FloatArray:
    finite = values[np.isfinite(values)]
    return finite if len(finite) else np.zeros(1)


def tells_hours(days: FloatArray) -> bool:
    """Whether times of day are known."""
    return bool((_finite(days) % 1.0 > 0).mean() > 0.5)


def _truth(test: str, words: str, slug: str, tables: bool = False, cost: float = 0.5) -> Part:
    """Whether a test, an expression over ``t``, holds for a row."""
    return Part(f"({test}).astype(np.float64)", words, slug, tables, cost, True)


def truth_parts(context: SearchContext, table: TypedTable, key: Ref) -> list[Valued]:
    """Whether a category has a value, a limit is passed, a flag is set, a number is high or low, a day is special."""
    parts: list[Part] = []
    others: list[Part] = []
    for column in sorted((c for c in table.of("category") if c.ref != key), key=_far):
        keys = f"keys_of({column.ref.in_table()})"
        for level in column.levels[:_MOST_LEVELS]:
            words, slug = f"{column.ref.words} {level}", f"{column.ref.column}_{level}"
            parts.append(_truth(f"{keys} == {level!r}", words, slug, _far(column)))
        for level in column.levels[:_MOST_OTHERS] if 2 < len(column.levels) <= _MOST_LEVELS else ():
            words, slug = f"{column.ref.words} other than {level}", f"{column.ref.column}_not_{level}"
            others.append(_truth(f"{keys} != {level!r}", words, slug, _far(column)))
    counted = [c for c in table.of("number") if c.ref != key and c.distinct > 1]
    parts += limits(context, table, counted)
    parts += members(table)
    for column in sorted(counted, key=lambda c: (c.distinct > _FEW, _far(c)))[:_MOST_NUMBERS]:
        values = _finite(context.data.numbers(table.name, column.ref))
        parts += _cut(f"numbers_of({column.ref.in_table()})", column, _cuts(values, column.distinct))
    parts += others
    parts += _between(context, table)
    parts += _special_days(context, table)
    return [_valued(context, table, part) for part in parts[:_MOST_TRUTHS]]


def _cuts(values: FloatArray, distinct: int) -> list[tuple[str, float]]:
    """Where a number is cut: between few values everywhere, else at quantiles and at round numbers."""
    if distinct == 2:
        return [(">", float(values.min()))]
    if distinct <= _FEW:
        return [(">=", float(cut)) for cut in np.unique(values)[1:]]
    cuts = [(">", float(np.quantile(values, q))) for q in (0.5, 0.75, 0.9)]
    cuts += [(">", float(values.mean())), *((">", cut) for cut in _round_numbers(values))]
    cuts += [("<", float(np.quantile(values, q))) for q in (0.1, 0.25)]
    return cuts + ([("<", 0.0)] if values.min() < 0 < values.max() else [])


def _round_numbers(values: FloatArray) -> list[float]:
    """Numbers such as 500 or 10,000 within the upper part of the values: what people take for high."""
    low, high = np.quantile(values, [0.2, 0.98])
    top = int(np.floor(np.log10(high))) if high > 0 else 0
    steps = [step * 10.0**power for power in (top, top - 1) for step in (5.0, 2.0, 1.0)]
    return [number for number in steps if max(low, 0.0) < number < high][:_MOST_ROUND]


def _cut(code: str, column: Column, cuts: list[tuple[str, float]]) -> list[Part]:
    parts = []
    for sign, cut in cuts:
        side = {">": "above", ">=": "at least", "<": "below"}[sign]
        slug = f"{column.ref.column}_{side.replace(' ', '_')}_{cut:.4g}"
        words = f"{column.ref.words} {side} {cut:.4g}"
        parts.append(_truth(f"{code} {sign} {cut!r}", words, slug, _far(column), 1.0))
    return parts


def limits(context: SearchContext, table: TypedTable, counted: list[Column]) -> list[Part]:
    """Own numbers above or below what another table says of the row: a limit of its kind, a norm of its place."""
    own = [c for c in counted if not _far(c) and c.distinct > _FEW][:3]
    reached = [c for c in counted if _far(c)][:6]
    parts: list[Part] = []
    for mine in own:
        x = f"numbers_of({mine.ref.in_table()})"
        values = context.data.numbers(table.name, mine.ref)
        comparable: list[tuple[Column, FloatArray]] = []
        for other in reached:
            limit = context.data.numbers(table.name, other.ref)
            present = np.isfinite(values) & np.isfinite(limit)
            share = float((values > limit)[present].mean()) if present.any() else 0.0
            if 0.02 < share < 0.98:
                comparable.append((other, limit))
        for other, _ in comparable:
            y = f"numbers_of({other.ref.in_table()})"
            for sign, side in ((">", "above"), ("<", "below")):
                words = f"{mine.ref.words} {side} {other.ref.words}"
                parts.append(_truth(f"{x} {sign} {y}", words, f"{mine.ref.column}_{side}_{other.ref.column}", True))
        for (a, low), (b, high) in itertools.combinations(comparable, 2):
            if a.ref.table != b.ref.table or not (low <= high)[np.isfinite(low) & np.isfinite(high)].all():
                continue
            y, z = f"numbers_of({a.ref.in_table()})", f"numbers_of({b.ref.in_table()})"
            words = f"{mine.ref.words} outside {a.ref.words} and {b.ref.words}"
            parts.append(_truth(f"({x} < {y}) | ({x} > {z})", words, f"{mine.ref.column}_outside_{a.ref.column}", True))
    return parts[:_MOST_LIMITS]


def members(table: TypedTable) -> list[Part]:
    """Whether a row's word stands in a list that another column holds, and whether it does not."""
    parts = []
    words = [c for c in table.of("key", "category", "text") if not _far(c)][:6]
    for listed, word in itertools.product(table.of("list")[:2], words):
        inside = f"members_of({word.ref.in_table()}, {listed.ref.in_table()})"
        phrase = f"{word.ref.words} in {listed.ref.words}"
        slug = f"{word.ref.column}_in_{listed.ref.column}"
        parts.append(Part(inside, phrase, slug, _far(listed), 0.5, True))
        parts.append(
            Part(f"1.0 - {inside}", phrase.replace(" in ", " not in "), f"{slug}_not", _far(listed), 0.5, True)
        )
    return parts


def _between(context: SearchContext, table: TypedTable) -> list[Part]:
    """Whether more than so many days lie between two dates of a row."""
    parts = []
    own = [c for c in table.of("date") if not _far(c)]
    for a, b in itertools.islice(itertools.combinations(own, 2), 2):
        code = f"(days_of({b.ref.in_table()}) - days_of({a.ref.in_table()}))"
        days = _finite(np.asarray(context.data.values(table.name, code), dtype=np.float64))
        for cut in _GAPS:
            if 0.02 < float((days > cut).mean()) < 0.98:
                words = f"more than {cut:g} days from {a.ref.words} to {b.ref.words}"
                slug = f"over_{cut:g}d_{a.ref.column}_to_{b.ref.column}"
                parts.append(_truth(f"{code} > {cut!r}", words, slug, cost=1.0))
    return parts


def _special_days(context: SearchContext, table: TypedTable) -> list[Part]:
    """Whether a row happened at a weekend, at night, in the evening."""
    if table.clock is None or table.clock.key is not None:
        return []
    days = f"days_of({table.clock.in_table()})"
    hour = f"(({days} % 1.0) * 24.0)"
    tests = {"at a weekend": f"np.floor({days} + 3) % 7 >= 5"}
    if tells_hours(context.data.days(table.name, table.clock)):
        tests |= {
            "at night": f"({hour} < 6.0) | ({hour} >= 22.0)",
            "before noon": f"{hour} < 12.0",
            "in the evening": f"{hour} >= 18.0",
        }
    name, slug = table.clock.words, table.clock.column
    return [_truth(test, f"{name} {words}", f"{slug}_{words.rpartition(' ')[2]}") for words, test in tests.items()]


def code_parts(context: SearchContext, table: TypedTable) -> list[Valued]:
    """Categories and keys as numbers that only tell them apart; missing ones are missing."""
    parts: list[Valued] = []
    columns = [c for c in table.of("category", "key", "date") if 1 < c.distinct < len(table.frame)]
    for column in sorted(columns, key=_far)[:8]:
        keys = f"pd.factorize(pd.Series(keys_of({column.ref.in_table()})))[0].astype(np.float64)"
        code = f"np.where({keys} < 0, np.nan, {keys})"
        parts.append(_valued(context, table, Part(code, column.ref.words, column.ref.column, _far(column))))
    return parts
