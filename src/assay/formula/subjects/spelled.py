"""Formulas that fitted regressors spell out somewhere: found, read over the data's columns, checked by ``predict``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from assay.core import InvalidInput, SubjectFailed
from assay.core.arrays import FloatArray
from assay.formula.answer.answer import CHECKED_ROWS
from assay.formula.expression.expression import Expression, to_text
from assay.formula.expression.parser import parse, rename
from assay.formula.expression.program import table_values
from assay.formula.metrics import prediction_mismatch

__all__ = ["SPELLED", "read_spelled"]

# where regressors keep a formula, the surest place first
SPELLED: Final = (
    *("sympy", "expr", "expr_", "formula", "formula_", "equation", "equation_", "expression", "expression_"),
    *("model", "model_", "get_best", "best_", "__str__"),
)
_ENTRIES: Final = ("sympy_format", "equation", "formula", "expression", "expr")  # of a row or mapping that holds one
_LEFT_SIDE: Final = re.compile(r"^\s*[A-Za-z_]\w*(?:\s*\([^()=]*\))?\s*=(?!=)\s*")
_LARGEST_MISMATCH: Final = 0.01  # standard deviations, as the examination allows
_LONGEST_QUOTE: Final = 60


class _Reading(NamedTuple):
    text: str
    mismatch: float


def read_spelled(estimator: Any, predict: Any, table: Any) -> str | None:
    """The first formula that the regressor spells and that gives what ``predict`` says on the training rows.

    Where none does, the one that comes nearest: the examination tells how far it is off. None where nothing is spelled.
    ``predict`` is None where the regressor has none.
    """
    texts = list(_texts(estimator))
    if not texts:
        return None
    names = [str(name) for name in table.columns]
    rows = np.asarray(table, dtype=np.float64)[:CHECKED_ROWS]
    predicted = (
        None if predict is None else np.asarray(predict(table.iloc[:CHECKED_ROWS]), dtype=np.float64).reshape(-1)
    )
    refused: list[str] = []
    nearest: _Reading | None = None
    for place, text in texts:
        try:
            reading = _read(text, names, rows, predicted)
        except InvalidInput as error:
            if place != "__str__":  # most say nothing but their name there
                refused.append(f"{place} is {_quote(text)}, no formula over {', '.join(names[:8])} ({error})")
            continue
        if reading.mismatch <= _LARGEST_MISMATCH:
            return reading.text
        if nearest is None or reading.mismatch < nearest.mismatch:
            nearest = reading
    if nearest is None and refused:
        raise SubjectFailed("no formula", f"a fitted {type(estimator).__name__}: its {refused[0]}")
    return None if nearest is None else nearest.text


def _texts(estimator: Any) -> Iterator[tuple[str, str]]:
    for place in SPELLED:
        if place == "__str__" and not _prints_itself(type(estimator)):
            continue  # it says its name or its parameters, by __repr__
        value: Any = getattr(estimator, place, None)
        if callable(value) and not hasattr(value, "free_symbols"):
            try:
                value = value()
            except Exception:  # noqa: BLE001 - a method of that name that wants arguments is another
                continue
        if isinstance(value, Mapping) or hasattr(value, "index"):
            value = next((value[name] for name in _ENTRIES if _holds(value, name)), value)
        if isinstance(value, list | tuple) and len(value) == 1:
            value = value[0]
        if isinstance(value, str) or hasattr(value, "free_symbols"):
            text = _LEFT_SIDE.sub("", str(value)).strip()
            if text:
                yield place if place.startswith("__") or not callable(getattr(estimator, place)) else f"{place}()", text


def _prints_itself(kind: type) -> bool:
    return any("__str__" in vars(base) for base in kind.__mro__[:-1])


def _holds(value: Any, name: str) -> bool:
    try:
        return not isinstance(value, str) and name in (value if isinstance(value, Mapping) else value.index)
    except TypeError:
        return False


def _read(text: str, names: Sequence[str], rows: FloatArray, predicted: FloatArray | None) -> _Reading:
    """The text over the names; where columns may be counted in more than one way, as ``predict`` has it."""
    try:
        tree = parse(text, columns=names)
        best = _Reading(text, 0.0 if predicted is None else _mismatch(tree, names, rows, predicted))
    except InvalidInput as error:
        tree, best, reason = None, None, error
    if best is not None and best.mismatch <= _LARGEST_MISMATCH:
        return best
    # as if no name meant itself: a formula over x0, x1 of data whose columns are called x1, x2
    counted = [f"column_{place}_" for place in range(len(names))]
    for dialect in ("plain", "operon", "gplearn"):
        try:
            other = rename(parse(text, columns=counted, dialect=dialect), dict(zip(counted, names, strict=True)))
        except InvalidInput:
            continue
        reading = _Reading(to_text(other), 0.0 if predicted is None else _mismatch(other, names, rows, predicted))
        if best is None or reading.mismatch < best.mismatch:
            best = reading
    if best is None:
        raise reason
    return best


def _mismatch(tree: Expression, names: Sequence[str], rows: FloatArray, predicted: FloatArray) -> float:
    computed = table_values(tree, names, rows)
    return (
        prediction_mismatch(predicted, computed, predicted[np.isfinite(predicted)])
        if predicted.shape == computed.shape
        else np.inf
    )


def _quote(text: str) -> str:
    return repr(text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}…")
