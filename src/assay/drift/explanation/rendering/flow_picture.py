"""The flow of a process before and after a drift as pictures: SVG for pages, PNG for Word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from assay.charts.drawing import Drawing
from assay.charts.raster import Raster
from assay.drift.explanation.rendering.flow import Change, Flow, FlowChange, Step
from assay.drift.explanation.rendering.flow_layout import LINE, Box, Layout, Point

__all__ = ["LEGEND", "SIDES", "Side", "flow_png", "flow_svg"]

Side: TypeAlias = Literal["before", "after"]

LEGEND: Final = (
    "Steps and what follows what, with the share of cases. Teal has become more common and orange less common, both "
    "beyond chance; what is dashed does not happen on that side. Thick lines are common ways."
)
_STYLES: Final[dict[Change, tuple[str, str, str]]] = {  # of a line, its head, and a box
    "more": ("line-1", "series-1", "box-1"),
    "less": ("line-2", "series-2", "box-2"),
    "same": ("frame", "soft", "box"),
}
SIDES: Final[tuple[Side, Side]] = ("before", "after")
_NEVER: Final = 0.005  # a share that is shown as 0 %
_HEAD: Final = 7.0
_SHARE: Final = 34.0  # width of a written share


def flow_svg(change: FlowChange, layout: Layout, side: Side) -> str:
    """One side of the drift; both sides have the same places."""
    drawing = Drawing(f"The process {side} the drift", width=layout.width, scrolls=True, smallest=0.75)
    _draw(drawing, change, layout, side)
    return drawing.svg(layout.height)


def _draw(drawing: Drawing, change: FlowChange, layout: Layout, side: Side) -> None:
    order = sorted(change.flows, key=lambda flow: flow.change != "same")  # what changed is drawn over the rest
    for flow in order:
        _draw_flow(drawing, flow, layout, side)
    for step in change.steps:
        _draw_step(drawing, step, layout.boxes[step.name], side)
    for flow in order:
        if flow.change != "same":
            _draw_share(drawing, flow, layout, side)


def _draw_flow(drawing: Drawing, flow: Flow, layout: Layout, side: Side) -> None:
    share = getattr(flow, side)
    line, head, _ = _STYLES[flow.change]
    words = f"{flow.source} → {flow.target}: {flow.before:.0%} of cases before, {flow.after:.0%} after"
    points = _points(flow, layout)
    drawing.curve(line, points, width=1 + 3 * share, dashed=share < _NEVER, title=words)
    drawing.shape(head, _arrow(points))


def _points(flow: Flow, layout: Layout) -> Sequence[Point]:
    if flow.source != flow.target:
        return layout.ways[flow.source, flow.target]
    box = layout.boxes[flow.source]
    right, up, low = box.x + box.width / 2, box.y - box.height / 4, box.y + box.height / 4
    return (right, low), (right + 2.2 * _HEAD, box.y), (right, up)


def _arrow(points: Sequence[Point]) -> list[Point]:
    """The head at the end of a line, along its last stretch, which ends upright."""
    x, y = points[-1]
    if len(points) == 3 and points[0][0] == x:  # around a step
        return [(x, y), (x + _HEAD, y - _HEAD / 2), (x + _HEAD, y + _HEAD / 2)]
    turn = -1.0 if points[-2][1] < y else 1.0
    return [(x, y), (x - _HEAD / 2, y + turn * _HEAD), (x + _HEAD / 2, y + turn * _HEAD)]


def _middle(points: Sequence[Point]) -> Point:
    """Half-way along a line, in the middle of the gap between two layers where it can be."""
    half = (len(points) - 1) // 2
    (x, y), (right, low) = points[half], points[half + 1]
    return (x + right) / 2, (y + low) / 2


def _draw_share(drawing: Drawing, flow: Flow, layout: Layout, side: Side) -> None:
    points = _points(flow, layout)
    x, y = _middle(points) if flow.source != flow.target else (points[1][0] + 6, points[1][1])
    drawing.rect("paper", x - _SHARE / 2, y - LINE / 2, _SHARE, LINE, opacity=0.85)
    drawing.text(x, y + 4, f"{getattr(flow, side):.0%}", "middle", style="axis ink strong")


def _draw_step(drawing: Drawing, step: Step, box: Box, side: Side) -> None:
    share = getattr(step, side)
    left, top = box.x - box.width / 2, box.y - box.height / 2
    drawing.box(_STYLES[step.change][2], left, top, box.width, box.height, dashed=share < _NEVER)
    for place, line in enumerate((*box.lines, f"{share:.0%}")):
        style = "axis ink" if place < len(box.lines) else "axis ink strong" if step.change != "same" else "axis"
        drawing.text(box.x, top + (place + 1) * LINE, line, "middle", style=style)


def flow_png(change: FlowChange, layout: Layout) -> bytes:
    """Both sides below each other's heading, side by side, for paper; matplotlib draws it."""
    raster = Raster("The process before and after the drift", width=2 * layout.width)
    for place, side in enumerate(SIDES):
        raster.text((place + 0.5) * layout.width, LINE, side, "middle", style="axis ink strong")
        with raster.moved(place * layout.width, 1.5 * LINE):
            _draw(raster, change, layout, side)
    return raster.png(layout.height + 1.5 * LINE)
