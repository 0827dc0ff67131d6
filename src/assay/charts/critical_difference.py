"""The critical-difference diagram: mean ranks on a line, and bars over those that cannot be told apart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from assay.charts.drawing import Anchor, Drawing
from assay.charts.marks import Mark, subject_marks
from assay.charts.scale import Scale

__all__ = ["CD_WIDTH", "critical_difference", "draw_critical_difference"]

CD_WIDTH = 860
_MARGIN, _NAMES = 14, 200  # around the drawing; of the names on both sides
_ROW, _BAR = 21, 9  # heights of a name's row and of a bar's
_AXIS = 40
_LONGEST = 26


def critical_difference(
    names: Sequence[str],
    mean_ranks: Sequence[float],
    groups: Sequence[Sequence[str]],
    *,
    marks: Mapping[str, Mark] | None = None,
    label: str = "Critical-difference diagram of mean ranks",
    width: float = CD_WIDTH,
    standalone: bool = False,
) -> str:
    """The diagram as SVG.

    Parameters
    ----------
    names : sequence of str
        The subjects.
    mean_ranks : sequence of float
        The mean rank of each over the problems; 1 is best and stands on the left.
    groups : sequence of sequences of str
        Subjects that cannot be told apart; each group is a bar from its best rank to its worst. They are what
        :func:`assay.stats.undistinguished_groups` finds, or any other rule.
    marks : mapping, optional
        Colour and shape by name; without it, those of these names.
    label : str
        What the picture shows, for screen readers.
    width : float
        Of the drawing.
    standalone : bool
        Whether it brings its own colours and background, for a file of its own.

    Returns
    -------
    str
        An ``<svg>`` element; every name in it is escaped.

    Examples
    --------
    >>> svg = critical_difference(["knn", "vote"], [1.2, 1.8], [("knn", "vote")])
    >>> svg.count('class="bar-line"'), "vote" in svg
    (1, True)
    """
    drawing = Drawing(label, width=width)
    height = draw_critical_difference(drawing, names, mean_ranks, groups, marks=marks, width=width)
    edge = _NAMES + _MARGIN
    return drawing.svg(height, standalone=standalone, plot=None if standalone else (edge, width - edge))


def draw_critical_difference(
    drawing: Drawing,
    names: Sequence[str],
    mean_ranks: Sequence[float],
    groups: Sequence[Sequence[str]],
    *,
    marks: Mapping[str, Mark] | None = None,
    width: float = CD_WIDTH,
) -> float:
    """Draw the diagram into a drawing of that width, also one that becomes a PNG; returns the height."""
    ranked = sorted(
        ((rank, name) for name, rank in zip(names, mean_ranks, strict=True) if math.isfinite(rank)),
        key=lambda entry: (entry[0], entry[1]),
    )
    if not ranked:
        drawing.text(_MARGIN, 20, "There is no rank to draw.")
        return 30
    mark_of = dict(subject_marks(names) if marks is None else marks)
    worst = max(2, math.ceil(ranked[-1][0]))
    scale = Scale(1, worst, _NAMES + _MARGIN, width - 2 * (_NAMES + _MARGIN))
    ticks = range(1, worst + 1, max(1, round(worst / 12)))
    drawing.text(scale.start, 14, "mean rank over problems; best on the left")
    drawing.line("frame", ((scale.start, _AXIS), (scale.end, _AXIS)))
    for tick in ticks:
        drawing.line("frame", ((scale(tick), _AXIS - 5), (scale(tick), _AXIS)))
        drawing.text(scale(tick), _AXIS - 9, f"{tick}", "middle")
    levels = _levels(groups, {name: rank for rank, name in ranked})
    below = _AXIS + 10 + _BAR * len({level for _, _, level in levels})
    half = (len(ranked) + 1) // 2
    for place, (rank, name) in enumerate(ranked):
        is_left = place < half
        row = place if is_left else len(ranked) - 1 - place
        y, x = below + 12 + _ROW * row, scale(rank)
        edge = scale.start - 4 if is_left else scale.end + 4
        anchor: Anchor = "end" if is_left else "start"
        colour, shape = mark_of[name]
        drawing.line(f"line-{colour} thin", ((x, _AXIS), (x, y), (edge, y)))
        drawing.mark(Mark(colour, shape), x, _AXIS, title=f"{name}: mean rank {rank:.2f}")
        drawing.text(edge + (-6 if is_left else 6), y + 4, name, anchor, style="axis ink", longest=_LONGEST, title=name)
        drawing.text(
            edge + (8 if is_left else -8), y - 4, f"{rank:.2f}", "start" if is_left else "end", style="axis tiny"
        )
    for low, high, level in levels:
        y = _AXIS + 10 + _BAR * level
        drawing.line("bar-line", ((scale(low) - 4, y), (scale(high) + 4, y)))
    return below + 12 + _ROW * half + 4


def _levels(groups: Sequence[Sequence[str]], ranks: Mapping[str, float]) -> list[tuple[float, float, int]]:
    """The ends of each group's bar and the line it stands on: bars that would touch stand on different lines."""
    levels: list[tuple[float, float, int]] = []
    ends: list[float] = []
    bars = sorted(
        (min(own), max(own)) for group in groups if len(own := [ranks[name] for name in group if name in ranks]) > 1
    )
    for low, high in bars:
        level = next((place for place, end in enumerate(ends) if end < low), len(ends))
        ends[level : level + 1] = [high]
        levels.append((low, high, level))
    return levels
