"""Names and values as people read them and as JSON holds them: on one line, without tricks, private ones masked."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np

from assay.core import Json

__all__ = ["MASK", "as_json", "is_missing", "one_line", "shorten", "shorten_apart", "tell"]

MASK = "•••"


def one_line(text: object) -> str:
    r"""A text on one line: what would break the line, steer a terminal or turn the writing direction is spelled out.

    >>> one_line("age\n(years)"), one_line("a\u00a0b")
    ('age\\n(years)', 'a b')
    """
    return "".join(_printable(letter) for letter in str(text))


def _printable(letter: str) -> str:
    if letter.isprintable():
        return letter
    return " " if unicodedata.category(letter) == "Zs" else letter.encode("unicode_escape").decode("ascii")


def shorten(text: str, *, most: int) -> str:
    """A long text without its middle, because both ends tell names apart.

    >>> shorten("mean radius of the nucleus", most=15)
    'mean ra…nucleus'
    """
    if len(text) <= most:
        return text
    head = most // 2
    return f"{text[:head].rstrip()}…{text[len(text) - (most - 1 - head) :].lstrip()}"


def shorten_apart(texts: Sequence[str], *, most: int) -> list[str]:
    """Long texts cut so that they stay apart: what all of them begin and end with goes first.

    >>> shorten_apart(["result of the iron test in blood", "result of the zinc test in blood"], most=16)
    ['…iron…', '…zinc…']
    """
    cut = [shorten(text, most=most) for text in texts]
    if len(set(cut)) == len(set(texts)):
        return cut
    head = _common_words(texts)
    rests = [text[head:] for text in texts]
    tail = _common_words([rest[::-1] for rest in rests])
    cores = [rest[: len(rest) - tail] for rest in rests]
    return [f"{'…' if head else ''}{shorten(core, most=most - 2)}{'…' if tail else ''}" for core in cores]


def _common_words(texts: Sequence[str]) -> int:
    """The length of the whole words, with the space behind them, that all texts begin with."""
    first, last = min(texts), max(texts)  # whatever lies between these two shares their beginning
    same = next((place for place, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), len(first))
    return first[:same].rfind(" ") + 1


def is_missing(value: Any) -> bool:
    """Whether a value says that there is none: None, nan, or what pandas has in their place.

    >>> is_missing(None), is_missing(float("nan")), is_missing(""), is_missing(0.0)
    (True, True, False, False)
    """
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    return isinstance(value, float | np.floating) and math.isnan(value)


def tell(value: Any) -> str:
    """A feature value or a piece of metadata in a text for people.

    >>> tell(1234567.8), tell(0.0012345), tell("red"), tell(None), tell(True)
    ('1234568', '0.001234', 'red', 'missing', 'True')
    """
    if is_missing(value):
        return "missing"
    if isinstance(value, float | np.floating):
        number = float(value) + 0.0  # -0.0 is 0
        # an amount keeps its digits: 12345.67 is not 1.235e+04
        whole = abs(number) < 1e9 and (number.is_integer() or abs(number) >= 1e4)
        return f"{number:.0f}" if whole else f"{number:.4g}"
    return one_line(value)


def as_json(value: Any) -> Json:
    """Any value as strict JSON: what is missing is null, what JSON does not know is a text.

    >>> as_json([np.float64("nan"), np.int64(3), float("inf"), {"when": np.datetime64("2024-01-31")}])
    [None, 3, 'inf', {'when': '2024-01-31'}]
    """
    if is_missing(value):
        return None
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value) if math.isfinite(value) else str(float(value))
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Mapping):
        return {str(name): as_json(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple | Set | np.ndarray):
        return [as_json(entry) for entry in value]
    return str(value)
