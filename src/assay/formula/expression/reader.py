"""From tokens to a tree, by the ranks of operators: two stacks, no recursion, no code."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from assay.core import InvalidInput
from assay.formula.expression.calls import Pair, apply, condition, is_function, piecewise, takes_pairs
from assay.formula.expression.chains import CHAINS, Chain, chained, closed
from assay.formula.expression.dialects import Dialect
from assay.formula.expression.expression import (
    Apply,
    Expression,
    Number,
    Symbol,
    divide,
    map_leaves,
    negate,
    power,
)
from assay.formula.expression.functions import RELATIONS
from assay.formula.expression.tokens import SUBSCRIPTS, Token

__all__ = ["Function", "Reader"]

_CHOICE, _NOT, _RELATION, _PRODUCT, _SIGN, _POWER, _ROOT = 1, 4, 5, 9, 10, 11, 12
_BINARY = {
    **{"?": _CHOICE, "if": _CHOICE, "or": 2, "||": 2, "and": 3, "&&": 3},
    **dict.fromkeys(RELATIONS.values(), _RELATION),
    # as in Python these bind tighter than comparisons, which therefore must stand in brackets
    **{"|": 6, "&": 7},
    **{"+": 8, "-": 8, "*": _PRODUCT, "/": _PRODUCT, "**": _POWER},
}
_PREFIX = {"-": _SIGN, "+": _SIGN, "not": _NOT, "~": _SIGN, "!": _SIGN, "√": _ROOT}
_BUILD: Mapping[str, Callable[[Expression, Expression], Expression]] = {"/": divide, "**": power}
_WORDS = frozenset(("if", "else", "and", "or", "not"))
# names that are constants unless the data have a column of that name
_NAMED = {
    **{"pi": "pi", "π": "pi", "E": "e", "I": "i", "zoo": "nan", "nan": "nan", "oo": "nan", "inf": "nan", "NaN": "nan"},
}
_TRUTH = {"True": Number(1), "true": Number(1), "False": Number(0), "false": Number(0)}
_LONGEST_WHOLE = 15
_EXPONENT = re.compile(r"[eEdD]\d*")


class Function(NamedTuple):
    """What a line before the formula defines: a value, or with parameters a function."""

    parameters: tuple[str, ...] | None
    tree: Expression


@dataclass(slots=True)
class Reader:
    """Two stacks: values read, and operations that wait for their right side."""

    dialect: Dialect
    names: Collection[str] | None
    tokens: list[Token]
    text: str
    defined: Mapping[str, Function]
    in_latex: bool
    used: set[str]
    values: list[Any] = field(default_factory=list)
    # an operator with its rank; brackets and calls with rank 0, a call with its name and the values before it apart
    waiting: list[tuple[str, int]] = field(default_factory=list)
    calls: list[tuple[str, int]] = field(default_factory=list)
    group: bool = False  # whether the last token closed a bracket that is no call's
    euler: bool | None = None

    def read(self) -> Expression:
        """The tree of all tokens."""
        expects_value = True
        tokens, values, waiting = self.tokens, self.values, self.waiting
        last = len(tokens) - 1
        for place, token in enumerate(tokens):
            kind = token.kind
            if kind == "number" or kind == "name" or kind == "open":
                if kind == "name" and token.text in _WORDS and self._is_word(token, place, expects_value):
                    expects_value = self._word(token, expects_value)
                    continue
                if not expects_value:
                    self._imply(token, place)
                    expects_value = True
                if kind == "number":
                    values.append(self._number(token))
                    expects_value = False
                elif kind == "open":
                    called = waiting and waiting[-1][0] == "called"
                    waiting[-1:] = [("call", 0)] if called else [*waiting[-1:], ("(", 0)]
                elif place < last and tokens[place + 1].kind == "open" and self._is_call(token, place):
                    self.calls.append((token.text, len(values)))
                    waiting.append(("called", 0))
                else:
                    values.append(self.name(token))
                    expects_value = False
            elif kind == "operator":
                expects_value = self._operator(token, place, expects_value)
            elif expects_value:
                raise _misplaced(token)
            elif kind == "close":
                self._close(token, tokens[place + 1] if place < last else None)
                continue
            elif kind == "power":
                self._raise(token, place)
            else:
                self._comma(token, place)
                expects_value = True
            self.group = False
        if expects_value:
            raise InvalidInput("the formula ends where a value is expected.")
        self._reduce(_CHOICE)
        if waiting:
            opened = waiting[-1][0]
            raise InvalidInput(f"the formula opens a {'bar |' if opened == '|' else 'bracket'} that is never closed.")
        tree: Expression = closed(values[0])
        return tree

    def _reduce(self, rank: int, *, right: bool = False) -> None:
        waiting, values = self.waiting, self.values
        while waiting and waiting[-1][1] and (waiting[-1][1] > rank or (waiting[-1][1] == rank and not right)):
            operator, _ = waiting.pop()
            last = closed(values.pop())
            if operator in CHAINS:
                values[-1] = chained(values[-1], operator, last)
            elif operator in _BUILD:
                values[-1] = _BUILD[operator](closed(values[-1]), last)
            elif operator == "u-":
                values.append(negate(last))
            elif operator == "u+":
                values.append(last)
            elif operator == "u√":
                values.append(Apply("sqrt", (last,)))
            elif operator in ("else", ":"):
                second, first = closed(values.pop()), closed(values.pop())
                holds, value = (second, first) if operator == "else" else (first, second)
                values.append(piecewise(condition(holds, "a choice"), value, last))
            elif operator in ("if", "?"):
                raise InvalidInput(f"the formula has {operator!r} without {'else' if operator == 'if' else ':'!r}.")
            else:
                values.append(Apply("not", (condition(last, "'not'"),)))

    def _close(self, token: Token, following: Token | None) -> None:
        self._reduce(_CHOICE)
        if not self.waiting or self.waiting[-1][0] == "|":
            raise InvalidInput(f"the formula closes a bracket at position {token.position} that was never opened.")
        kind, _ = self.waiting.pop()
        self.group = kind == "("
        if kind == "call":
            name, before = self.calls.pop()
            arguments = [closed(value) for value in self.values[before:]]
            del self.values[before:]
            self.values.append(self._apply(name, arguments))
        elif kind == "pair":
            second, first = closed(self.values.pop()), closed(self.values.pop())
            self.values.append(Pair(first, second))
            if following is None or following.kind not in ("comma", "close"):
                raise InvalidInput(
                    f"the formula has a pair before position {token.position} where a value is expected."
                )
        elif isinstance(self.values[-1], Chain) and self.values[-1].op == "relation":
            self.values[-1] = closed(self.values[-1])  # (a < b) < c is no chain

    def _comma(self, token: Token, place: int) -> None:
        self._reduce(_CHOICE)
        kind = self.waiting[-1][0] if self.waiting else ""
        if kind == "call":
            return
        called = kind == "(" and len(self.waiting) > 1 and self.waiting[-2][0] == "call"
        if called and takes_pairs(self.calls[-1][0], self.dialect):
            self.waiting[-1] = ("pair", 0)
            return
        before, after = self.tokens[place - 1], self.tokens[min(place + 1, len(self.tokens) - 1)]
        point = before.kind == after.kind == "number" and before.text.isdigit() and after.position == token.position + 1
        raise InvalidInput(
            f"the formula has a comma at position {token.position} outside of a function"
            + (f"; write the number as {before.text}.{after.text}." if point else ".")
        )

    def _operator(self, token: Token, place: int, expects_value: bool) -> bool:
        sign = token.text
        if sign in ("|", "||") and (expects_value or self._innermost() == "|"):
            self._bars(token, expects_value)
            return expects_value
        if expects_value:
            if sign not in _PREFIX:
                raise _misplaced(token)
            self.waiting.append((f"u{sign}", _PREFIX[sign]))
            return True
        if sign == ":":
            self._complete("?", token)
        elif sign == "√":
            self._imply(token, place)
            self.waiting.append(("u√", _ROOT))
        elif sign in _BINARY:
            if sign == "**":
                self._refuse_root(token)
            rank = _BINARY[sign]
            self._reduce(rank, right=rank in (_POWER, _CHOICE))
            self.waiting.append((sign, rank))
        else:
            raise InvalidInput(f"the formula has {sign!r} at position {token.position} where no value follows.")
        return True

    def _bars(self, token: Token, expects_value: bool) -> None:
        """Bars around a value."""
        for _ in token.text:
            if expects_value:
                self.waiting.append(("|", 0))
            elif self._innermost() == "|":
                self._reduce(_CHOICE)
                self.waiting.pop()
                self.values[-1] = Apply("abs", (closed(self.values[-1]),))
            else:
                raise InvalidInput(
                    f"the formula has '||' at position {token.position}; write abs(...) instead of bars."
                )

    def _innermost(self) -> str:
        return next((kind for kind, rank in reversed(self.waiting) if not rank), "")

    def _is_word(self, token: Token, place: int, expects_value: bool) -> bool:
        if self.names is not None and token.text in self.names:
            return False
        followed = place + 1 < len(self.tokens) and self.tokens[place + 1].kind == "open"
        return not (expects_value and followed and token.text != "else")

    def _word(self, token: Token, expects_value: bool) -> bool:
        if token.text == "not" and expects_value:
            self.waiting.append(("unot", _NOT))
        elif expects_value or token.text == "not":
            raise _misplaced(token)
        elif token.text == "else":
            self._complete("if", token)
        else:
            rank = _BINARY[token.text]
            self._reduce(rank, right=rank == _CHOICE)
            self.waiting.append((token.text, rank))
        return True

    def _complete(self, opened: str, token: Token) -> None:
        """The other half of a choice."""
        self._reduce(_CHOICE, right=True)
        while self.waiting and self.waiting[-1][0] in ("else", ":"):
            self.waiting[-1] = (self.waiting[-1][0], _CHOICE + 1)
            self._reduce(_CHOICE, right=True)
        if not self.waiting or self.waiting[-1][0] != opened:
            raise InvalidInput(f"the formula has {token.text!r} at position {token.position} without {opened!r}.")
        self.waiting[-1] = (token.text, _CHOICE)

    def _imply(self, token: Token, place: int) -> None:
        """A product without its sign, where it can mean nothing else."""
        before = self.tokens[place - 1]
        if not self._is_product(before, token, place):
            raise InvalidInput(
                f"the formula has no operator before {token.text!r} at position {token.position}. Products are written "
                "with *."
            )
        for number, (sign, rank) in enumerate(reversed(self.waiting)):
            if rank < _PRODUCT:
                break
            if sign == "/" or (sign in ("**", "u√") and not (number == 0 and self.group)):
                raise InvalidInput(
                    f"the formula has no operator before {token.text!r} at position {token.position}, and may mean two "
                    f"things; write * and brackets."
                )
        self._reduce(_PRODUCT)
        self.waiting.append(("*", _PRODUCT))

    def _is_product(self, before: Token, token: Token, place: int) -> bool:
        if token.kind == "number":
            return False
        if not self.in_latex and "\n" in self.text[before.position : token.position]:
            return False
        if before.kind == "name":
            return self.in_latex or token.kind == "open" or token.text == "√" or before.text == "π"
        if before.kind == "number" and token.kind == "name":
            is_variable = self.names is not None and token.text in self.names
            if before.text == "0" or (token.text == "j" and not is_variable):
                return False
            if not is_variable and _EXPONENT.fullmatch(token.text):  # 2 e-5 is a slip, not a difference
                after = self.tokens[place + 1 : place + 3]
                signed = [part.kind for part in after] == ["operator", "number"] and after[0].text in ("+", "-")
                apart = signed and after[1].position > after[0].position + 1
                return len(token.text) == 1 and (not signed or apart)
        return before.kind in ("number", "close", "power") or before.text in ("|", "||")

    def _is_call(self, token: Token, place: int) -> bool:
        name = token.text
        if name in self.defined:
            return self.defined[name].parameters is not None
        if is_function(name, self.dialect):
            return True
        is_variable = (
            (self.names is not None and name in self.names) or name in _NAMED or (name == "e" and self._is_euler())
        )
        spaced = self.in_latex and self.tokens[place + 1].position > token.position + len(name)
        return not is_variable and not (spaced and self.names is None)

    def _apply(self, name: str, arguments: list[Any]) -> Expression:
        function = self.defined.get(name)
        if function is None or function.parameters is None:
            return apply(name, arguments, self.dialect)
        if len(arguments) != len(function.parameters):
            raise InvalidInput(
                f"the function {name!r} takes {len(function.parameters)} arguments, got {len(arguments)}."
            )
        self.used.add(name)
        bindings = dict(zip(function.parameters, arguments, strict=True))
        return map_leaves(
            function.tree, lambda leaf: bindings.get(leaf.name, leaf) if isinstance(leaf, Symbol) else leaf
        )

    def _raise(self, token: Token, place: int) -> None:
        before = self.tokens[place - 1]
        is_variable = self.names is not None and before.text in self.names
        if before.kind == "name" and not is_variable and is_function(before.text, self.dialect):
            raise InvalidInput(
                f"the formula raises the function {before.text!r} itself at position {token.position}; write "
                f"{before.text}(...)**{token.text}."
            )
        self._refuse_root(token)
        if len(token.text) > _LONGEST_WHOLE:
            raise InvalidInput(f"the formula has a power at position {token.position} that is too large.")
        self.values[-1] = power(closed(self.values[-1]), Number(int(token.text)))

    def _refuse_root(self, token: Token) -> None:
        if self.waiting and self.waiting[-1][0] == "u√" and not self.group:
            raise InvalidInput(
                f"the formula has a power of a root at position {token.position} that may mean two things; write "
                f"brackets."
            )

    def leaf(self, token: Token) -> Expression:
        """A number or a name."""
        return self._number(token) if token.kind == "number" else self.name(token)

    def name(self, token: Token) -> Expression:
        """A variable, a constant, or what a line before defined."""
        text = token.text
        if text in self.defined and self.defined[text].parameters is None:
            self.used.add(text)
            return self.defined[text].tree
        if self.names is not None and text in self.names:
            return Symbol(text)
        if text in _NAMED:
            return Apply(_NAMED[text], ())
        if text in _TRUTH:
            return _TRUTH[text]
        if text == "e" and self._is_euler():
            return Apply("e", ())
        if not text.isascii() and (plain := text.translate(SUBSCRIPTS)) != text:
            apart = re.sub(r"(?<=[^\W\d_])(\d+)$", r"_\1", plain)
            return Symbol(apart if self.names is not None and apart in self.names else plain)
        return Symbol(text)

    def _is_euler(self) -> bool:
        """Whether e is Euler's number: no variable of that name exists or, where that is unknown, e^x occurs."""
        if self.names is not None:
            return "e" not in self.names
        if self.euler is None:
            self.euler = any(
                first.text == "e" and second.text == "**" and third.kind != "number"
                for first, second, third in zip(self.tokens, self.tokens[1:], self.tokens[2:], strict=False)
            )
        return self.euler

    def _number(self, token: Token) -> Number:
        text = token.text
        if text.isdigit() and len(text) <= _LONGEST_WHOLE:
            return Number(int(text))
        if "d" in text or "D" in text:
            if self.names is not None and not {"d", "D"}.isdisjoint(self.names):
                raise InvalidInput(f"the formula has {text!r} at position {token.position}; write the exponent with e.")
            text = text.lower().replace("d", "e")
        value = float(text)
        if math.isinf(value):
            raise InvalidInput(f"the formula has the number {text[:30]}, which is too large.")
        return Number(value)


def _misplaced(token: Token) -> InvalidInput:
    return InvalidInput(f"the formula has {token.text!r} at position {token.position} where a value is expected.")
