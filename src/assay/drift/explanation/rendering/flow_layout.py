"""Places for the steps and flows of a process: layers from top to bottom, with few crossings.

Steps are put in layers along the common ways through the process; a flow over several layers gets a place of its own in
each of them, so that it runs between steps and not through them.
"""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from assay.drift.explanation.rendering.flow import Flow, FlowChange

__all__ = ["LINE", "Box", "Layout", "Point", "lay_out"]

Point = tuple[float, float]

LINE: Final = 15.0  # height of a line of text
_LETTER: Final = 7.2  # width of a letter, rather too wide than too narrow
_LINE_LENGTH: Final = 16  # letters of a step's name in a line
_PAD, _GAP, _BETWEEN = 8.0, 18.0, 44.0  # inside a box, beside it, and between layers
_CHANNEL: Final = 14.0  # width of a place for a flow that passes by
_MARGIN: Final = 14.0
_SWEEPS: Final = 8


class Box(NamedTuple):
    """The place of a step: its middle, its size, and its name in lines."""

    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]


class Layout(NamedTuple):
    """Boxes by the names of steps, the ways of flows as points, and the size of it all."""

    boxes: Mapping[str, Box]
    ways: Mapping[tuple[str, str], tuple[Point, ...]]
    width: float
    height: float


def lay_out(change: FlowChange) -> Layout:
    """Places for both sides of a drift, so that they can be compared at a glance.

    >>> from assay.drift.explanation.rendering.flow import Flow, FlowChange, Step
    >>> steps = tuple(Step(name, 1.0, 1.0, "same") for name in ("check", "pay"))
    >>> layout = lay_out(FlowChange(steps, (Flow("check", "pay", 1.0, 1.0, "same"),), 0))
    >>> layout.boxes["check"].y < layout.boxes["pay"].y
    True
    """
    names = [step.name for step in change.steps]
    between = [flow for flow in change.flows if flow.source != flow.target]
    layers = _layers(names, between, _order(names, between))
    rows: list[list[_Place]] = [[] for _ in range(1 + max(layers.values(), default=0))]
    lines = {name: _wrapped(name) for name in names}
    for name in sorted(names, key=lambda name: (layers[name], name)):
        width = max(map(len, lines[name])) * _LETTER + 2 * _PAD
        rows[layers[name]].append(_Place(name, width))
    chains = {(flow.source, flow.target): _chain(flow, layers, rows) for flow in between}
    links = [pair for chain in chains.values() for pair in pairwise(chain)]
    _uncross(rows, links)
    _spread(rows, links)
    left = min((place.x - place.width / 2 for row in rows for place in row), default=0.0) - _MARGIN
    heights = [LINE * (1 + max((len(lines[p.name]) for p in row if p.name), default=1)) + _PAD for row in rows]
    tops = np.cumsum([_MARGIN, *(height + _BETWEEN for height in heights)])
    boxes: dict[str, Box] = {}
    for row, top, height in zip(rows, tops.tolist(), heights, strict=False):
        for place in row:
            place.x, place.y = place.x - left, top + height / 2
            if place.name:
                tall = LINE * (1 + len(lines[place.name])) + _PAD
                boxes[place.name] = Box(place.x, place.y, place.width, tall, lines[place.name])
    ways = {pair: _way(chain, boxes, backwards=layers[pair[0]] > layers[pair[1]]) for pair, chain in chains.items()}
    width = max((place.x + place.width / 2 for row in rows for place in row), default=0.0) + _MARGIN
    loops = [flow.source for flow in change.flows if flow.source == flow.target]
    width = max([width, *(boxes[name].x + boxes[name].width / 2 + 3 * _MARGIN for name in loops)])
    return Layout(boxes, ways, width, float(tops[-1]) - _BETWEEN + _MARGIN)


class _Place:
    """A step in its layer, or, without a name, a flow that passes by."""

    def __init__(self, name: str, width: float) -> None:
        self.name, self.width = name, width
        self.x = self.y = 0.0


def _wrapped(name: str) -> tuple[str, ...]:
    return tuple(textwrap.wrap(name, _LINE_LENGTH)) or (name,)


def _order(names: Sequence[str], flows: Sequence[Flow]) -> dict[str, float]:
    """How far along the process a step stands: such that each flow leads one further, in the mean over cases."""
    place = {name: at for at, name in enumerate(names)}
    rows = np.zeros((len(flows) + 1, len(names)))
    targets = np.zeros(len(flows) + 1)
    for at, flow in enumerate(flows):
        strength = np.sqrt(flow.weight)
        rows[at, place[flow.target]], rows[at, place[flow.source]], targets[at] = strength, -strength, strength
    rows[-1] = 1e-3  # somewhere around zero
    solved = np.linalg.lstsq(rows, targets, rcond=None)[0] if names else np.zeros(0)
    return dict(zip(names, np.round(solved, 6).tolist(), strict=True))


