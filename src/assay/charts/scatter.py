"""Dots with both their values and their names beside them: cost against quality, a map of problems."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from assay.charts.drawing import Drawing, Point
from assay.charts.labels import spread
from assay.charts.marks import Mark
from assay.charts.scale import Scale

__all__ = ["Spot", "scatter"]

_LEFT, _BOTTOM, _TOP = 64, 44, 30
_LABEL = 15  # height of a name
_LONGEST = 34
_LETTER = 6.7  # usual width of one of its letters


class Spot(NamedTuple):
    """A dot: place, mark and tooltip; a label; an interval of its height; the address that it links to."""

    x: float
    y: float
    mark: Mark
    title: str
    name: str = ""
    bounds: tuple[float, float] | None = None
    go: str = ""


def scatter(
    spots: Sequence[Spot],
    across: Scale,
    up: Scale,
    *,
    x_axis: str,
    y_axis: str,
    label: str,
    width: float = 580,
    height: float = 360,
    x_label: Callable[[float], str] = "{:g}".format,
    frontier: Sequence[tuple[float, float]] = (),
) -> str:
    """Dots on two scales (only their ends and kinds are used); the frontier is a dashed line through values."""
    drawing = Drawing(label, width=width)
    longest = max((min(len(spot.name), _LONGEST) for spot in spots), default=0)
    names = max(120, 44 + _LETTER * longest) if longest else 16
    horizontal = Scale(across.low, across.high, _LEFT, width - _LEFT - names, log=across.log)
    vertical = Scale(up.low, up.high, height - _BOTTOM, -(height - _BOTTOM - _TOP), log=up.log)
    drawing.rect("ground", horizontal.start, vertical.end, horizontal.length, -vertical.length)
    drawing.x_axis(horizontal, vertical.start, label=x_label, title=x_axis, top=vertical.end)
    drawing.y_axis(vertical, horizontal.start)
    for tick in vertical.ticks():
        drawing.line("guide", ((horizontal.start, vertical(tick)), (horizontal.end, vertical(tick))))
    drawing.text(0, 14, y_axis)
    dots = [
        (spot, (horizontal(spot.x), vertical(spot.y)))
        for spot in spots
        if math.isfinite(spot.x) and math.isfinite(spot.y)
    ]
    if len(frontier) > 1:
        drawing.line("guide-strong", [(horizontal(x), vertical(y)) for x, y in frontier])
    for spot, (x, _) in dots:
        if spot.bounds is not None and all(map(math.isfinite, spot.bounds)):
            low, high = (min(max(bound, up.low), up.high) for bound in spot.bounds)
            drawing.line(f"line-{spot.mark.colour} thin", ((x, vertical(low)), (x, vertical(high))))
    for spot, (x, y) in dots:
        drawing.mark(spot.mark, x, y, title=spot.title, go=spot.go)
    _names(drawing, [(spot, place) for spot, place in dots if spot.name], horizontal.end, (_TOP, height - _BOTTOM))
    return drawing.svg(height, plot=(horizontal.start, horizontal.end))


def _names(drawing: Drawing, named: Sequence[tuple[Spot, Point]], right: float, ends: tuple[float, float]) -> None:
    """Names in a column beside the chart, each with a thin line to its dot."""
    heights = spread([y for _, (_, y) in named], _LABEL, low=ends[0], high=ends[1])
    for (spot, (x, y)), place in zip(named, heights, strict=True):
        drawing.line("guide", ((x + 7, y), (right + 2, y), (right + 16, place)))
        drawing.mark(spot.mark, right + 24, place, radius=4)
        drawing.text(right + 34, place + 4, spot.name, style="axis ink", longest=_LONGEST, title=spot.title)
