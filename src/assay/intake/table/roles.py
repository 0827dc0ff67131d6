"""The part that each column plays: identifiers, constants, categories, free text; and the label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.display import counted
from assay.intake.table.values.column import Column
from assay.intake.table.values.words import PROSE, says, tokens

__all__ = ["find_roles"]

_LONG = 12  # signs of a number, past which a reading rounds it

_PATTERNS = {
    "UUIDs": r"\{?[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\}?",
    "e-mail addresses": r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}",
    "web addresses": r"(?:https?|ftp)://\S+|www\.\S+",
    "IP addresses": r"\d{1,3}(?:\.\d{1,3}){3}|(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}",
    "bank accounts": r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?",
    "telephone numbers": r"(?:\+|00|0|\()\d[\d\s()/.-]{5,20}\d",
    "hashes": r"(?=.*\d)[0-9a-f]{7,128}|(?=.*\d)[0-9A-F]{7,128}",
}


def find_roles(columns: Sequence[Column], *, header: bool = True) -> None:
    """Give each column its role by its values and its name."""
    for column in columns:
        column.role = _role(column)
    first, others = columns[0], columns[1:]
    if header or first.role != "feature-number" or first.type != "integer" or first.distinct < first.rows or not others:
        return
    assert first.numbers is not None
    wide = first.numbers.values.max() - first.numbers.values.min() > 100 * first.rows
    floor = np.abs(first.numbers.values).min() / 100
    small = all(
        column.type != "integer" or column.numbers is None or np.abs(column.numbers.values).max() < floor
        for column in others
    )
    if wide and small:
        first.role = _named(first, "identifier", "large numbers in the first column, each once, beside measurements")


def _role(column: Column) -> str:
    if not column.distinct:
        return _constant(column)
    if column.kind == "time" and (column.distinct > 1 or column.time_format != "%Y" or column.rows < 2):
        return "time" if column.distinct > 1 or column.rows < 2 else _constant(column)
    if column.distinct <= 1 and column.kind != "boolean" and len(column.codes) > 1:
        return "time" if column.kind == "time" else _constant(column)
    if column.kind == "boolean":
        return "boolean"
    return _number_role(column) if column.kind == "number" else _text_role(column)


def _constant(column: Column) -> str:
    column.why = "empty throughout" if not column.distinct else f"always {column.levels[0]!r}"
    return "constant"


def _number_role(column: Column) -> str:
    assert column.numbers is not None
    values = column.numbers.values
    unit = f", unit {column.numbers.unit}" if column.numbers.unit else ""
    measure = says(column.name, "measure") or says(column.name, "count-of") or bool(column.numbers.unit)
    once = column.distinct == column.rows
    if column.numbers.integer:
        steps = np.diff(values)
        counter = once and len(values) >= 5 and not column.missing
        if counter and (steps == 1).all() and not measure and tokens(column.name) not in (("t",), ("time",)):
            return _named(column, "identifier", f"counts the rows from {values[0]} to {values[-1]}")
        full = counter and len(values) >= 20 and values.max() - values.min() == len(values) - 1
        if full and not measure:
            return _named(column, "identifier", "each number of a range once")
        strong = says(column.name, "strong-identifier") and not says(column.name, "count-of")
        if (strong and (column.share >= 0.5 or column.distinct > 50)) or (
            says(column.name, "identifier") and once and not measure
        ):
            return _named(column, "identifier", "named as an identifier, " + ("each once" if once else "few repeat"))
        if strong and not measure and column.distinct > 20 and column.rows <= 20 * column.distinct:
            return _named(column, "identifier", f"named as an identifier, {counted(column.distinct, 'value')}")
        if says(column.name, "postal"):
            return _named(column, "feature-category", f"postal codes, {counted(column.distinct, 'value')}")
        if not measure and column.distinct <= max(30, 0.5 * column.rows) and says(column.name, "code"):
            return _named(column, "feature-category", f"a code by its name, {counted(column.distinct, 'value')}")
        if strong and not measure:
            return _named(column, "feature-category", f"numbers of things, {counted(column.distinct, 'value')}")
        sparse = 2 < column.distinct <= 30 and column.rows >= 5 * column.distinct and values.min() >= 100
        if (
            sparse
            and not measure
            and (np.mod(values, 5) != 0).any()
            and np.median(np.diff(np.sort(values))) > 5
            and len(set(np.diff(np.sort(values)))) > 1
        ):
            return _named(column, "feature-category", f"{counted(column.distinct, 'code')} such as {column.levels[0]}")
    elif says(column.name, "strong-identifier") and once and bool((np.mod(values, 1) == 0).all()) and not measure:
        return _named(column, "identifier", "named as an identifier, each once")
    return _named(
        column,
        "feature-number",
        f"{_short(column, values, values.argmin())} to {_short(column, values, values.argmax())}{unit}",
    )


def _short(column: Column, values: FloatArray, place: Any) -> str:
    """A value as the file writes it, or rounded where that is long."""
    text = str(column.levels.iloc[place])
    return text if len(text) <= _LONG else f"{values[place]:.4g}"


def _named(column: Column, role: str, why: str) -> str:
    column.why = why
    return role


def _text_role(column: Column) -> str:
    some = column.levels[:2000]
    if says(column.name, "postal") and some.str.contains(r"\d").all():
        return _named(column, "feature-category", f"postal codes, {counted(column.distinct, 'value')}")
    words = some.str.count(r"\S+")
    mean_words, mean_length = float(words.mean()), float(some.str.len().mean())
    for what, pattern in _PATTERNS.items():
        if some.str.fullmatch(pattern).all() and (column.share >= 0.5 or says(column.name, "identifier")):
            if what == "hashes" and not some.str.contains("[a-fA-F]").any():
                continue
            if what == "telephone numbers" and not (
                some.str.contains(r"[\s+()/-]").any() or says(column.name, "strong-identifier")
            ):
                continue
            return _named(column, "identifier", what)
    counts = f"{counted(column.distinct, 'value')} in {counted(column.rows, 'row')}"
    shapes = (
        some.str.replace(r"\d+", "9", regex=True)
        .str.replace(r"[^\W\d_]", "a", regex=True)
        .str.replace(r"a+", "a", regex=True)
    )
    coded = bool(some.str.contains(r"\d").all()) and shapes.value_counts(normalize=True).iloc[0] > 0.6
    prose = says(column.name, "attribute") and bool(set(tokens(column.name)) & PROSE)
    if column.share >= 0.3 and column.distinct >= 5 and not coded and (mean_words >= 4 or mean_length >= 50):
        return _named(column, "free-text", f"{mean_words:.0f} words on average, {counts}")
    if prose and column.share >= 0.5 and (mean_words >= 3.5 or column.share >= 0.8) and column.distinct >= 5:
        return _named(column, "free-text", f"named as free text, {counts}")
    if coded and mean_words >= 6 and column.share > 0.5:
        return _named(column, "free-text", f"{mean_words:.0f} words on average, {counts}")
    if column.share >= 0.98 and column.distinct >= 5 and not column.warnings:
        if mean_words >= 3.5:
            return _named(column, "free-text", f"{mean_words:.0f} words on average, {counts}")
        return _named(column, "identifier", "each value occurs once")
    few = coded and column.distinct > 20 and column.rows <= 20 * column.distinct
    if says(column.name, "strong-identifier") and (column.share >= 0.5 or few):
        return _named(column, "identifier", f"named as an identifier, {counts}")
    if says(column.name, "identifier") and coded and (column.share >= 0.25 or column.distinct > 50):
        return _named(column, "identifier", f"named as an identifier, {counts}")
    if column.share >= 0.85 and column.distinct > 20 and (says(column.name, "identifier") or coded):
        return _named(column, "identifier", f"nearly each value occurs once, {counts}")
    return _named(column, "feature-category", counts)
