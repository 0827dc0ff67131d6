"""How each subject's scores are spread over the problems, not only their mean."""

from __future__ import annotations

import math

from assay.charts.scale import scale_around
from assay.charts.strips import MOST_DOTS, Dot, Strip, score_strips
from assay.report.figures.figure import Basis, Figure, cell_place, listed_rows, plain_value
from assay.report.wording import format_interval, format_number, shown

__all__ = ["score_spread"]


def score_spread(basis: Basis) -> Figure:
    """A row of dots per subject: one for each problem, the mean with its interval below."""
    board = basis.board
    table = basis.results.scores(board.headline)
    listed = {problem: place for place, problem in enumerate(basis.listed)}
    places = {row.subject: place for place, row in enumerate(board.rows)}
    strips, values, numbers = [], [], []
    for row in basis.rows:
        mean = row.metrics[board.headline].lost_as_floor  # as the dots
        scores = dict(zip(table.problems, table.with_floor[table.row(row.subject)].tolist(), strict=True))
        dots = [
            Dot(
                value,
                f"{shown(row.subject)} on {shown(problem)}: {format_number(value)}",
                cell_place(listed[problem], places[row.subject]) if problem in listed else "",
            )
            for problem, value in scores.items()
            if math.isfinite(value)
        ]
        strips.append(
            Strip(
                shown(row.subject),
                basis.marks[row.subject],
                dots,
                (mean.value, mean.low, mean.high),
                f"{shown(row.subject)}: mean {format_interval(mean)}",
            )
        )
        values += [*mean, *(dot.value for dot in dots)]
        numbers += [(row.subject, problem, plain_value(value)) for problem, value in scores.items()]
    is_dense = sum(len(strip.dots) for strip in strips) > MOST_DOTS
    what = (
        "Bars: how many problems have a score there."
        if is_dense
        else "A dot per problem; choose one to see its answer."
    )
    return Figure(
        key="spread",
        title="How the scores are spread",
        svg=score_strips(
            strips, scale_around(values), axis=f"{basis.headline}: {basis.goal_words}", label="Scores per problem"
        ),
        caption=f"{what} Below them the mean of each subject with its interval; failures and lost cells count with "
        f"the floor.{basis.cut_words(len(basis.rows))}",
        columns=("subject", "problem", board.headline),
        rows=listed_rows(basis, numbers, 1),
    )
