"""What stands around a formula: a left side, lambda, return, comments, several lines, helper definitions."""

from __future__ import annotations

import re
from typing import NamedTuple

from assay.core import InvalidInput

__all__ = ["Statement", "split_statements"]

_MOST = 64
_NAME = r"[^\W\d]\w*"
_PARAMETERS = rf"\s*(?:{_NAME}(?:\s*:\s*\w+)?\s*(?:,\s*{_NAME}(?:\s*:\s*\w+)?\s*)*)?"
_HEADER = re.compile(
    rf"""^[ \t]*(?:
        def[ \t]+(?P<def>{_NAME})\s*\((?P<arguments>{_PARAMETERS})\)\s*(?:->\s*\w+\s*)?:(?:\s*return\b)?
      | return\b
      | (?P<name>\\?{_NAME}(?:\{{[^{{}}=]*\}})?(?:\[[^\]=]*\])?'?)\s*
        (?:(?:\\left)?\((?P<parameters>{_PARAMETERS})(?:\\right)?\)\s*)?(?::=|=(?!=))
    )""",
    re.VERBOSE | re.MULTILINE,
)
_LAMBDA = re.compile(rf"\s*lambda\b(?P<parameters>{_PARAMETERS}):")
_COMMENT = re.compile(r"#[^\n]*|\\(?=[ \t]*\n)")
_FRAME = re.compile(r"\s*(?:\$\$?|\\\[|\\\()(?P<inside>.*?)(?:\$\$?|\\\]|\\\))\s*\Z", re.DOTALL)
_SIGNS = re.compile(r"[=\n#;$]|lambda|return|\\[(\[]")


class Statement(NamedTuple):
    """A formula from ``start`` to ``end`` of a text, with its name and parameters."""

    name: str | None
    parameters: tuple[str, ...] | None
    start: int
    end: int


def split_statements(text: str) -> tuple[str, list[Statement]]:
    r"""The text without comments, every place kept, and the formulas in it; the last one is meant.

    >>> text, (helper, formula) = split_statements("a = x + 1  # first\ny = 2*a")
    >>> helper.name, formula.name, text[formula.start:]
    ('a', 'y', ' 2*a')
    """
    if _SIGNS.search(text) is None:
        return text, [Statement(None, None, 0, len(text))]
    text = _COMMENT.sub(lambda match: " " * len(match.group()), text).rstrip("; \t\r\n")
    if (frame := _FRAME.match(text)) is not None:
        opened_at, closed_at = frame.span("inside")
        text = " " * (opened_at - 1) + "\n" + frame["inside"] + " " * (len(text) - closed_at)
    start, end = 0, len(text)
    headers = _headers(text, start, end)
    if not headers or text[start : headers[0].start()].strip():
        return text, [_body(None, None, text, start, end)]
    ends = [*(match.start() for match in headers[1:]), end]
    statements: list[Statement] = []
    opened: re.Match[str] | None = None  # a function of several lines
    for match, stop in zip(headers, ends, strict=True):
        if match["def"] and not match.group().endswith("return"):
            if text[match.end() : stop].strip() or opened is not None:
                raise InvalidInput(f"the formula has no 'return' in the function {match['def']!r}.")
            opened = match
            continue
        owner = match
        if match.group().strip() == "return" and opened is not None:
            owner, opened = opened, None
            if stop != end:
                raise InvalidInput(
                    f"the function {owner['def']!r} has several lines; write what follows before it, or insert it."
                )
        listed = owner["arguments"] if owner["def"] else owner["parameters"]
        statements.append(_body(owner["def"] or owner["name"], _parameters(listed), text, match.end(), stop))
    if opened is not None:
        raise InvalidInput("the formula has a function without 'return'.")
    return text, statements


def _headers(text: str, start: int, end: int) -> list[re.Match[str]]:
    """Left sides that stand in no bracket."""
    headers: list[re.Match[str]] = []
    depth = 0
    for match in _HEADER.finditer(text, start, end):
        depth += text.count("(", start, match.start()) - text.count(")", start, match.start())
        start = match.start()
        if depth <= 0:
            headers.append(match)
        if len(headers) > _MOST:
            raise InvalidInput(f"the formula has more than {_MOST} lines with a left side; insert them first.")
    return headers


def _parameters(listed: str | None) -> tuple[str, ...] | None:
    if listed is None:
        return None
    return tuple(part.partition(":")[0].strip() for part in listed.split(",") if part.strip())


def _body(name: str | None, parameters: tuple[str, ...] | None, text: str, start: int, end: int) -> Statement:
    if parameters is None and (match := _LAMBDA.match(text, start, end)) is not None:
        return Statement(name, _parameters(match["parameters"]), match.end(), end)
    return Statement(name, parameters, start, end)
