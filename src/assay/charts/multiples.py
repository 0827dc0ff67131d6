"""Small multiples: the same rows of marks once per tag, on one scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from assay.charts.drawing import Drawing
from assay.charts.marks import Mark
from assay.charts.scale import Scale

__all__ = ["Multiple", "MultipleRow", "Value", "small_multiples"]

_WIDTH, _COLUMNS, _GAP = 1180, 2, 40
_NAMES, _ROW, _HEAD, _FOOT = 170, 26, 34, 34
_LONGEST = 22
_LEGEND, _LETTER = 22, 6.6


class Value(NamedTuple):
    """A subject's value in a row: its mark, the value and its tooltip."""

    mark: Mark
    value: float
    title: str


class MultipleRow(NamedTuple):
    """A value of the tag, and the subjects on it."""

    name: str
    values: Sequence[Value]


class Multiple(NamedTuple):
    """One tag."""

    title: str
    rows: Sequence[MultipleRow]


def small_multiples(
    multiples: Sequence[Multiple], scale: Scale, legend: Sequence[tuple[str, Mark]], *, axis: str, label: str
) -> str:
    """A chart per tag, two beside each other, under one legend; of the scale only the ends are used."""
    drawing = Drawing(label, width=_WIDTH)
    top = _legend(drawing, legend)
    column = (_WIDTH - _GAP * (_COLUMNS - 1)) / _COLUMNS
    for first in range(0, len(multiples), _COLUMNS):
        beside = multiples[first : first + _COLUMNS]
        for place, multiple in enumerate(beside):
            _one(drawing, multiple, scale, (place * (column + _GAP), top), column, axis)
        top += _HEAD + _ROW * max(len(multiple.rows) for multiple in beside) + _FOOT + 16
    return drawing.svg(top)


def _legend(drawing: Drawing, legend: Sequence[tuple[str, Mark]]) -> float:
    x, y = 8.0, 12.0
    for name, mark in legend:
        length = 34 + _LETTER * min(len(name), _LONGEST + 8)
        if x + length > _WIDTH and x > 8:
            x, y = 8.0, y + _LEGEND
        drawing.mark(mark, x, y)
        drawing.text(x + 11, y + 4, name, style="axis ink", longest=_LONGEST + 8, title=name)
        x += length
    return y + 22


def _one(
    drawing: Drawing, multiple: Multiple, scale: Scale, corner: tuple[float, float], width: float, axis: str
) -> None:
    left, top = corner
    across = Scale(scale.low, scale.high, left + _NAMES, width - _NAMES - 16)
    drawing.text(left, top + 14, multiple.title, style="axis ink strong")
    bottom = top + _HEAD + _ROW * len(multiple.rows)
    drawing.x_axis(across, bottom, title=axis, top=top + _HEAD - 8)
    for row, (name, values) in enumerate(multiple.rows):
        y = top + _HEAD + _ROW * row + _ROW / 2
        drawing.text(left + _NAMES - 10, y + 4, name, "end", longest=_LONGEST + 4, title=name)
        finite = [value for value in values if math.isfinite(value.value)]
        if finite:
            ends = (min(value.value for value in finite), max(value.value for value in finite))
            drawing.line("guide-bold", ((across(ends[0]), y), (across(ends[1]), y)))
        for value in finite:
            drawing.mark(value.mark, across(value.value), y, title=value.title)
