"""Encoded answers: bytes that a subject gives, read by every track with the same limit."""

from __future__ import annotations

from typing import Any

from assay.core import InvalidInput
from assay.core.files.text import demand_size, parse_json
from assay.intake import limits

__all__ = ["demand_answer_size", "no_answer", "parse_answer"]


def demand_answer_size(data: bytes, *, remedy: str = "") -> None:
    """At most as many bytes as an answer may have."""
    demand_size(len(data), limits.LARGEST_ANSWER, what="answer", remedy=remedy)


def no_answer(value: object, *, wanted: str) -> InvalidInput:
    """The error about a value that is no answer: what one may be, in the words of who writes a subject, and what came.

    >>> print(no_answer(["x", 1], wanted="the text of a formula"))
    answer: must be the text of a formula; got a list of int and str.
    """
    came = "None" if value is None else type(value).__name__
    if isinstance(value, list | tuple):
        kinds = sorted({type(entry).__name__ for entry in value[:1000]})
        came = f"a {came} of {' and '.join(kinds[:3])}" if value else f"an empty {came}"
    return InvalidInput(f"answer: must be {wanted}; got {came}.")


def parse_answer(data: bytes, *, finite: str = "") -> Any:
    """The JSON value of an answer; ``finite`` says what numbers are for, and refuses NaN and Infinity.

    >>> parse_answer(b'{"scores": [1]')
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: answer: not valid JSON: Expecting ',' delimiter at line 1, column 15.
    """
    demand_answer_size(data)
    return parse_json(data, what="answer", finite=finite)
