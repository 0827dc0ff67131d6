"""The mark of a subject: a colour and a shape that belong to it wherever it is drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, NamedTuple

from assay.charts.scale import number
from assay.charts.styles import COLOURS

__all__ = ["SHAPES", "Mark", "mark_corners", "mark_path", "marked_among", "subject_marks"]

# five shapes and eight colours: forty subjects before two look the same, and neighbours differ in both
SHAPES: Final = ("circle", "square", "triangle", "diamond", "cross")
_CORNERS: Final = {
    "square": ((-0.88, -0.88), (0.88, -0.88), (0.88, 0.88), (-0.88, 0.88)),
    "triangle": ((0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)),
    "diamond": ((0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)),
    "cross": tuple(
        (1.05 * (x - y) * math.sqrt(0.5), 1.05 * (x + y) * math.sqrt(0.5))
        for x, y in (
            *((-0.38, -1.2), (0.38, -1.2), (0.38, -0.38), (1.2, -0.38), (1.2, 0.38), (0.38, 0.38)),
            *((0.38, 1.2), (-0.38, 1.2), (-0.38, 0.38), (-1.2, 0.38), (-1.2, -0.38), (-0.38, -0.38)),
        )
    ),
}


class Mark(NamedTuple):
    """A colour by its number, from 1, and a shape by its name."""

    colour: int
    shape: str


_AMONG: ContextVar[frozenset[str]] = ContextVar("_AMONG", default=frozenset())


@contextmanager
def marked_among(subjects: Iterable[str]) -> Iterator[None]:
    """While this lasts, marks are those that subjects have among all of these: charts of one look like those of all.

    >>> with marked_among(["knn", "vote"]):
    ...     subject_marks(["vote"])
    {'vote': Mark(colour=2, shape='square')}
    """
    token = _AMONG.set(frozenset(subjects))
    try:
        yield
    finally:
        _AMONG.reset(token)


def subject_marks(subjects: Iterable[str]) -> dict[str, Mark]:
    """The mark of each subject: by its place in the sorted list, no matter which are drawn.

    >>> subject_marks(["vote", "knn"])
    {'knn': Mark(colour=1, shape='circle'), 'vote': Mark(colour=2, shape='square')}
    """
    own = set(subjects)
    return {
        subject: Mark(1 + place % COLOURS, SHAPES[place % len(SHAPES)])
        for place, subject in enumerate(sorted(own | _AMONG.get()))
        if subject in own
    }


def mark_corners(shape: str, x: float, y: float, radius: float) -> list[tuple[float, float]]:
    """The corners of a shape around a point; of all but circles."""
    return [(x + radius * right, y + radius * down) for right, down in _CORNERS[shape]]


def mark_path(shape: str, x: float, y: float, radius: float) -> str:
    """The outline of a shape around a point, as the ``d`` of a path.

    >>> mark_path("diamond", 10, 10, 5)
    'M10 3.5L16.5 10L10 16.5L3.5 10Z'
    """
    if shape == "circle":
        half = f"a{number(radius)} {number(radius)} 0 1 0 "
        return f"M{number(x - radius)} {number(y)}{half}{number(2 * radius)} 0{half}{number(-2 * radius)} 0Z"
    corners = (f"{number(right)} {number(down)}" for right, down in mark_corners(shape, x, y, radius))
    return f"M{'L'.join(corners)}Z"
