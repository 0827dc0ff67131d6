"""Time and other costs against the headline."""

from __future__ import annotations

import math

from assay.charts.scale import scale_around
from assay.charts.scatter import Spot, scatter
from assay.report.figures.figure import Basis, Figure, plain_value
from assay.report.wording import cost_title, format_cost, format_interval, shown

__all__ = ["cost_charts"]

_WIDTH, _HEIGHT = 1180, 380
_FEWEST = 2


def cost_charts(basis: Basis) -> tuple[Figure, ...]:
    """A chart for the median time of a cell, and one per kind of cost that at least two subjects have."""
    kinds = sorted({kind for row in basis.board.rows for kind in row.costs})
    charts = [_chart(basis, "seconds", {row.subject: row.median_seconds for row in basis.rows})]
    charts += [
        _chart(basis, kind, {row.subject: row.mean_costs.get(kind, math.nan) for row in basis.rows}) for kind in kinds
    ]
    return tuple(figure for figure in charts if figure is not None)


def _chart(basis: Basis, kind: str, costs: dict[str, float]) -> Figure | None:
    board, goal = basis.board, basis.board.columns[0].goal
    rows = [row for row in basis.rows if costs[row.subject] > 0 and math.isfinite(costs[row.subject])]
    # what a reference was given cost it nothing
    rows = [row for row in rows if math.isfinite(row.mean(board.headline).value) and not row.reference]
    if len(rows) < _FEWEST:
        return None
    words = {row.subject: format_cost(costs[row.subject], kind) for row in rows}
    spots = [
        Spot(
            costs[row.subject],
            row.mean(board.headline).value,
            basis.marks[row.subject],
            f"{shown(row.subject)}: {board.headline} {format_interval(row.mean(board.headline))}, {words[row.subject]}",
            shown(row.subject),
            (row.mean(board.headline).low, row.mean(board.headline).high),
        )
        for row in rows
    ]
    best = _frontier([(spot.x, spot.y) for spot in spots], goal)
    title = "solve time" if kind == "seconds" else cost_title(kind)
    per = "median of a cell" if kind == "seconds" else "mean of a cell"
    return Figure(
        key=f"cost-{kind}",
        title=f"{title.capitalize() if title.islower() else title} against {board.headline}",
        svg=scatter(
            spots,
            scale_around((spot.x for spot in spots), log=True),
            scale_around(number for row in rows for number in row.mean(board.headline)),
            x_axis=f"{title} ({per}), logarithmic: further left is cheaper",
            y_axis=f"{basis.headline}, mean with interval",
            x_label=lambda value: format_cost(value, kind),
            label=f"{title} against {board.headline}",
            width=_WIDTH,
            height=_HEIGHT,
            frontier=best,
        ),
        caption="The dashed line joins the subjects that nobody beats at the same cost or less."
        + basis.cut_words(len(basis.rows)),
        columns=("subject", f"{kind}_{per.replace(' ', '_')}", f"mean_{board.headline}", "low", "high"),
        rows=tuple((row.subject, costs[row.subject], *map(plain_value, row.mean(board.headline))) for row in rows),
    )


def _frontier(points: list[tuple[float, float]], goal: str) -> list[tuple[float, float]]:
    """The points that no cheaper point beats (the Pareto front), as steps from left to right."""
    steps: list[tuple[float, float]] = []
    for x, y in sorted(points, key=lambda point: (point[0], -point[1] if goal == "max" else point[1])):
        if not steps or (y > steps[-1][1] if goal == "max" else y < steps[-1][1]):
            steps += [(x, steps[-1][1]), (x, y)] if steps else [(x, y)]
    return steps
