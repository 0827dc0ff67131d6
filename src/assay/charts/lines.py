"""Lines over steps with their names beside their ends: scores over seeds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from assay.charts.drawing import Drawing
from assay.charts.labels import spread
from assay.charts.marks import Mark
from assay.charts.scale import Scale

__all__ = ["Line", "named_lines"]

_WIDTH, _HEIGHT = 1180, 340
_LEFT, _NAMES, _TOP, _BOTTOM = 64, 220, 30, 44
_LABEL, _LONGEST = 16, 28


class Line(NamedTuple):
    """A subject's values over the steps, nan where there is none, each with a tooltip."""

    name: str
    mark: Mark
    values: Sequence[float]
    titles: Sequence[str]


def named_lines(
    lines: Sequence[Line],
    steps: Sequence[str],
    up: Scale,
    *,
    x_axis: str,
    y_axis: str,
    label: str,
) -> str:
    """A line per subject; of the vertical scale only the ends are used."""
    drawing = Drawing(label, width=_WIDTH)
    height = max(_HEIGHT, _TOP + _BOTTOM + _LABEL * len(lines))
    across = Scale(0, max(len(steps) - 1, 1), _LEFT + 20, _WIDTH - _LEFT - _NAMES - 40)
    vertical = Scale(up.low, up.high, height - _BOTTOM, -(height - _BOTTOM - _TOP))
    drawing.rect("ground", _LEFT, vertical.end, _WIDTH - _LEFT - _NAMES, -vertical.length)
    shown = range(0, len(steps), max(1, math.ceil(len(steps) / 20)))
    drawing.x_axis(across, vertical.start, ticks=shown, label=lambda place: steps[int(place)], title=x_axis)
    drawing.y_axis(vertical, _LEFT)
    for tick in vertical.ticks():
        drawing.line("guide", ((_LEFT, vertical(tick)), (_WIDTH - _NAMES, vertical(tick))))
    drawing.text(0, 14, y_axis)
    ends = []
    for line in lines:
        points = [
            (across(place), vertical(value), title)
            for place, (value, title) in enumerate(zip(line.values, line.titles, strict=True))
            if math.isfinite(value)
        ]
        if not points:
            continue
        drawing.line(f"line-{line.mark.colour}", [(x, y) for x, y, _ in points])
        for x, y, title in points:
            drawing.mark(line.mark, x, y, radius=4, title=title)
        ends.append((line, points[-1]))
    places = spread([y for _, (_, y, _) in ends], _LABEL, low=_TOP, high=height - _BOTTOM)
    for (line, (x, y, _)), place in zip(ends, places, strict=True):
        drawing.line("guide", ((x + 6, y), (_WIDTH - _NAMES + 4, y), (_WIDTH - _NAMES + 18, place)))
        drawing.mark(line.mark, _WIDTH - _NAMES + 26, place, radius=4)
        drawing.text(_WIDTH - _NAMES + 36, place + 4, line.name, style="axis ink", longest=_LONGEST, title=line.name)
    return drawing.svg(height, plot=(_LEFT, _WIDTH - _NAMES))
