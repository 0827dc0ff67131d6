"""Encoded answers: bytes that a subject gives, read by every track with the same limit."""

from __future__ import annotations

from typing import Any

from assay.core.files.text import demand_size, parse_json
from assay.intake import limits

__all__ = ["demand_answer_size", "parse_answer"]


def demand_answer_size(data: bytes, *, remedy: str = "") -> None:
    """At most as many bytes as an answer may have."""
    demand_size(len(data), limits.LARGEST_ANSWER, what="answer", remedy=remedy)


def parse_answer(data: bytes, *, finite: str = "") -> Any:
    """The JSON value of an answer; ``finite`` says what numbers are for, and refuses NaN and Infinity.

    >>> parse_answer(b'{"scores": [1]')
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: answer: not valid JSON: Expecting ',' delimiter at line 1, column 15.
    """
    demand_answer_size(data)
    return parse_json(data, what="answer", finite=finite)
