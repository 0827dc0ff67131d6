"""Everything that the page shows of one track, computed once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from assay.charts.marks import Mark
from assay.charts.scale import Scale, scale_around
from assay.core import Panel
from assay.report.figures.every import track_figures
from assay.report.figures.figure import Basis, Figure
from assay.report.page.addresses import slug
from assay.report.page.bars import Axis, axis_of, reach_of
from assay.report.page.facts import Fact, facts
from assay.report.page.methods import Content, Definition, contents, definitions
from assay.report.page.overview import Outcome, outcome
from assay.report.page.packing import BUDGET, StoredAnswers, packed_cells
from assay.report.page.pagedata import json_block, page_data, records_on
from assay.report.page.panels import track_panels
from assay.report.tables.filters import Filter, filters, tag_values
from assay.report.tables.grid import GridRow, ProblemGrid, problem_grid
from assay.report.tables.pairs import Pairs
from assay.report.tables.profiles import Profile, profiles
from assay.report.tables.sampling import MOST_PROBLEMS, listed_problems
from assay.report.tables.standings import Leaderboard, legend
from assay.report.tables.summary import TrackSummary
from assay.report.track_records import TrackRecords

__all__ = ["Served", "TrackView", "slug", "track_view"]

_SECTIONS = {
    "leaderboard": "Leaderboard",
    "compare": "Compare",
    "charts": "Charts",
    "problems": "Problems",
    "subject": "Subject",
    "methods": "Methods",
}


class Served(NamedTuple):
    """What only a served page has: its edition, and links to other pages of the server."""

    edition: int
    links: tuple[tuple[str, str], ...] = ()  # title, address


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackView:
    """What the templates read."""

    slug: str
    sections: tuple[tuple[str, str], ...]
    results: TrackRecords
    facts: tuple[Fact, ...]
    board: Leaderboard
    legend: str
    axes: dict[str, Axis]
    scales: dict[str, Scale]  # of the strips: where values lie, from 0 to 100
    marks: Mapping[str, Mark]
    columns: frozenset[str]  # of the leaderboard, those that say something
    counted: tuple[str, ...]  # what the track counts and is anywhere above nothing
    filters: tuple[Filter, ...]
    tags: dict[str, tuple[str, ...]]
    has_unchecked: bool
    has_undecided: bool
    cost_kinds: tuple[str, ...]
    outcome: Outcome | None
    pairs: Pairs
    profiles: tuple[Profile, ...]
    grid: ProblemGrid
    grid_axis: Axis
    unlisted: int  # problems that are not listed one by one
    definitions: tuple[Definition, ...]
    problems: tuple[Content, ...]
    subjects: tuple[Content, ...]
    figures: tuple[Figure, ...]
    panels: tuple[Panel, ...]
    packed: int  # characters of cells in the data
    data: str


def track_view(
    summary: TrackSummary,
    *,
    name: str,
    most_problems: int = MOST_PROBLEMS,
    truth: bool = True,
    keys: bool = False,
    answers: StoredAnswers | None = None,
    budget: int = BUDGET,
) -> TrackView:
    """The view of one track; addresses in the page start with ``name``. Without ``truth`` there are no panels."""
    results, board, pairs = summary.results, summary.board, summary.pairs
    parts = filters(results, **summary.bootstrap)
    conclusion = outcome(results, board, pairs)
    problems, subjects = contents(results)
    listed = listed_problems(results.table.labels["problem"].values, most_problems)
    grid = _listed(problem_grid(results), board, listed)
    panels = track_panels(results, [row.subject for row in board.rows]) if truth else ()
    boards = [board, *(group.board for part in parts for group in part.groups)]
    basis = Basis.of(results, board, listed)
    figures = track_figures(basis, pairs, parts)
    packed: Sequence[str] = ()
    if answers is not None and results.records:
        names = [row.subject for row in board.rows]
        on_listed = records_on(results, listed)
        packed = packed_cells(results, on_listed, listed, names, answers, truth=truth, budget=budget)
    return TrackView(
        slug=name,
        sections=tuple((key, title) for key, title in _SECTIONS.items() if panels or figures or key != "charts"),
        results=results,
        facts=facts(results),
        board=board,
        legend=legend(board),
        axes={
            column.name: axis_of(
                number
                for one in (boards if column.name == board.headline else [board])
                for row in one.rows
                for number in row.mean(column.name)
            )
            for column in board.columns
        },
        scales={
            column.name: scale_around(
                [
                    *(number for row in board.rows for number in row.mean(column.name)),
                    # bands on parts of the problems may reach beyond the scale, where they are cut
                    *(
                        one.mean(column.name).value
                        for part in boards[1:]
                        for one in part.rows
                        if column.name == board.headline
                    ),
                ]
            )
            for column in board.columns
        },
        marks=basis.marks,
        columns=_telling_columns(boards),
        counted=tuple(title for title in board.counted if any(row.counts.get(title) for row in board.rows)),
        filters=parts,
        tags=tag_values(results),
        has_unchecked=any(row.unchecked for row in board.rows),
        has_undecided=any(row.undecided is not None for row in board.rows),
        cost_kinds=tuple(sorted({kind for row in board.rows for kind in row.costs})),
        outcome=conclusion,
        pairs=pairs,
        profiles=profiles(results, board),
        grid=grid,
        grid_axis=reach_of(cell.value for row in grid.rows for cell in row.cells),
        unlisted=len(results.table.labels["problem"].values) - len(listed),
        definitions=definitions(results),
        problems=problems,
        subjects=subjects,
        figures=figures,
        panels=panels,
        packed=sum(map(len, packed)),
        data=json_block(
            page_data(results, board, pairs, listed, figures, panels, truth=truth, keys=keys, packed=packed),
        ),
    )


def _telling_columns(boards: Sequence[Leaderboard]) -> frozenset[str]:
    """The columns of counts in which something is to be seen: not the same for all, or not nothing."""
    rows = [row for board in boards for row in board.rows]
    informative = {
        "failed": any(row.failed for row in rows),
        "undefined": any(row.metrics[board.headline].undefined for board in boards for row in board.rows),
        "problems": any(
            len({row.metrics[board.headline].problems for row in board.rows}) > 1 for board in boards if board.rows
        ),
    }
    return frozenset(name for name, tells in informative.items() if tells)


def _listed(grid: ProblemGrid, board: Leaderboard, listed: Collection[str]) -> ProblemGrid:
    """The listed rows, with the columns in the leaderboard's order."""
    names = tuple(row.subject for row in board.rows)
    place = {name: position for position, name in enumerate(grid.subjects)}
    on_page = frozenset(listed)
    rows = tuple(
        GridRow(problem=row.problem, cells=tuple(row.cells[place[name]] for name in names))
        for row in grid.rows
        if row.problem in on_page
    )
    return replace(grid, subjects=names, rows=rows)
