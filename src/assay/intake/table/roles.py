"""The part that each column plays: identifiers, constants, categories, free text; and the label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.display import counted
from assay.intake.table.values.column import Column
from assay.intake.table.values.words import PROSE, says, tokens

__all__ = ["find_label", "find_roles"]

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
    if wide and all(column.type != "integer" for column in others):
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
    measure = says(column.name, "measure") or bool(column.numbers.unit)
    once = column.distinct == column.rows
    if column.numbers.integer:
        steps = np.diff(values)
        counter = once and len(values) >= 5 and not column.missing
        if counter and (steps == 1).all() and not measure and tokens(column.name) not in (("t",), ("time",)):
            return _named(column, "identifier", f"counts the rows from {values[0]} to {values[-1]}")
        full = counter and len(values) >= 20 and values.max() - values.min() == len(values) - 1
        if full and not measure:
            return _named(column, "identifier", "each number of a range once")
        strong = says(column.name, "strong-identifier")
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
        sparse = 2 < column.distinct <= 12 and column.rows >= 8 * column.distinct and values.min() >= 100
        if (
            sparse
            and not measure
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
    written = str(column.levels.iloc[place])
    return written if len(written) <= _LONG else f"{values[place]:.4g}"


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
    told = f"{counted(column.distinct, 'value')} in {counted(column.rows, 'row')}"
    shapes = (
        some.str.replace(r"\d+", "9", regex=True)
        .str.replace(r"[^\W\d_]", "a", regex=True)
        .str.replace(r"a+", "a", regex=True)
    )
    coded = bool(some.str.contains(r"\d").all()) and shapes.value_counts(normalize=True).iloc[0] > 0.6
    prose = says(column.name, "attribute") and bool(set(tokens(column.name)) & PROSE)
    if column.share >= 0.3 and column.distinct >= 5 and not coded and (mean_words >= 4 or mean_length >= 50):
        return _named(column, "free-text", f"{mean_words:.0f} words on average, {told}")
    if prose and column.share >= 0.5 and (mean_words >= 3.5 or column.share >= 0.8) and column.distinct >= 5:
        return _named(column, "free-text", f"named as free text, {told}")
    if coded and mean_words >= 6 and column.share > 0.5:
        return _named(column, "free-text", f"{mean_words:.0f} words on average, {told}")
    if column.share >= 0.98 and column.distinct >= 5 and not column.warnings:
        if mean_words >= 3.5:
            return _named(column, "free-text", f"{mean_words:.0f} words on average, {told}")
        return _named(column, "identifier", "each value stands once")
    few = coded and column.distinct > 20 and column.rows <= 20 * column.distinct
    if says(column.name, "strong-identifier") and (column.share >= 0.5 or few):
        return _named(column, "identifier", f"named as an identifier, {told}")
    if says(column.name, "identifier") and coded and (column.share >= 0.25 or column.distinct > 50):
        return _named(column, "identifier", f"named as an identifier, {told}")
    if column.share >= 0.85 and column.distinct > 20 and (says(column.name, "identifier") or coded):
        return _named(column, "identifier", f"nearly each value stands once, {told}")
    return _named(column, "feature-category", told)


def find_label(columns: Sequence[Column], *, header: bool) -> Column | None:
    """The column that a model would most likely predict, by its name and its place, if anything points to one."""
    open_to = [column for column in columns if column.role in ("feature-number", "feature-category", "boolean")]
    shares = _probabilities(open_to)
    able = [column for column in open_to if column not in shares]
    if not able or len(columns) < 2:
        return None
    if not header:
        return _unnamed_label(able, columns)
    last = able[-1]
    scores = {column.place: _label_score(column, first=column is able[0], last=column is last) for column in able}
    best = max(able, key=lambda column: (scores[column.place], column.place))
    if scores[best.place] < 1.5:
        return None
    reasons = (
        "its name"
        if header and (says(best.name, "label") or says(best.name, "measured-outcome"))
        else "its place at the end"
    )
    best.why = f"guessed by {reasons}; {best.why}" if best.why else f"guessed by {reasons}"
    return best


def _label_score(column: Column, *, first: bool, last: bool) -> float:
    score, name, words = 2.0 if last else 0.0, column.name, tokens(column.name)
    if says(name, "prediction"):
        return -4.0
    if says(name, "label", whole=True) or words == ("y",):
        score += 3.0 if len(words) <= 2 else 1.5
    elif says(name, "label"):
        score += 1.0
    elif says(name, "measured-outcome"):
        plain_measure = all(says(word, "measure") for word in words if says(word, "measured-outcome"))
        score += (1.0 if plain_measure else 2.0) + (1.5 if first else 0.0)
    elif says(name, "attribute"):
        score -= 2.0
    if column.role == "feature-category" and column.distinct > max(20, 0.2 * column.rows):
        score -= 1.5
    return score


def _unnamed_label(able: Sequence[Column], columns: Sequence[Column]) -> Column:
    """Without names: the last column if it holds classes, else the only column of classes, else the last."""
    last = able[-1]
    classes = [column for column in able if column.kind != "number"]
    numbered = able[0].numbers is not None and able[0].type == "integer" and able[0].distinct <= 10 < able[0].rows
    floats = all(column.type == "float" for column in able[1:])
    best, reason = last, "its place at the end"
    if last.kind == "number" and len(classes) == 1:
        best, reason = classes[0], "being the only one with classes"
    elif not classes and numbered and floats and last.type == "float" and len(able) > 2:
        best, reason = able[0], "being the only one with classes"
    best.why = f"guessed by {reason}; {best.why}"
    return best


def _probabilities(columns: Sequence[Column]) -> list[Column]:
    """Columns of numbers that add up to 1 or 100 in each row."""
    numbers = [
        column for column in columns if column.kind == "number" and column.numbers is not None and not column.missing
    ]
    able = [
        column
        for column in numbers
        if column.numbers is not None and column.numbers.values.min() >= 0 and column.numbers.values.max() <= 100
    ]
    able = [column for column in able if column.numbers is not None and not column.numbers.integer]
    if len(able) < 2:
        return []
    total = np.sum(
        [column.numbers.values[column.codes].astype(float) for column in able if column.numbers is not None], axis=0
    )
    for whole in (1.0, 100.0):
        if (np.abs(total - whole) <= 0.011 * whole).mean() > 0.95:
            return able
    return []