def _layers(names: Sequence[str], flows: Sequence[Flow], order: Mapping[str, float]) -> dict[str, int]:
    """The longest way along flows that lead forward."""
    incoming: dict[str, list[str]] = defaultdict(list)
    for flow in flows:
        if (order[flow.source], flow.source) < (order[flow.target], flow.target):
            incoming[flow.target].append(flow.source)
    layers: dict[str, int] = {}
    for name in sorted(names, key=lambda name: (order[name], name)):
        layers[name] = max((1 + layers[source] for source in incoming[name]), default=0)
    return layers


def _chain(flow: Flow, layers: Mapping[str, int], rows: Sequence[list[_Place]]) -> list[_Place]:
    """The places of a flow from its upper to its lower end; new ones in the layers between."""
    upper, lower = sorted((flow.source, flow.target), key=lambda name: (layers[name], name))
    ends = [next(place for place in rows[layers[name]] if place.name == name) for name in (upper, lower)]
    passing = []
    for layer in range(layers[upper] + 1, layers[lower]):
        passing.append(_Place("", _CHANNEL))
        rows[layer].append(passing[-1])
    return [ends[0], *passing, ends[1]]


def _uncross(rows: Sequence[list[_Place]], links: Sequence[tuple[_Place, _Place]]) -> None:
    """Each layer in the order of its neighbours' places, downwards and upwards in turn."""
    above, below = _neighbours(links)
    for sweep in range(_SWEEPS):
        near = above if sweep % 2 == 0 else below
        at = {id(place): index for row in rows for index, place in enumerate(row)}
        for row in rows if sweep % 2 == 0 else list(reversed(rows)):
            middle = {
                id(place): float(np.mean([at[id(other)] for other in near[id(place)]]))
                if near[id(place)]
                else at[id(place)]
                for place in row
            }
            row.sort(key=lambda place: middle[id(place)])
            at.update({id(place): index for index, place in enumerate(row)})


def _spread(rows: Sequence[list[_Place]], links: Sequence[tuple[_Place, _Place]]) -> None:
    """Places as near to their neighbours as their widths allow."""
    above, below = _neighbours(links)
    for row in rows:
        _separate(row, [0.0] * len(row))
    for sweep in range(2 * _SWEEPS):
        for row in rows if sweep % 2 == 0 else list(reversed(rows)):
            targets = []
            for place in row:
                near = above[id(place)] + below[id(place)]
                targets.append(float(np.mean([other.x for other in near])) if near else place.x)
            _separate(row, targets)


def _separate(row: Sequence[_Place], targets: Sequence[float]) -> None:
    """The wanted places, moved apart as little as needed: those that would overlap are one block."""
    blocks: list[list[float]] = []  # of each: the sum of what its members want for its left end, their number, width
    for place, target in zip(row, targets, strict=True):
        blocks.append([target - place.width / 2, 1.0, place.width + _GAP])
        while len(blocks) > 1 and blocks[-1][0] / blocks[-1][1] < blocks[-2][0] / blocks[-2][1] + blocks[-2][2]:
            total, members, width = blocks.pop()
            blocks[-1] = [
                blocks[-1][0] + total - members * blocks[-1][2],
                blocks[-1][1] + members,
                blocks[-1][2] + width,
            ]
    remaining = list(row)
    for total, members, _ in blocks:
        left = total / members
        for place in remaining[: int(members)]:
            place.x = left + place.width / 2
            left += place.width + _GAP
        remaining = remaining[int(members) :]


def _neighbours(links: Sequence[tuple[_Place, _Place]]) -> tuple[dict[int, list[_Place]], dict[int, list[_Place]]]:
    above: dict[int, list[_Place]] = defaultdict(list)
    below: dict[int, list[_Place]] = defaultdict(list)
    for upper, lower in links:
        below[id(upper)].append(lower)
        above[id(lower)].append(upper)
    return above, below


def _way(chain: Sequence[_Place], boxes: Mapping[str, Box], *, backwards: bool) -> tuple[Point, ...]:
    """From the source's edge to the target's; a way back is a little to the right of the way there."""
    aside = _PAD if backwards else 0.0
    upper, lower = boxes[chain[0].name], boxes[chain[-1].name]
    points = [(upper.x + aside, upper.y + upper.height / 2)]
    points += [(place.x, place.y) for place in chain[1:-1]]
    points.append((lower.x + aside, lower.y - lower.height / 2))
    return tuple(reversed(points)) if backwards else tuple(points)
