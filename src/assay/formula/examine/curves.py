"""One answer beside the truth: how both run along each variable, inside the box of the data and beyond it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.charts import Drawing, Mark, Scale
from assay.charts.scale import scale_around
from assay.core import Panel
from assay.core.arrays import FloatArray
from assay.core.errors import AssayError
from assay.formula.expression.parser import parse
from assay.formula.expression.program import compute

__all__ = ["curves"]

_RANGE = re.compile(r"(\S+) in (\S+?)\.\.(\S+?)(?:, |$)")
_BEYOND = 0.5  # of the box, on both sides
_POINTS = 121
_MOST, _ACROSS = 6, 3
_WIDE, _TALL, _LEFT, _TOP = 380.0, 230.0, 58.0, 44.0
_HIGHEST = 3.0  # times the truth's own reach: what leaves it is cut


def curves(part: Mapping[str, Any], truth: str | None, mark: Mark) -> Panel | None:
    """A chart per variable of the truth and of the model, all others in the middle of the box; None without a box."""
    box = _box(part)
    if truth is None or not box:
        return None
    try:
        truth_tree, model_tree = (parse(text, names=box) for text in (truth, str(part.get("formula"))))
    except AssayError:
        return None
    names = list(box)[:_MOST]
    drawing = Drawing("The model and the truth along each variable", width=_ACROSS * _WIDE + 20)
    numbers: list[tuple[str, float, float, float]] = []
    for place, name in enumerate(names):
        low, high = box[name]
        along = np.linspace(low - _BEYOND * (high - low), high + _BEYOND * (high - low), _POINTS)
        points = {other: np.full(_POINTS, sum(ends) / 2) for other, ends in box.items()} | {name: along}
        try:
            with np.errstate(all="ignore"):
                values = [np.broadcast_to(compute(one, points), along.shape) for one in (truth_tree, model_tree)]
        except (AssayError, KeyError):  # the model uses what the box does not tell
            return None
        left, top = _LEFT + _WIDE * (place % _ACROSS), _TOP + (_TALL + 60) * (place // _ACROSS)
        _draw(drawing, name, along, (low, high), values, mark, left, top)
        rows_of = zip(along.tolist(), *(line.tolist() for line in values), strict=True)
        numbers += [(name, x, truth_value, model_value) for x, truth_value, model_value in rows_of]
    drawing.legend(_LEFT, (("soft", "truth"), (f"series-{mark.colour}", "model")), step=80)
    rows = -(-len(names) // _ACROSS)
    more = f" The first {len(names)} of {len(box)} variables are drawn." if len(box) > len(names) else ""
    return Panel(
        "The model against the truth",
        drawing.svg(_TOP + rows * (_TALL + 60)),
        "Along each variable, the others in the middle of their ranges: the truth (dashed) and the model. The shaded "
        "part is the box that the data come from; outside it a model extrapolates." + more,
        columns=("variable", "value", "truth", "model"),
        rows=tuple(numbers),
    )


def _box(part: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    certificate = part.get("certificate")
    text = str(certificate.get("box") or "") if isinstance(certificate, Mapping) else ""
    ranges = {name: (float(low), float(high)) for name, low, high in _RANGE.findall(text)}
    return {name: ends for name, ends in ranges.items() if ends[0] < ends[1]}


def _draw(
    drawing: Drawing,
    name: str,
    along: FloatArray,
    inside: tuple[float, float],
    values: Sequence[FloatArray],
    mark: Mark,
    left: float,
    top: float,
) -> None:
    truth, model = values
    finite = truth[np.isfinite(truth)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    room = max(high - low, 1e-9)
    near = model[(model > low - _HIGHEST * room) & (model < high + _HIGHEST * room)]
    reach = scale_around([low, high, *near.tolist()])
    across = Scale(float(along[0]), float(along[-1]), left, _WIDE - _LEFT - 30)
    up = Scale(reach.low, reach.high, top + _TALL - 40, -(_TALL - 40))
    drawing.rect("ground", across(inside[0]), up.end, across(inside[1]) - across(inside[0]), -up.length)
    drawing.x_axis(across, up.start, title=name)
    drawing.y_axis(up, left)
    for style, line in (("guide-strong", truth), (f"line-{mark.colour}", model)):
        for piece in _pieces(along, line, reach):
            drawing.line(style, [(across(x), up(y)) for x, y in piece])


def _pieces(along: FloatArray, line: FloatArray, reach: Scale) -> list[list[tuple[float, float]]]:
    """The stretches of a line that lie within the chart."""
    pieces: list[list[tuple[float, float]]] = [[]]
    for x, y in zip(along.tolist(), line.tolist(), strict=True):
        if reach.low <= y <= reach.high:
            pieces[-1].append((x, y))
        elif pieces[-1]:
            pieces.append([])
    return [piece for piece in pieces if len(piece) > 1]
