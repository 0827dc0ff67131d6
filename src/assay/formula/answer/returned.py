"""What a subject's own code returns as its answer: a text, an expression of sympy, several, or what is no answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.core import InvalidInput
from assay.formula.answer.answer import ACCEPTED, encode
from assay.formula.expression.expression import sympy_as_text

__all__ = ["encode_returned"]


def encode_returned(answer: Any) -> bytes:
    """The answer as JSON; a sympy expression counts as its text.

    >>> encode_returned(lambda x0: 2 * x0)
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: answer: must be the text of a formula, as 'x0 * x1', a sympy expression, a list of
    them, best first, or a FormulaAnswer; got a function, from which no formula can be read.
    """
    if isinstance(answer, list | tuple):
        answer = [sympy_as_text(entry) for entry in answer]
    answer = sympy_as_text(answer)
    if isinstance(answer, Mapping):
        raise _no_formula(
            f"a dict with the keys {', '.join(map(repr, list(answer)[:5]))}" if answer else "an empty dict"
        )
    if callable(answer):
        named = "a function" if hasattr(answer, "__code__") else f"a {type(answer).__name__}"
        raise _no_formula(f"{named}, from which no formula can be read")
    return encode(answer)


def _no_formula(description: str) -> InvalidInput:
    return InvalidInput(f"answer: must be {ACCEPTED}; got {description}.")
