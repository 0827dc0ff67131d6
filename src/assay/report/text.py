"""Tables for the terminal. Names come from outside: they are shown, never read as markup or control characters."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from assay.core import Record, get_track, plain, track_names
from assay.report.comparing import SubjectComparison
from assay.report.conversation import NOTES, conversation_of
from assay.report.page.facts import facts
from assay.report.story import track_story
from assay.report.tables.grid import GridCell, problem_grid
from assay.report.tables.groups import Group
from assay.report.tables.means import SubjectMeans, TrackMeans
from assay.report.tables.pairs import corrected_p_value, problems_words, too_few_problems
from assay.report.tables.standings import LOST_AS_FLOOR, Leaderboard, board_columns, heading, legend, lost_cell
from assay.report.tables.terminal import Column, Row, TerminalTable
from assay.report.track_records import TrackRecords
from assay.report.wording import (
    ANYTIME,
    ARROWS,
    duration,
    format_interval,
    format_number,
    format_p_value,
    format_rank,
    shown,
)
from assay.stats import Comparison

if TYPE_CHECKING:
    from rich.table import Table

__all__ = [
    "comparison_table",
    "groups_table",
    "leaderboard_table",
    "means_table",
    "metrics_table",
    "problems_table",
    "record_view",
    "run_summary",
]

NOT_RUN = "…"
LOST = "lost"
_SUBJECT = Column("subject", key=True, number=False)


def run_summary(results: TrackRecords) -> str:
    """What was run: track, question, settings, seeds, problems, cells finished, pending and lost, isolation."""
    return "\n".join(f"{fact.label}: {shown(fact.text)}" for fact in facts(results))


def leaderboard_table(board: Leaderboard) -> TerminalTable:
    """One row per subject, best first by the headline; the other metrics are in the table of metrics."""
    columns = board_columns(board, narrow=True)
    return TerminalTable(
        title=board.track,
        caption=legend(board),
        columns=tuple(
            Column(column.title, key=column.is_text or column.title == "#", number=not column.is_text)
            for column in columns
        ),
        rows=tuple(tuple(column.cell(row) for column in columns) for row in board.rows),
    )


def metrics_table(board: Leaderboard) -> TerminalTable:
    """Every metric beside the headline, one below the other, then the aggregates; in the leaderboard's order."""
    beside = [*([LOST_AS_FLOOR] if board.any_lost else []), *(["scored only"] if board.any_failed else [])]
    rows: list[Row] = []
    for column in board.columns[1:]:
        rows.append(heading(column))
        for row in board.rows:
            summary = row.metrics[column.name]
            rows.append(
                (
                    row.subject,
                    format_interval(summary.mean),
                    *([lost_cell(summary)] if board.any_lost else []),
                    *([format_number(summary.scored_only.value)] if board.any_failed else []),
                    str(summary.problems),
                    str(summary.undefined),
                    format_rank(summary.mean_rank),
                )
            )
    for column in board.aggregates:
        rows.append(heading(column))
        rows += [(row.subject, format_number(row.aggregates[column.name])) for row in board.rows]
    titles = ("mean", *beside, "problems", "undefined", "mean rank")
    return TerminalTable(
        title=f"{board.track}: every other metric", columns=(_SUBJECT, *map(Column, titles)), rows=tuple(rows)
    )


def means_table(means: TrackMeans) -> TerminalTable:
    """One row per subject, best first by the headline, a column per metric; no intervals."""
    any_lost = any(row.lost for row in means.rows)
    lost_note = f"; in brackets, and for the order, lost cells as the floor, too ({LOST_AS_FLOOR})" if any_lost else ""
    titles = [*(f"{name} {ARROWS[goal]}" for name, goal in means.goals.items()), "cells", "failed"]
    return TerminalTable(
        title=means.track,
        caption=f"Means over problems, failures as the floor{lost_note}; no intervals were computed.",
        columns=(_SUBJECT, *map(Column, titles)),
        rows=tuple(
            (
                row.subject,
                *(_means_cell(row, name) for name in row.means),
                f"{row.cells} ({row.lost} lost)" if row.lost else str(row.cells),
                str(row.failed),
            )
            for row in means.rows
        ),
    )


def groups_table(tag: str, groups: Sequence[Group]) -> TerminalTable:
    """The headline for each value of a tag: means with failures as the floor, and means of what was scored."""
    headline = groups[0].board.columns[0]
    any_lost = any(group.board.any_lost for group in groups)
    titles = ("#", "mean", *([LOST_AS_FLOOR] if any_lost else []), "scored only", "problems", "failed")
    rows = []
    for group in groups:
        for row in group.board.rows:
            summary = row.metrics[headline.name]
            rows.append(
                (
                    group.value,
                    row.subject,
                    str(row.place),
                    format_interval(summary.mean),
                    *([lost_cell(summary)] if any_lost else []),
                    f"{format_number(summary.scored_only.value)} ({summary.scored_problems})",
                    str(summary.problems),
                    str(row.failed),
                )
            )
    return TerminalTable(
        title=f"{groups[0].board.track}: {heading(headline)} by {tag}",
        caption="Places are within a group.",
        columns=(Column(tag, key=True, number=False), _SUBJECT, *map(Column, titles)),
        rows=tuple(rows),
    )


