"""Formulas as they are written by hand, drawn as SVG: fractions, powers, roots, indices, Greek letters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from assay.formula.expression.expression import Apply, Expression, Number, Symbol
from assay.formula.expression.functions import CONSTANTS

__all__ = ["Box", "draw", "lay_out"]

_GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta kappa lambda mu nu xi rho sigma tau phi chi psi omega hbar"
)
_GREEK = dict(zip(_GREEK_NAMES.split(), "αβγδεζηθκλμνξρστφχψωħ", strict=True))
_SHOWN = {"pi": "π", "e": "e", "i": "i", "nan": "undefined"}
_NARROW, _WIDE = set("fijlrtI.,()|·' "), set("mwMW+−×=ω")
_SMALL, _GAP = 0.7, 0.12  # of the size: indices and powers, space around signs
_LEAST = 8.0  # what stands in a fraction of a fraction must still be read
_SUM, _PRODUCT, _POWER, _ATOM = 1, 2, 3, 4
_SPLIT = re.compile(r"^(?P<stem>[^\W\d_]+)(?:_(?P<under>\w+)|(?P<number>\d+))$")


class _Mark(NamedTuple):
    """A piece of text or, without one, a rule; ``y`` is measured downwards from the line of writing."""

    x: float
    y: float
    size: float  # of the letters; the thickness of a rule
    width: float
    text: str = ""
    italic: bool = False


class Box(NamedTuple):
    """A drawn piece of formula: how wide it is, and how far it reaches above and below the line."""

    width: float
    above: float
    below: float
    marks: tuple[_Mark, ...]


def lay_out(expression: Expression, size: float = 16.0) -> Box:
    """The formula as a box, in letters of that size."""
    return _lay(expression, size)[0]


def draw(box: Box, x: float, y: float) -> str:
    """SVG elements with the line of writing at ``y``; colours follow the page's text."""
    return "".join(_draw(mark, x, y) for mark in box.marks)


def _draw(mark: _Mark, x: float, y: float) -> str:
    left, down = x + mark.x, y + mark.y
    if not mark.text:
        return (
            f'<rect fill="currentColor" x="{left:.1f}" y="{down:.1f}" width="{mark.width:.1f}" '
            f'height="{mark.size:.1f}"></rect>'
        )
    slant = ' font-style="italic"' if mark.italic else ""
    # the reader's font may be wider than ours: the length is fixed, so that nothing runs into its neighbour
    return (
        f'<text fill="currentColor" font-family="serif" font-size="{mark.size:.1f}"{slant} x="{left:.1f}" '
        f'y="{down:.1f}" textLength="{mark.width:.1f}" lengthAdjust="spacingAndGlyphs">{escape(mark.text)}</text>'
    )


def _word(text: str, size: float, *, italic: bool = False) -> Box:
    wide = sum(0.3 if sign in _NARROW else 0.75 if sign in _WIDE else 0.5 for sign in text) * size
    return Box(wide, 0.75 * size, 0.25 * size, (_Mark(0.0, 0.0, size, wide, text, italic),))


def _moved(box: Box, x: float, y: float) -> tuple[_Mark, ...]:
    return tuple(mark._replace(x=mark.x + x, y=mark.y + y) for mark in box.marks)


def _beside(boxes: Sequence[Box]) -> Box:
    marks: list[_Mark] = []
    x = 0.0
    for box in boxes:
        marks.extend(_moved(box, x, 0.0))
        x += box.width
    return Box(x, max(box.above for box in boxes), max(box.below for box in boxes), tuple(marks))


def _gap(size: float, share: float = _GAP) -> Box:
    return Box(share * size, 0.0, 0.0, ())


def _bracketed(box: Box, size: float, left: str = "(", right: str = ")") -> Box:
    tall = max(1.0, (box.above + box.below) / size)
    sides = [_word(side, size * min(tall, 2.2)) for side in (left, right)]
    drop = (box.below - box.above) / 2 + 0.25 * size * min(tall, 2.2)
    moved = [side._replace(marks=_moved(side, 0.0, drop)) for side in sides]
    return _beside([moved[0], box, moved[1]])


def _lay(expression: Expression, size: float) -> tuple[Box, int]:
    """The box and how tightly it binds."""
    if isinstance(expression, Number):
        return _number(expression.value, size)
    if isinstance(expression, Symbol):
        return _symbol(expression.name, size), _ATOM
    if expression.op in CONSTANTS:
        return _word(_SHOWN[expression.op], size, italic=True), _ATOM
    args = expression.args
    match expression.op:
        case "add":
            return _sum(args, size), _SUM
        case "neg":
            return _beside([_word("−", size), _inner(args[0], size, _PRODUCT)]), _SUM
        case "mul":
            return _product(args, size), _PRODUCT
        case "div" | "protected_div":
            return _fraction(args[0], args[1], size), _ATOM
        case "inv" | "protected_inv":
            return _fraction(Number(1), args[0], size), _ATOM
        case "pow":
            return _raised(_inner(args[0], size, _ATOM), _lay(args[1], size * _SMALL)[0], size), _POWER
        case "square" | "cube":
            power = _word("2" if expression.op == "square" else "3", size * _SMALL)
            return _raised(_inner(args[0], size, _ATOM), power, size), _POWER
        case "exp":
            return _raised(_word("e", size), _lay(args[0], size * _SMALL)[0], size), _POWER
        case "sqrt":
            return _root(_lay(args[0], size)[0], size), _ATOM
        case "protected_sqrt":
            return _root(_bracketed(_lay(args[0], size)[0], size, "|", "|"), size), _ATOM
        case "abs":
            return _bracketed(_lay(args[0], size)[0], size, "|", "|"), _ATOM
        case "protected_log":
            inside = _bracketed(_lay(args[0], size)[0], size, "|", "|")
            return _beside([_word("log", size), inside]), _ATOM
    listed: list[Box] = []
    for place, argument in enumerate(args):
        listed += [*([_word(", ", size)] if place else []), _lay(argument, size)[0]]
    return _beside([_word(expression.op, size), _bracketed(_beside(listed), size)]), _ATOM


