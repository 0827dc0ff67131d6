"""Which columns a model of SRBench means: by name, by the order of the data's columns, or not to be known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from assay.core import InvalidInput
from assay.formula.equivalence.reading import read_truth
from assay.formula.expression.expression import symbols_of
from assay.formula.expression.parser import parse

__all__ = ["Names", "Reading", "first_columns", "read_names", "truth_names"]

_WORD = re.compile(r"[^\W\d]\w*(?:\[\s*(?::\s*,\s*)?\d+\s*\])?")
# what methods count columns with, as x0, X_1, v2, x[3] and x[:,3]
_COUNTED = re.compile(r"(x|v|f|var|feature|col|input)(?:_?(\d+)|\[\s*(?::\s*,\s*)?(\d+)\s*\])", re.IGNORECASE)
_FROM_ONE = ("operon", "dsr", "mrgp")  # SRBench's methods that begin with 1


class Names(NamedTuple):
    """What is known of the names: of the truth, of the data, and how a method counts."""

    truth: tuple[str, ...]
    columns: tuple[str, ...] | None
    first_column: int | None


class Reading(NamedTuple):
    """The text to compare, over names of the data; or the reason why there is none.

    ``named`` is the model over the data's names where they are known, else as it was written.
    """

    text: str
    columns: tuple[str, ...]
    judged: str
    named: str
    reason: str = ""


def first_columns(models: Iterable[tuple[str, str, Sequence[str] | None]]) -> dict[str, int]:
    """How each algorithm counts, from all its models with the columns of their data: a 0 anywhere means from 0.

    >>> first_columns([("ours", "x0*x1", None), ("ours", "x2", None), ("theirs", "X1 + X2", ["a", "b"])])
    {'ours': 0, 'theirs': 1}
    """
    first: dict[str, int] = {}
    for algorithm, model, columns in models:
        numbers = {number for word in _WORD.findall(model) if (number := _number(word)) is not None}
        if 0 in numbers:
            first[algorithm] = 0
        elif (columns is not None and len(columns) in numbers) or algorithm.lower().startswith(_FROM_ONE):
            first.setdefault(algorithm, 1)
    return first


def truth_names(truth: str) -> tuple[str, ...]:
    """The variables of a truth; none where it cannot be read, which its comparison says."""
    try:
        return read_truth(truth, domain=None, names=None).columns if truth else ()
    except InvalidInput:
        return ()


def read_names(model: str, simplified: str, names: Names) -> Reading:
    """The model over the data's names, by the surest way there is."""
    data_names = (*names.truth, *(name for name in names.columns or () if name not in names.truth))
    try:
        mapping, reason = _mapping(_symbols(model, data_names), data_names, names)
    except InvalidInput:  # the comparison says what is wrong with it, unless SRBench could read it
        mapping, reason = {}, ""
        if simplified and _is_named(simplified, data_names):
            return Reading(simplified, data_names, "simplified_symbolic_model", model)
    if not reason:
        text = _WORD.sub(lambda word: mapping.get(word[0], word[0]), model)
        used = [name for name in mapping.values() if name not in data_names]
        return Reading(text, (*data_names, *used), "symbolic_model", text)
    if simplified and not any(_number(name) is not None for name in data_names) and _is_named(simplified, data_names):
        return Reading(simplified, data_names, "simplified_symbolic_model", model)
    return Reading("", data_names, "", model, reason)


def _symbols(text: str, data_names: Sequence[str]) -> list[str]:
    symbols = symbols_of(parse(text))
    return [
        *symbols,
        *(name for name in dict.fromkeys(_WORD.findall(text)) if name in data_names and name not in symbols),
    ]


def _is_named(simplified: str, data_names: Sequence[str]) -> bool:
    try:
        return set(_symbols(simplified, data_names)) <= set(data_names)
    except InvalidInput:
        return False


def _mapping(symbols: Sequence[str], data_names: Sequence[str], names: Names) -> tuple[Mapping[str, str], str]:
    """What each variable of a model is called in the data, or why that cannot be known."""
    counted = {name: number for name in symbols if (number := _number(name)) is not None}
    unknown = [name for name in symbols if name not in data_names]
    if len(counted) < len(symbols) or not symbols:
        # some names are no counted columns: so all are names, and those that the truth lacks are further columns
        if not unknown or (names.columns is None and len(unknown) < len(symbols) and not set(unknown) & set(counted)):
            return {name: name for name in symbols}, ""
        return {}, f"the names {', '.join(unknown[:5])} are neither the data's nor counted columns"
    own = [name for name in data_names if _number(name) is not None]
    if len(own) == len(data_names):  # the data count their own columns: X1 is x1
        folded = {_folded(name): name for name in data_names}
        if all(_folded(name) in folded for name in symbols):
            return {name: folded[_folded(name)] for name in symbols}, ""
    elif own and not unknown:
        return {}, f"{', '.join(symbols[:5])} may be names of the data or counted columns"
    if names.columns is None:
        return {}, f"which columns {', '.join(symbols[:5])} are is not known without the data"
    return _by_order(counted, names.columns, names.first_column)


def _by_order(counted: Mapping[str, int], columns: Sequence[str], first: int | None) -> tuple[Mapping[str, str], str]:
    numbers = set(counted.values())
    if 0 in numbers:
        first = 0
    elif len(columns) in numbers:
        first = 1
    if first is None:
        return {}, f"whether {', '.join(list(counted)[:5])} begin with 0 or with 1 is not known"
    if max(numbers) - first >= len(columns):
        return {}, f"the model counts to {max(numbers)}, but the data have {len(columns)} columns"
    return {name: columns[number - first] for name, number in counted.items()}, ""


def _number(name: str) -> int | None:
    match = _COUNTED.fullmatch(name)
    return None if match is None else int(match[2] or match[3])


def _folded(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()
