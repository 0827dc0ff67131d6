"""Names with parameters, as people write them: ``knn(k=5)``."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from assay.core.errors import InvalidInput

__all__ = ["Call", "Parameter", "parse_call"]

Parameter: TypeAlias = bool | int | float | str | tuple["Parameter", ...] | None

_LONGEST, _LONGEST_PATH = 255, 2000  # of a file's name, and of its path
_MOST_BITS = 4096  # of a whole number


@dataclass(frozen=True, slots=True)
class Call:
    """A name and keyword parameters; its text is canonical, so equal calls have equal texts.

    >>> str(parse_call("knn( k=5, weighting='cubed' )"))
    "knn(k=5, weighting='cubed')"
    >>> str(parse_call("vote"))
    'vote'
    """

    name: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)

    def __str__(self) -> str:
        if not self.parameters:
            return self.name
        inside = ", ".join(f"{name}={value!r}" for name, value in sorted(self.parameters.items()))
        return f"{self.name}({inside})"


def parse_call(text: str) -> Call:
    """Read ``name`` or ``name(key=literal, ...)``; values are literals, nothing is evaluated.

    >>> parse_call("knn(5)")
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: subject 'knn(5)': parameters are given by name, as in knn(k=5).
    """
    text = text.strip()
    name, bracket, _ = text.partition("(")
    name = name.strip()
    parts = name.encode("utf-8", "surrogatepass").split(b"/")
    too_long = len(name) > _LONGEST_PATH or any(len(part) > _LONGEST for part in parts)
    if too_long or "\0" in name or not _is_serializable(name):
        raise InvalidInput(
            f"subject {text[:60]!r}: not a valid name. Use letters, digits and . _ - and a call such as name(k=5)."
        )
    if not bracket:
        return Call(name)
    try:
        # only the bracket is parsed as Python: names may hold dashes, dots, colons and slashes
        tree = ast.parse(f"call{text[len(text.partition('(')[0]) :]}", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise InvalidInput(f"subject {text!r}: not of the form name(key=value, ...).") from None
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
        raise InvalidInput(f"subject {text!r}: not of the form name(key=value, ...).")
    if tree.args or any(keyword.arg is None for keyword in tree.keywords):
        raise InvalidInput(f"subject {text!r}: parameters are given by name, as in {name}(k=5).")
    parameters: dict[str, Parameter] = {}
    for keyword in tree.keywords:
        if keyword.arg in parameters:
            raise InvalidInput(f"subject {text!r}: {keyword.arg!r} is given twice.")
        try:
            value = ast.literal_eval(keyword.value)
        except (ValueError, TypeError, RecursionError, MemoryError):
            raise InvalidInput(
                f"subject {text!r}: the value of {keyword.arg!r} must be a literal: a number, a text in quotes, True, "
                "False or None."
            ) from None
        if isinstance(value, list):
            value = tuple(value)
        if value is not None and not isinstance(value, bool | int | float | str | tuple):
            kind = type(value).__name__
            raise InvalidInput(f"subject {text!r}: {keyword.arg!r} must be a number, text or list, not a {kind}.")
        if not _is_serializable(value):
            raise InvalidInput(
                f"subject {text!r}: {keyword.arg!r} cannot be serialized. "
                "Give numbers, texts, True, False, None, or lists of them."
            )
        parameters[str(keyword.arg)] = value
    return Call(name, parameters)


def _is_serializable(value: object) -> bool:
    """Whether a value's text reads back: half characters, infinities and numbers of too many digits do not."""
    if isinstance(value, str):
        return not any("\ud800" <= letter <= "\udfff" for letter in value)
    if isinstance(value, int):
        return value.bit_length() <= _MOST_BITS
    if isinstance(value, float):
        return math.isfinite(value)
    return all(map(_is_serializable, value)) if isinstance(value, tuple | list) else value is None