def _inner(expression: Expression, size: float, needed: int) -> Box:
    box, binding = _lay(expression, size)
    return box if binding >= needed else _bracketed(box, size)


def _number(value: float, size: float) -> tuple[Box, int]:
    text = f"{value}" if isinstance(value, int) else f"{value:.4g}"
    digits, _, exponent = text.replace("-", "−").partition("e")
    binding = _SUM if value < 0 else _ATOM
    if not exponent:
        return _word(digits, size), binding
    power = exponent.replace("+", "").replace("−0", "−").lstrip("0")
    return _raised(_word(f"{digits}·10", size), _word(power, size * _SMALL), size), min(binding, _PRODUCT)


def _symbol(name: str, size: float) -> Box:
    found = _SPLIT.match(name)
    if found is None:
        return _word(_GREEK.get(name, name), size, italic=True)
    stem = _word(_GREEK.get(found["stem"], found["stem"]), size, italic=True)
    below = _word(found["under"] or found["number"], size * _SMALL)
    marks = (*stem.marks, *_moved(below, stem.width, 0.25 * size))
    return Box(stem.width + below.width, stem.above, 0.25 * size + below.below, marks)


def _sum(terms: Sequence[Expression], size: float) -> Box:
    boxes: list[Box] = []
    for place, term in enumerate(terms):
        positive, minus = _sign(term)
        if minus:
            boxes += [_gap(size), _word("−", size), _gap(size)] if place else [_word("−", size)]
        elif place:
            boxes += [_gap(size), _word("+", size), _gap(size)]
        boxes.append(_inner(positive, size, _PRODUCT))
    return _beside(boxes)


def _sign(term: Expression) -> tuple[Expression, bool]:
    """A term and its sign apart, so that a sum shows no plus before a minus."""
    if isinstance(term, Number) and term.value < 0:
        return Number(-term.value), True
    if isinstance(term, Apply) and term.op == "neg":
        inside, minus = _sign(term.args[0])
        return inside, not minus
    if isinstance(term, Apply) and term.op == "mul":
        first, minus = _sign(term.args[0])
        if minus:
            rest = term.args[1:]
            return (Apply("mul", (first, *rest)) if first != Number(1) or len(rest) > 1 else rest[0]), True
    return term, False


def _product(factors: Sequence[Expression], size: float) -> Box:
    boxes: list[Box] = []
    for place, factor in enumerate(factors):
        if place:
            # a number behind something would be read as a part of it
            behind = isinstance(factor, Number)
            boxes += [_gap(size), _word("·", size), _gap(size)] if behind else [_gap(size)]
        # a minus in front of the whole product needs no brackets
        leads = place == 0 and isinstance(factor, Number)
        boxes.append(_lay(factor, size)[0] if leads else _inner(factor, size, _PRODUCT))
    return _beside(boxes)


def _fraction(above: Expression, below: Expression, size: float) -> Box:
    smaller = max(size * 0.9, min(size, _LEAST))
    top, bottom = _lay(above, smaller)[0], _lay(below, smaller)[0]
    width = max(top.width, bottom.width) + 0.3 * size
    line = -0.3 * size
    up, down = line - 0.12 * size - top.below, line + 0.2 * size + bottom.above
    marks = (
        *_moved(top, (width - top.width) / 2, up),
        _Mark(0.0, line, max(0.8, size / 18), width),
        *_moved(bottom, (width - bottom.width) / 2, down),
    )
    return Box(width, top.above - up, bottom.below + down, marks)


def _raised(base: Box, power: Box, size: float) -> Box:
    up = -max(0.4 * size, base.above - 0.35 * size) - max(0.0, power.below - 0.25 * size)
    marks = (*base.marks, *_moved(power, base.width + 0.04 * size, up))
    return Box(base.width + power.width + 0.08 * size, max(base.above, power.above - up), base.below, marks)


def _root(inside: Box, size: float) -> Box:
    tall = max(1.0, (inside.above + inside.below) / size)
    sign = _word("√", size * min(tall, 2.5))
    shift = inside.below - 0.2 * size * min(tall, 2.5)
    roof = -inside.above - 0.08 * size
    marks = (
        *_moved(sign, 0.0, shift),
        _Mark(sign.width, roof, max(0.8, size / 18), inside.width + 0.1 * size),
        *_moved(inside, sign.width + 0.05 * size, 0.0),
    )
    return Box(sign.width + inside.width + 0.15 * size, inside.above + 0.2 * size, inside.below, marks)
