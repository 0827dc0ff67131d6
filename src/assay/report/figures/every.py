"""The charts that every track has, in the order of the page."""

from __future__ import annotations

from collections.abc import Sequence

from assay.report.figures.costs import cost_charts
from assay.report.figures.figure import Basis, Figure
from assay.report.figures.problem_map import problem_map
from assay.report.figures.ranks import rank_diagram
from assay.report.figures.seeds import seed_lines
from assay.report.figures.spread import score_spread
from assay.report.figures.tags import tag_multiples
from assay.report.tables.filters import Filter
from assay.report.tables.pairs import Pairs

__all__ = ["track_figures"]


def track_figures(basis: Basis, pairs: Pairs, filters: Sequence[Filter]) -> tuple[Figure, ...]:
    """Spread, ranks, tags, costs, problems, seeds; each only where there is something to draw."""
    if not basis.board.rows:
        return ()
    figures = (
        score_spread(basis),
        rank_diagram(basis, pairs),
        tag_multiples(basis, filters),
        *cost_charts(basis),
        problem_map(basis),
        seed_lines(basis),
    )
    return tuple(figure for figure in figures if figure is not None)
