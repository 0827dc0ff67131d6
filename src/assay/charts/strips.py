"""Rows of dots on one scale: how each subject's scores are spread, with the mean and its interval."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from assay.charts.drawing import Drawing
from assay.charts.marks import Mark
from assay.charts.scale import Scale

__all__ = ["FULL_WIDTH", "Dot", "Strip", "score_strips"]

FULL_WIDTH = 1180
MOST_DOTS = 4000  # more are drawn as shares of bins
_NAMES, _RIGHT = 240, 24
_ROW, _TOP, _LONGEST = 40, 30, 30
_BINS = 60
_RADIUS = 3.2


class Dot(NamedTuple):
    """One value, its tooltip, and the address that it links to."""

    value: float
    title: str
    go: str = ""


class Strip(NamedTuple):
    """A subject's row: its dots, and its mean with bounds, which may be nan."""

    name: str
    mark: Mark
    dots: Sequence[Dot]
    mean: tuple[float, float, float]
    title: str


def score_strips(strips: Sequence[Strip], scale: Scale, *, axis: str, label: str) -> str:
    """A row per strip on a scale whose ends cover them; dots that would cover each other are stacked.

    Where there are very many, each row shows how many values lie in each of sixty bins.
    """
    drawing = Drawing(label, width=FULL_WIDTH)
    across = Scale(scale.low, scale.high, _NAMES, FULL_WIDTH - _NAMES - _RIGHT)
    bottom = _TOP + _ROW * len(strips)
    drawing.x_axis(across, bottom, title=axis, top=_TOP - 6)
    for tick in across.ticks():
        drawing.text(across(tick), _TOP - 12, f"{tick:g}", "middle")
    is_dense = sum(len(strip.dots) for strip in strips) > MOST_DOTS
    for row, strip in enumerate(strips):
        middle = _TOP + _ROW * row + _ROW / 2
        drawing.line("guide", ((0, middle + _ROW / 2), (FULL_WIDTH - _RIGHT, middle + _ROW / 2)))
        drawing.mark(strip.mark, 10, middle)
        drawing.text(26, middle + 4, strip.name, style="axis ink", longest=_LONGEST, title=strip.name)
        (_bins if is_dense else _dots)(drawing, strip, across, middle - 6)
        value, low, high = strip.mean
        if math.isfinite(value):
            if math.isfinite(low) and math.isfinite(high):
                drawing.line(f"line-{strip.mark.colour} thick", ((across(low), middle + 9), (across(high), middle + 9)))
            drawing.mark(strip.mark, across(value), middle + 9, radius=5.5, title=strip.title)
    return drawing.svg(bottom + 38, plot=(across.start, across.end))


def _dots(drawing: Drawing, strip: Strip, across: Scale, middle: float) -> None:
    """Dots side by side where there is room; those of one place above and below each other."""
    counts: Counter[int] = Counter()
    step = 2 * _RADIUS
    for dot in sorted((dot for dot in strip.dots if math.isfinite(dot.value)), key=lambda dot: dot.value):
        place = round((across(dot.value) - across.start) / step)
        level, counts[place] = counts[place], counts[place] + 1
        shift = (level + 1) // 2 * (1 if level % 2 else -1) * _RADIUS
        y = middle + max(min(shift, 9), -9)
        drawing.dot(
            f"series-{strip.mark.colour} faint", across(dot.value), y, radius=_RADIUS, title=dot.title, go=dot.go
        )


def _bins(drawing: Drawing, strip: Strip, across: Scale, middle: float) -> None:
    width = across.length / _BINS
    values = [dot.value for dot in strip.dots if math.isfinite(dot.value)]
    counts = Counter(min(max(int((across(value) - across.start) / width), 0), _BINS - 1) for value in values)
    most = max(counts.values(), default=1)
    for place, count in sorted(counts.items()):
        height = max(18 * count / most, 1)
        low = across.low + (across.high - across.low) * place / _BINS
        drawing.rect(
            f"series-{strip.mark.colour} faint",
            across.start + width * place,
            middle + 9 - height,
            width - 0.6,
            height,
            title=f"{strip.name}: {count} of {len(values)} problems between {low:.3g} and "
            f"{low + (across.high - across.low) / _BINS:.3g}",
        )
