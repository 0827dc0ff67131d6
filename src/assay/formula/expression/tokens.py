"""Text of a formula to tokens; nothing is replaced inside names."""

from __future__ import annotations

import re
from typing import Any, Literal, NamedTuple, TypeAlias

from assay.core import InvalidInput

__all__ = ["MAX_CHARACTERS", "MAX_TOKENS", "SUBSCRIPTS", "Kind", "Token", "tokenize"]

MAX_CHARACTERS = 400_000
MAX_TOKENS = 50_000

# a power is a number written as superscript: x² is x to the power of two, never a variable of that name
Kind: TypeAlias = Literal["number", "name", "operator", "open", "close", "comma", "power"]


class Token(NamedTuple):
    """A piece of text with its kind and its place."""

    kind: Kind
    text: str
    position: int


_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
# x[0] and x[:,0] are names of columns, written as Python indexes them
_PATTERN = re.compile(
    r"""\s*(?:
        (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
      | (?P<open>\()
      | (?P<close>\))
      | (?P<operator>\*\*|<=|>=|==|!=|&&|\|\||\.[*/^](?!\*)|[-+*/^<>&|~!?:√×·⋅∙∗−–÷≤≥≠∧∨¬])
      | (?P<quoted>(?:Symbol|Float|Integer)\(\s*(?P<quote>['"])(?P<content>[^'"]*)(?P=quote)[\w\s,=]*\))
      | (?P<name>π|[^\W\d⁰¹²³⁴-⁹₀-₉π][^\W⁰¹²³⁴-⁹π]*(?:\[\s*(?:(?::\s*,\s*)?\d+|'\w+'|"\w+")\s*\])?)
      | (?P<comma>,)
      | (?P<power>[⁻⁺]?[⁰¹²³⁴-⁹]+))""",
    re.VERBOSE,
)

# other ways to write an operator
_SAME = {
    **dict.fromkeys(("^", ".^"), "**"),
    **dict.fromkeys(("×", "·", "⋅", "∙", "∗", ".*"), "*"),
    **dict.fromkeys(("÷", "./"), "/"),
    **dict.fromkeys(("−", "–"), "-"),
    **{"≤": "<=", "≥": ">=", "≠": "!=", "∧": "&&", "∨": "or", "¬": "~"},
}
_MODULE_NAMES = "np numpy jnp math Math cmath sp sympy sym torch tf scipy special"
_MODULES = frozenset(_MODULE_NAMES.split())
_EULER = re.compile(r"e\b")
_LONG_EXPONENT = re.compile(r"[dD][+-]?\d+(?![\w.])")  # of Fortran: 1.5D-3


def tokenize(text: str, start: int = 0, end: int | None = None) -> list[Token]:
    """The tokens of a formula, or of a part of the text.

    >>> [token.text for token in tokenize("2*x[:,0]^-1.5e-3")]
    ['2', '*', 'x[:,0]', '**', '-', '1.5e-3']
    >>> [token.text for token in tokenize("np.exp(x²) ≤ 1.5D-3")]
    ['exp', '(', 'x', '2', ')', '<=', '1.5D-3']
    """
    if len(text) > MAX_CHARACTERS:
        raise InvalidInput(f"the formula has {len(text)} characters, more than {MAX_CHARACTERS}.")
    tokens: list[Token] = []
    append, match_at = tokens.append, _PATTERN.match
    position, end = start, len(text) if end is None else end
    while end > position and text[end - 1].isspace():
        end -= 1
    while position < end:
        match = match_at(text, position, end)
        if match is None:
            raise InvalidInput(_unreadable(text, position))
        group: Any = match.lastgroup  # a kind, or a name in quotes
        begin, position = match.span(group)
        piece = text[begin:position]
        if group == "operator":
            piece = _SAME.get(piece, piece)
        elif group == "number":
            if "." in piece and (exponent := _LONG_EXPONENT.match(text, position, end)):
                piece += exponent.group()
                position = exponent.end()
        elif group == "name":
            if piece[-1] in "]" and ("'" in piece or '"' in piece):
                piece = re.split("['\"]", piece)[1]  # data['x'] is the column x
            elif position < end and text[position] == "." and piece in _MODULES:
                position += 1
                if (euler := _EULER.match(text, position, end)) is not None:  # never a variable of that name
                    tokens += [Token("name", "exp", begin), Token("open", "(", begin)]
                    tokens += [Token("number", "1", begin), Token("close", ")", begin)]
                    position = euler.end()
                continue
        elif group == "power":
            piece = piece.translate(_SUPERSCRIPTS)
        elif group == "quoted":
            tokens += _quoted(match, begin)
            continue
        append(Token(group, piece, begin))
        if len(tokens) > MAX_TOKENS:
            raise InvalidInput(f"the formula has more than {MAX_TOKENS} tokens; simplify it first.")
    if not tokens:
        raise InvalidInput("the formula is empty.")
    return tokens


def _quoted(match: re.Match[str], position: int) -> list[Token]:
    """``Symbol('x')`` and ``Float('1.5', precision=53)`` as sympy's srepr writes them."""
    content = match["content"].strip()
    inner = tokenize(content) if content else []
    kind: Kind = "name" if match["quoted"].startswith("Symbol") else "number"
    is_negative = kind == "number" and inner[:1] == [Token("operator", "-", 0)]
    value = inner[1:] if is_negative else inner
    if len(value) == 1 and value[0].kind == kind:
        token = Token(kind, value[0].text, position)
        minus = [Token("open", "(", position), Token("operator", "-", position)]
        return [*minus, token, Token("close", ")", position)] if is_negative else [token]
    raise InvalidInput(f"the formula has {match['quoted'][:30]!r} at position {position}, which is no {kind}.")


def _unreadable(text: str, position: int) -> str:
    position += len(text[position:]) - len(text[position:].lstrip())
    problem = f"the formula has {text[position]!r} at position {position}"
    if text[position] == "=":
        return f"{problem}; write only its right-hand side, and == or Eq(a, b) for a comparison."
    return f"{problem}, which no formula has."
