"""What each row of a related table contributes: numbers, whether something holds, which of several it is."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from assay.core.arrays import FloatArray
from assay.insight.search.families import words_in
from assay.insight.search.recipes import Part
from assay.insight.search.search_context import SearchContext
from assay.insight.search.typed_tables import Column, Ref, TypedTable

__all__ = ["Valued", "code_parts", "number_parts", "truth_parts"]

_MOST_NUMBERS = 12
_MOST_LEVELS = 10
_MOST_TRUTHS = 40
_FEW = 10  # distinct numbers that are cut one by one


class Valued(NamedTuple):
    """A part with its values, one per row of the table; ``key`` marks those of a table's own key columns."""

    part: Part
    values: FloatArray
    plain: bool = True  # a column itself, not made of two


def _valued(context: SearchContext, sheet: TypedTable, part: Part) -> Valued:
    return Valued(part, context.data.values(sheet.name, part.code))


def _far(column: Column) -> bool:
    return column.ref.key is not None


def number_parts(context: SearchContext, sheet: TypedTable, key: Ref) -> list[Valued]:
    """Numeric columns but the key, counts in lists, days between dates, products and ratios of two own columns."""
    parts: list[Valued] = []
    columns = [c for c in sheet.of("number") if c.distinct > 1 and c.ref != key]
    for column in sorted(columns, key=_far)[:_MOST_NUMBERS]:
        code = f"numbers_of({column.ref.in_table()})"
        parts.append(_valued(context, sheet, Part(code, column.ref.words, column.ref.column, _far(column))))
    for column in sheet.of("list"):
        for word in words_in(context, sheet.name, column):
            for kernel, phrase in (("counts_of", "number of"), ("runs_of", "longest run of")):
                code = f"{kernel}({column.ref.in_table()}, {word!r})"
                part = Part(code, f"{phrase} {word} in {column.ref.words}", f"{kernel}_{word}", _far(column))
                parts.append(_valued(context, sheet, part))
    own = [c for c in sheet.of("date") if not _far(c)]
    for a, b in itertools.islice(itertools.combinations(own, 2), 3):
        code = f"days_of({b.ref.in_table()}) - days_of({a.ref.in_table()})"
        part = Part(code, f"days from {a.ref.words} to {b.ref.words}", f"days_{a.ref.column}_to_{b.ref.column}")
        parts.append(_valued(context, sheet, part))
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
    kept = values[np.isfinite(values)]
    return kept if len(kept) else np.zeros(1)


def truth_parts(context: SearchContext, sheet: TypedTable, key: Ref) -> list[Valued]:
    """Whether a category has a value, a flag is set, a number is high or low."""
    parts: list[Valued] = []
    for column in sorted((c for c in sheet.of("category") if c.ref != key), key=_far):
        for level in column.levels[:_MOST_LEVELS]:
            code = f"(keys_of({column.ref.in_table()}) == {level!r}).astype(np.float64)"
            part = Part(code, f"{column.ref.words} {level}", f"{column.ref.column}_{level}", _far(column), 0.5, True)
            parts.append(_valued(context, sheet, part))
    counted = [c for c in sheet.of("number") if c.ref != key and c.distinct > 1]
    for column in sorted(counted, key=lambda c: (c.distinct > _FEW, _far(c)))[:_MOST_NUMBERS]:
        values = _finite(context.data.numbers(sheet.name, column.ref))
        if column.distinct == 2:
            cuts = [(">", float(values.min()))]
        elif column.distinct <= _FEW:
            cuts = [(">=", float(cut)) for cut in np.unique(values)[1:]]
        else:
            cuts = [(">", float(np.quantile(values, q))) for q in (0.25, 0.5, 0.75, 0.9)]
            cuts += [("<", float(np.quantile(values, q))) for q in (0.1,)]
            cuts += [("<", 0.0)] if values.min() < 0 < values.max() else []
        for sign, cut in cuts:
            code = f"(numbers_of({column.ref.in_table()}) {sign} {cut!r}).astype(np.float64)"
            side = {">": "above", ">=": "at least", "<": "below"}[sign]
            slug = f"{column.ref.column}_{side.replace(' ', '_')}_{cut:.4g}"
            part = Part(code, f"{column.ref.words} {side} {cut:.4g}", slug, _far(column), 1.0, True)
            parts.append(_valued(context, sheet, part))
    return parts[:_MOST_TRUTHS]


def code_parts(context: SearchContext, sheet: TypedTable) -> list[Valued]:
    """Categories and keys as numbers that only tell them apart; missing ones are missing."""
    parts: list[Valued] = []
    columns = [c for c in sheet.of("category", "key", "date") if 1 < c.distinct < len(sheet.frame)]
    for column in sorted(columns, key=_far)[:8]:
        keys = f"pd.factorize(pd.Series(keys_of({column.ref.in_table()})))[0].astype(np.float64)"
        code = f"np.where({keys} < 0, np.nan, {keys})"
        parts.append(_valued(context, sheet, Part(code, column.ref.words, column.ref.column, _far(column))))
    return parts