def problems_table(results: TrackRecords, *, metric: str | None = None) -> TerminalTable:
    """Problem × subject: the mean over seeds of a metric, by default the headline, with the number of failures.

    Where the subjects do not fit beside each other, they stand below each problem.
    """
    grid = problem_grid(results, metric=metric)
    title = f"{results.track.name}: {grid.metric} {ARROWS[grid.goal]} per problem"
    lost = f", {LOST} could not be finished" if results.losses else ""
    caption = f"Failed cells count with the floor; {NOT_RUN} is not run yet{lost}."
    below: list[Row] = []
    for row in grid.rows:
        below.append(row.problem)
        below += [(subject, _grid_cell(cell)) for subject, cell in zip(grid.subjects, row.cells, strict=True)]
    return TerminalTable(
        title=title,
        caption=caption,
        columns=(
            Column("problem", key=True, number=False),
            *(Column(subject, broken=False) for subject in grid.subjects),
        ),
        rows=tuple((row.problem, *map(_grid_cell, row.cells)) for row in grid.rows),
        otherwise=TerminalTable(
            title=title,
            caption=caption,
            columns=(_SUBJECT, Column(f"{grid.metric} {ARROWS[grid.goal]}")),
            rows=tuple(below),
        ),
    )


def comparison_table(comparisons: Sequence[Comparison]) -> TerminalTable:
    """Paired comparisons: how much two subjects differ, and whether it could be chance; of several metrics, each."""
    metrics = list(dict.fromkeys(f"{entry.metric} {ARROWS[entry.goal]}" for entry in comparisons))
    together = len(comparisons) > 1
    lost = {entry.a: entry.lost_a for entry in comparisons} | {entry.b: entry.lost_b for entry in comparisons}
    counts = ", ".join(f"{subject} {cells}" for subject, cells in sorted(lost.items()) if cells)
    several = len(metrics) > 1
    tracks = [entry.track if isinstance(entry, SubjectComparison) else "" for entry in comparisons]
    mixed = len(set(tracks)) > 1
    keys = (*(["track"] if mixed else []), *(["metric"] if several else []), "a", "b")
    titles = ("difference", "n", "won/tied/lost", "p", *(["adjusted p"] if together else []))
    return TerminalTable(
        title=", ".join(metrics) or "no comparison",
        caption="Difference a - b over n common problems, failures as the floor; a won, tied or lost that many; "
        + (ANYTIME if any(entry.anytime for entry in comparisons) else "two-sided sign-flip test")
        + _clustered(comparisons)
        + ("; the adjusted p accounts for the comparisons made together (Holm)." if together else ".")
        + "".join(f" {sentence}" for sentence in dict.fromkeys(map(too_few_problems, comparisons)) if sentence)
        + (f" Counted with lost cells as the floor: {counts}." if counts else ""),
        columns=(*(Column(title, key=True, number=False) for title in keys), *map(Column, titles)),
        rows=tuple(
            (
                *([track] if mixed else []),
                *([f"{entry.metric} {ARROWS[entry.goal]}"] if several else []),
                entry.a,
                entry.b,
                format_interval(entry.difference),
                str(entry.problems),
                f"{entry.wins}/{entry.ties}/{entry.losses}",
                format_p_value(entry.p_value),
                *([corrected_p_value(entry)] if together else []),
            )
            for track, entry in zip(tracks, comparisons, strict=True)
        ),
    )


def _clustered(comparisons: Sequence[Comparison]) -> str:
    """Which problems the interval and the test take together."""
    clusters = dict.fromkeys(problems_words(entry) for entry in comparisons if entry.clusters)
    return f" of whole clusters ({', '.join(clusters)})" if clusters else ""


def record_view(record: Record) -> Table:
    """One record in full but for a conversation, which has a text of its own."""
    from rich.table import Table
    from rich.text import Text

    apart = (NOTES,) if conversation_of(record) else ()
    details = {name: entry for name, entry in record.details.items() if name not in apart}
    view = Table.grid(padding=(0, 2))
    view.add_column(style="bold", no_wrap=True)
    view.add_column(overflow="fold")
    entries: list[tuple[str, str]] = [
        ("track", record.track),
        ("problem", record.problem),
        ("subject", record.subject),
        ("seed", str(record.seed)),
        ("status", record.status),
        *([("answer", "\n".join(story))] if (story := _answered(record)) else []),
        ("scores", "\n".join(f"{name} = {format_number(score)}" for name, score in record.scores.items())),
        ("error", f"{record.error_kind}: {record.error}" if record.status == "failed" else "none"),
        ("details", _json(details)),
        ("tags", _pairs(record.tags)),
        ("settings", _pairs(record.settings)),
        ("versions", _pairs(record.versions)),
        ("budget", _pairs(record.budget)),
        ("isolation", record.isolation),
        ("solve time", duration(record.seconds)),
        ("cost", _pairs(record.cost)),
        ("created", record.created or "not recorded"),
        ("host", record.host or "not recorded"),
        ("software", _pairs(record.software) if record.software else "not recorded"),
        *([("withdrawn", "yes")] if record.withdrawn else []),
        *([("imported", record.imported)] if record.imported else []),
        ("record key", record.key),
        ("answer key", record.answer_key),
        ("problem digest", record.problem_digest),
        ("subject digest", record.subject_digest),
    ]
    for label, value in entries:
        view.add_row(label, Text(shown(value, lines=True)))  # of plain strings Rich would read markup
    return view


def _answered(record: Record) -> tuple[str, ...]:
    """What the subject answered, where its track has words for it."""
    return track_story(get_track(record.track), [record]) if record.track in track_names() else ()


def _grid_cell(cell: GridCell) -> str:
    if not cell.records:
        return LOST if cell.lost else NOT_RUN
    value = format_number(cell.value)
    return f"{value} ({cell.failed} failed)" if cell.failed else value


def _means_cell(row: SubjectMeans, metric: str) -> str:
    mean = format_number(row.means[metric])
    return f"{mean} ({format_number(row.lost_as_floor[metric])})" if row.lost else mean


def _pairs(entries: Mapping[str, object]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in entries.items()) or "none"


def _json(details: Mapping[str, object]) -> str:
    return json.dumps(plain(details), indent=2, ensure_ascii=False) if details else "none"
