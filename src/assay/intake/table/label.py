"""The column that a model would most likely predict: evidence from names, places, kinds and the rest of the table."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from assay.intake.table.values.column import Column
from assay.intake.table.values.words import says, tokens

__all__ = ["find_label"]

# What a name says, in points. A name that stands for "what is predicted" outweighs everything; an outcome (left,
# churned, fault) outweighs the end of the table; the end outweighs a mere class, amount or score elsewhere.
_TARGET, _OUTCOME, _CONDITION, _GRADED, _MEASURED, _MEASURE = 5.0, 4.0, 3.75, 1.25, 2.5, 1.0
_HAPPENED = 1.5  # yes or no under a name such as recaptured, or texts such as failed
_YES_AT_END = 1.25  # yes or no at the very end stands before a mere amount within the table
_ONE_OF_SEVERAL = 2.25  # a disease within a table that ends with yes or no is a feature of the patient
_PAY = 1.75  # as often what people are described by
_CLASS = 2.0  # a mere class; at the end it stays behind a yes or no that names an outcome
_ATTRIBUTE, _FLAG, _PREDICTION = -2.0, -3.0, -6.0
_AT_END, _BEFORE_OTHERS, _FIRST = 1.75, 1.25, 0.75
_MANY_CLASSES = -1.5
_ENOUGH = 1.5  # the place at the end alone, in a table that looks like one to learn from
_EACH_EXPORT, _MOST_EXPORT = 0.75, 2.25  # more points are needed where the table looks like an export
_CLASSES = 12
_ASIDE = ("identifier", "constant", "time")
_YEAR = re.compile(r"(18|19|20)\d\d")
_PARTICIPLE = re.compile(r"\w{3,}ed|ge\w{3,}(t|en)|\w{3,}(ado|ada|ato|ata|ido|ida)")


def find_label(columns: Sequence[Column], *, header: bool) -> Column | None:
    """The column to predict, if anything points to one."""
    open_to = [column for column in columns if column.role in ("feature-number", "feature-category", "boolean")]
    shares = _probabilities(open_to, header=header)
    able = [column for column in open_to if column not in shares and (not shares or _has_classes(column))]
    if not able or len(columns) < 2:
        return None
    if not header:
        return _unnamed_label(able, timed=any(column.role == "time" for column in columns))
    scores = {column.place: _named(column, columns) + _placed(column, able, columns) for column in able}

    def rank(column: Column) -> tuple[float, int, int]:
        ends = column is columns[-1] and column.kind == "boolean" and scores[column.place] >= _AT_END
        return scores[column.place] + _YES_AT_END * ends, -len(tokens(column.name)), -column.place

    best = max(able, key=rank)
    if scores[best.place] < _ENOUGH + _export(best, columns):
        return None
    reason = "its name" if _named(best, columns) > 0 else "its place at the end"
    best.why = f"guessed by {reason}; {best.why}" if best.why else f"guessed by {reason}"
    return best


def _has_classes(column: Column) -> bool:
    return column.kind == "boolean" or (
        column.distinct <= _CLASSES and (column.kind == "text" or column.type == "integer")
    )


def _named(column: Column, columns: Sequence[Column]) -> float:
    """What the name of a column says of it, in points."""
    name, words = column.name, tokens(column.name)
    if says(name, "prediction"):
        return _PREDICTION
    few, number = _has_classes(column), column.kind == "number"
    crowd = _MANY_CLASSES if column.kind == "text" and column.distinct > max(20, 0.2 * column.rows) else 0.0
    qualified = len(words) > 1 and says(words[-1], "qualifier", whole=True)
    if words == ("y",) and not _is_coordinate(columns):
        return _TARGET
    if says(name, "target", whole=True):
        return crowd + _target(words)
    if not qualified and (says(name, "outcome") or words == ("left",)) and (few or not number):
        return crowd + (_OUTCOME if column.distinct <= 2 else _OUTCOME - 0.5)
    if not qualified and says(name, "condition") and column.kind != "number":
        return crowd + (_CONDITION if column is columns[-1] or columns[-1].kind != "boolean" else _ONE_OF_SEVERAL)
    if says(name, "flag", whole=True) and column.kind in ("boolean", "text"):
        return _FLAG
    if not qualified and says(name, "graded") and (number or (few and not says(name, "attribute", whole=True))):
        beside_text = few and number and any(other.role == "free-text" for other in columns)
        return crowd + (_GRADED if len(words) <= 2 else _MEASURE) + (1.0 if beside_text else 0.0)
    if number and says(name, "measured-outcome") and not says(name, "input-price"):
        return _MEASURED
    if number and says(name, "pay"):
        return _PAY
    if number and says(name, "loose-outcome") and not says(name, "input-price"):
        return _MEASURE
    if says(name, "attribute") or _YEAR.fullmatch(name):
        return crowd + _ATTRIBUTE
    happened = column.kind == "boolean" and words and _PARTICIPLE.fullmatch(words[-1])
    return _HAPPENED if happened or _holds_outcomes(column) else crowd


def _holds_outcomes(column: Column) -> bool:
    """Few texts, at least half of them words such as failed, approved, positive, benign."""
    if column.kind != "text" or column.distinct > 6:
        return False
    return sum(says(text, "outcome-values", whole=True) for text in column.levels) >= 0.5 * column.distinct


def _target(words: tuple[str, ...]) -> float:
    """``class`` alone is what is predicted; ``vehicle class`` is a class of something."""
    other = [word for word in words if not says(word, "mere-class", whole=True)]
    if len(other) == len(words) or any(says(word, "truth", whole=True) or says(word, "target") for word in other):
        return _TARGET if len(words) <= 3 else _GRADED
    return _CLASS if not other else 0.5


def _is_coordinate(columns: Sequence[Column]) -> bool:
    """Whether a ``y`` stands between ``x`` and ``z``, or after ``x`` within the table."""
    names = {column.name.lower() for column in columns}
    return "z" in names or ("x" in names and columns[-1].name.lower() != "y")


def _placed(column: Column, able: Sequence[Column], columns: Sequence[Column]) -> float:
    if column is able[-1]:
        return _AT_END if column is columns[-1] else _BEFORE_OTHERS
    before = [other for other in columns[: columns.index(column)] if other.role not in _ASIDE]
    return _FIRST if not before and _named(column, columns) >= _GRADED else 0.0


def _export(best: Column, columns: Sequence[Column]) -> float:
    """How many more points a label needs in a table that looks like an export, a statement or an inventory."""
    others = [column for column in columns if column is not best]
    signs = sum(says(column.name, "export", whole=True) for column in others)
    if best.kind == "boolean":
        signs += sum(column.role == "free-text" for column in others)
        signs += max(sum(column.role == "time" and column.type == "datetime" for column in others) - 1, 0)
    signs += says(columns[-1].name, "flag", whole=True) and columns[-1] is not best
    years = best.kind == "number" and best.numbers is not None and best.type == "integer"
    if years and best.numbers is not None and ((best.numbers.values > 1000) & (best.numbers.values < 2100)).all():
        signs += 1
    alone = best.kind != "boolean" and best is columns[-1]  # one says nothing against a measurement at the end
    return min(_EACH_EXPORT * max(signs - alone, 0), _MOST_EXPORT)


def _unnamed_label(able: Sequence[Column], *, timed: bool) -> Column:
    """Without names: the last column if it holds classes, else the only column of classes, else the last."""
    first, last = able[0], able[-1]
    classes = [column for column in able if column.kind == "text" or (column.kind == "boolean" and column is first)]
    few = [column for column in able if _has_classes(column)]
    best, reason = last, "its place at the end"
    if last.kind == "number" and len(classes) == 1 and not timed and (classes == [first] or not _has_classes(last)):
        best, reason = classes[0], "being the only one with classes"
    elif not classes and len(able) > 2 and few == [first]:
        best, reason = first, "being the only one with classes"
    best.why = f"guessed by {reason}; {best.why}"
    return best


def _probabilities(columns: Sequence[Column], *, header: bool) -> list[Column]:
    """Columns of probabilities: all add up to 1 or 100 in each row, or those of one group of names do."""
    able = [column for column in columns if _could_be_share(column)]
    if _add_up(able):
        return able
    groups: dict[str, list[Column]] = {}
    for column in able if header else ():
        group, _, rest = column.name.rpartition(":")
        if not rest or not group:
            group = column.name.rstrip("0123456789").rpartition("_")[0] or column.name.split()[0]
        groups.setdefault(group, []).append(column)
    shares = []
    for name, members in groups.items():
        within = all(column.numbers is not None and column.numbers.values.max() <= 1 for column in members)
        is_named = within and (
            any(":" in column.name for column in members)
            or all(says(column.name, "probability", whole=True) for column in members)
        )
        if len(members) > 1 and name and (is_named or _add_up(members)):
            shares += members
    return shares


def _could_be_share(column: Column) -> bool:
    numbers = column.numbers
    if column.kind != "number" or numbers is None or numbers.integer or column.missing:
        return False
    return bool(numbers.values.min() >= 0 and numbers.values.max() <= 100)


def _add_up(columns: Sequence[Column]) -> bool:
    if len(columns) < 2:
        return False
    total = np.sum(
        [column.numbers.values[column.codes].astype(float) for column in columns if column.numbers is not None], axis=0
    )
    return any((np.abs(total - whole) <= 0.011 * whole).mean() > 0.95 for whole in (1.0, 100.0))
