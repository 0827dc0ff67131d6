"""Pictures of columns: the mean of the target in groups of rows with low to high values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from assay.charts import Drawing, Scale
from assay.charts.scale import scale_around
from assay.insight.features.effects import Group

__all__ = ["Picture", "draw_columns"]

_COLUMNS, _WIDTH, _GAP, _RIGHT = 3, 1180, 36, 12
_HEAD, _HEIGHT, _FOOT, _LEFT = 40, 110, 44, 46
_LONGEST = 50


class Picture(NamedTuple):
    """One column: its name, what it claims, its effect in short, and its groups."""

    name: str
    claim: str
    effect: str
    groups: Sequence[Group]


def draw_columns(pictures: Sequence[Picture], *, outcome: str, overall: float, standalone: bool = False) -> str:
    """Three beside each other on one scale, each with the value over all rows as a line across."""
    drawing = Drawing(f"{outcome}, by each of {len(pictures)} columns", width=_WIDTH)
    ends = [end for picture in pictures for group in picture.groups for end in (group.below, group.above)]
    scale = scale_around([*ends, overall])
    drawing.text(
        0, 14, f"{outcome}, with 95 % intervals; the line across: {overall:.3g} over all rows", style="axis ink"
    )
    each = (_WIDTH - _GAP * (_COLUMNS - 1)) / _COLUMNS
    tall = _HEAD + _HEIGHT + _FOOT
    for place, picture in enumerate(pictures):
        left, top = place % _COLUMNS * (each + _GAP), 26 + place // _COLUMNS * tall
        up = Scale(scale.low, scale.high, top + _HEAD + _HEIGHT, -_HEIGHT)
        _one(drawing, place + 1, picture, (left, top, each), up, overall)
    return drawing.svg(26 + -(-len(pictures) // _COLUMNS) * tall, standalone=standalone)


def _one(
    drawing: Drawing, number: int, picture: Picture, box: tuple[float, float, float], up: Scale, overall: float
) -> None:
    left, top, width = box
    drawing.text(left, top + 13, f"{number}. {picture.name}", style="axis ink", longest=_LONGEST, title=picture.claim)
    drawing.text(left, top + 29, picture.effect)
    first, last = left + _LEFT, left + width - _RIGHT
    drawing.rect("ground", first, up.end, last - first, _HEIGHT)
    drawing.y_axis(up, first, ticks=up.ticks(3))
    drawing.line("guide-bold", ((first, up(overall)), (last, up(overall))))
    step = (last - first) / max(len(picture.groups), 1)
    for place, group in enumerate(picture.groups):
        x = first + step * (place + 0.5)
        words = f"{group.low:.4g}" if group.low == group.high else f"{group.low:.3g} to {group.high:.3g}"
        title = f"{words}: {group.value:.3g} [{group.below:.3g}, {group.above:.3g}], {group.rows} rows"
        drawing.interval(1, (x, up(group.below)), (x, up(group.value)), (x, up(group.above)), title=title)
        drawing.text(x, up.start + 15 + 13 * (place % 2), words, "middle", longest=18)
