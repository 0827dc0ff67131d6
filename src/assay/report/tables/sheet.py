"""The leaderboard in words: the headings and cells that terminal and Markdown share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from assay.report.tables.leaderboard import Leaderboard, MetricColumn, Standing
from assay.report.wording import ARROWS, UNDEFINED, duration, format_interval, format_number, format_rank

__all__ = ["SheetColumn", "heading", "legend", "sheet"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetColumn:
    """A heading, what to write for a standing, and whether that is a text and not a number."""

    title: str
    cell: Callable[[Standing], str]
    is_text: bool = False


def heading(column: MetricColumn) -> str:
    """The metric's name with the direction that is better."""
    return f"{column.name} {ARROWS[column.goal]}"


def sheet(board: Leaderboard, *, narrow: bool = False) -> tuple[SheetColumn, ...]:
    """The columns of a leaderboard; "scored only" is there when a subject failed, since else it repeats the mean.

    A narrow one is for terminals: the headline alone, with what can be said of it in few letters.
    """
    first, *others = board.columns
    name = first.name
    columns = [
        SheetColumn(title="#", cell=lambda row: str(row.place)),
        SheetColumn(title="subject", cell=lambda row: row.subject, is_text=True),
        SheetColumn(title=heading(first), cell=lambda row: format_interval(row.mean(name))),
    ]
    if board.any_failed:
        columns.append(SheetColumn(title="scored only", cell=lambda row: _scored_only(row, name, narrow=narrow)))
    columns += [
        SheetColumn(title="n" if narrow else "problems", cell=lambda row: str(row.metrics[name].problems)),
        SheetColumn(title="failed", cell=_failed),
    ]
    if not narrow or any(row.metrics[name].undefined for row in board.rows):
        columns.append(SheetColumn(title="undefined", cell=lambda row: str(row.metrics[name].undefined)))
    columns += [
        SheetColumn(title="mean rank", cell=lambda row: format_rank(row.mean_rank)),
        SheetColumn(title="places", cell=_places),
    ]
    if not narrow:
        columns += [*(_metric(column) for column in others), *(_aggregate(column) for column in board.aggregates)]
    columns.append(SheetColumn(title="solve time", cell=lambda row: duration(row.median_seconds)))
    return tuple(columns)


def legend(board: Leaderboard) -> str:
    """How to read the leaderboard."""
    text = (
        f"Means over n problems with {100 * board.confidence:g} % bootstrap intervals; a failed cell counts with the "
        "floor, scored only leaves it out. Place, mean rank and places (the range over resampled problems) are those "
        f"of {board.headline}. Solve time is the median. ↑ higher is better, ↓ lower is better, {UNDEFINED} undefined."
    )
    return f"{text} Not scored yet: {', '.join(board.unscored)}." if board.unscored else text


def _scored_only(row: Standing, metric: str, *, narrow: bool) -> str:
    interval = row.metrics[metric].scored_only
    return format_number(interval.value) if narrow else format_interval(interval)


def _failed(row: Standing) -> str:
    return f"{row.failed} of {row.cells}" if row.failed else "0"


def _places(row: Standing) -> str:
    return str(row.best_place) if row.best_place == row.worst_place else f"{row.best_place} to {row.worst_place}"


def _metric(column: MetricColumn) -> SheetColumn:
    return SheetColumn(title=heading(column), cell=lambda row: format_interval(row.mean(column.name)))


def _aggregate(column: MetricColumn) -> SheetColumn:
    return SheetColumn(title=heading(column), cell=lambda row: format_number(row.aggregates[column.name]))
