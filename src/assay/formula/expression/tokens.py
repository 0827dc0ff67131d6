"""Text of a formula to tokens; nothing is replaced inside names."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, TypeAlias

from assay.core import InvalidInput

__all__ = ["MAX_CHARACTERS", "MAX_TOKENS", "Kind", "Token", "tokenize"]

MAX_CHARACTERS = 400_000
MAX_TOKENS = 50_000

Kind: TypeAlias = Literal["number", "name", "operator", "open", "close", "comma"]


class Token(NamedTuple):
    """A piece of text with its kind and its place."""

    kind: Kind
    text: str
    position: int


# x[0] and x[:,0] are names of columns, written as Python indexes them
_PATTERN = re.compile(
    r"""(?P<space>\s+)
      | (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
      | (?P<name>[^\W\d]\w*(?:\[\s*(?::\s*,\s*)?\d+\s*\])?)
      | (?P<operator>\*\*|[-+*/^])
      | (?P<open>\()
      | (?P<close>\))
      | (?P<comma>,)""",
    re.VERBOSE,
)
_KINDS: dict[str, Kind] = {
    "number": "number",
    "name": "name",
    "operator": "operator",
    "open": "open",
    "close": "close",
    "comma": "comma",
}


def tokenize(text: str) -> list[Token]:
    """The tokens of a formula.

    >>> [token.text for token in tokenize("2*x[:,0]^-1.5e-3")]
    ['2', '*', 'x[:,0]', '**', '-', '1.5e-3']
    """
    if len(text) > MAX_CHARACTERS:
        raise InvalidInput(f"the formula has {len(text)} characters, more than {MAX_CHARACTERS}.")
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        match = _PATTERN.match(text, position)
        if match is None:
            remedy = " Write what stands to its right alone." if text[position] == "=" else ""
            raise InvalidInput(
                f"the formula has {text[position]!r} at position {position}, which no formula has.{remedy}"
            )
        if match.lastgroup in _KINDS:
            written = "**" if match.group() == "^" else match.group()
            tokens.append(Token(_KINDS[match.lastgroup], written, position))
            if len(tokens) > MAX_TOKENS:
                raise InvalidInput(f"the formula has more than {MAX_TOKENS} tokens; simplify it first.")
        position = match.end()
    if not tokens:
        raise InvalidInput("the formula is empty.")
    return tokens
