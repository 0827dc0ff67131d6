"""Tables for the terminal. Names come from outside: they are shown, never read as markup or control characters."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from assay.core import Record, plain
from assay.report.page.facts import facts
from assay.report.tables.grid import GridCell, problem_grid
from assay.report.tables.groups import Group
from assay.report.tables.means import SubjectMeans, TrackMeans
from assay.report.tables.standings import LOST_AS_FLOOR, Leaderboard, heading, legend, lost_cell, sheet
from assay.report.track_records import TrackRecords
from assay.report.wording import ARROWS, duration, format_interval, format_number, format_p_value, format_rank, shown
from assay.stats import Comparison

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

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


def run_summary(results: TrackRecords) -> Text:
    """What was run: track, question, settings, seeds, problems, cells finished, pending and lost, isolation."""
    from rich.text import Text

    text = Text()
    for fact in facts(results):
        text.append(f"{fact.label}: ", style="bold")
        urgent = fact.label in ("caution", "pending", "lost", "withdrawn", "versions")
        text.append(shown(fact.text) + "\n", style="yellow" if urgent else "")
    text.rstrip()
    return text


def leaderboard_table(board: Leaderboard) -> Table:
    """One row per subject, best first by the headline; the other metrics are in the table of metrics."""
    columns = sheet(board, narrow=True)
    table = _table(title=board.track, caption=legend(board))
    for column in columns:
        _add_column(table, column.title, is_text=column.is_text)
    for row in board.rows:
        table.add_row(*(_text(column.cell(row)) for column in columns))
    return table


def metrics_table(board: Leaderboard) -> Table:
    """Every metric beside the headline, one below the other, then the aggregates; in the leaderboard's order."""
    table = _table(title=f"{board.track}: every other metric")
    _add_column(table, "subject", is_text=True)
    beside = [*([LOST_AS_FLOOR] if board.any_lost else []), *(["scored only"] if board.any_failed else [])]
    for title in ("mean", *beside, "problems", "undefined", "mean rank"):
        _add_column(table, title)
    for column in board.columns[1:]:
        table.add_row(_text(heading(column)), style="bold")
        for row in board.rows:
            summary = row.metrics[column.name]
            table.add_row(
                _text(row.subject),
                format_interval(summary.mean),
                *([lost_cell(summary)] if board.any_lost else []),
                *([format_number(summary.scored_only.value)] if board.any_failed else []),
                str(summary.problems),
                str(summary.undefined),
                format_rank(summary.mean_rank),
            )
        table.add_section()
    for column in board.aggregates:
        table.add_row(_text(heading(column)), style="bold")
        for row in board.rows:
            table.add_row(_text(row.subject), format_number(row.aggregates[column.name]))
        table.add_section()
    return table


def means_table(found: TrackMeans) -> Table:
    """One row per subject, best first by the headline, a column per metric; no intervals."""
    any_lost = any(row.lost for row in found.rows)
    told = f"; in brackets, and for the order, lost cells as the floor, too ({LOST_AS_FLOOR})" if any_lost else ""
    caption = f"Means over problems, failures as the floor{told}; no intervals were computed."
    table = _table(title=found.track, caption=caption)
    _add_column(table, "subject", is_text=True)
    for name, goal in found.goals.items():
        _add_column(table, f"{name} {ARROWS[goal]}")
    for title in ("cells", "failed"):
        _add_column(table, title)
    for row in found.rows:
        table.add_row(
            _text(row.subject),
            *(_means_cell(row, name) for name in row.means),
            f"{row.cells} ({row.lost} lost)" if row.lost else str(row.cells),
            str(row.failed),
        )
    return table


def groups_table(tag: str, groups: Sequence[Group]) -> Table:
    """The headline for each value of a tag: means with failures as the floor, and means of what was scored."""
    headline = groups[0].board.columns[0]
    table = _table(title=f"{groups[0].board.track}: {heading(headline)} by {tag}", caption="Places are within a group.")
    for title in (tag, "subject"):
        _add_column(table, title, is_text=True)
    any_lost = any(group.board.any_lost for group in groups)
    for title in ("#", "mean", *([LOST_AS_FLOOR] if any_lost else []), "scored only", "problems", "failed"):
        _add_column(table, title)
    for group in groups:
        for row in group.board.rows:
            summary = row.metrics[headline.name]
            table.add_row(
                _text(group.value),
                _text(row.subject),
                str(row.place),
                format_interval(summary.mean),
                *([lost_cell(summary)] if any_lost else []),
                f"{format_number(summary.scored_only.value)} ({summary.scored_problems})",
                str(summary.problems),
                str(row.failed),
            )
        table.add_section()
    return table


def problems_table(results: TrackRecords, *, metric: str | None = None) -> Table:
    """Problem × subject: the mean over seeds of a metric, by default the headline, with the number of failures."""
    grid = problem_grid(results, metric=metric)
    table = _table(
        title=f"{results.track.name}: {grid.metric} {ARROWS[grid.goal]} per problem",
        caption=f"Failed cells count with the floor; {NOT_RUN} is not run yet.",
    )
    _add_column(table, "problem", is_text=True)
    for subject in grid.subjects:
        table.add_column(_text(subject), justify="right", overflow="fold")
    for row in grid.rows:
        table.add_row(_text(row.problem), *(_text(_grid_cell(cell)) for cell in row.cells))
    return table


def comparison_table(comparisons: Sequence[Comparison]) -> Table:
    """Paired comparisons: how much two subjects differ, and whether it could be chance; of several metrics, each."""
    metrics = list(dict.fromkeys(f"{entry.metric} {ARROWS[entry.goal]}" for entry in comparisons))
    together = len(comparisons) > 1
    lost = {entry.a: entry.lost_a for entry in comparisons} | {entry.b: entry.lost_b for entry in comparisons}
    counted = ", ".join(f"{subject} {cells}" for subject, cells in sorted(lost.items()) if cells)
    table = _table(
        title=", ".join(metrics) or "no comparison",
        caption="Difference a - b over n common problems, failures as the floor; a won, tied or lost that many; "
        "two-sided sign-flip test"
        + ("; the adjusted p accounts for the comparisons made together (Holm)." if together else ".")
        + (f" Counted with lost cells as the floor: {counted}." if counted else ""),
    )
    several = len(metrics) > 1
    for title in (*(["metric"] if several else []), "a", "b"):
        _add_column(table, title, is_text=True)
    for title in ("difference", "n", "won/tied/lost", "p", *(["adjusted p"] if together else [])):
        _add_column(table, title)
    for entry in comparisons:
        table.add_row(
            *([_text(f"{entry.metric} {ARROWS[entry.goal]}")] if several else []),
            _text(entry.a),
            _text(entry.b),
            format_interval(entry.difference),
            str(entry.problems),
            f"{entry.wins}/{entry.ties}/{entry.losses}",
            format_p_value(entry.p_value),
            *([format_p_value(entry.adjusted_p_value)] if together else []),
        )
    return table


def record_view(record: Record) -> Table:
    """One record in full."""
    from rich.table import Table

    view = Table.grid(padding=(0, 2))
    view.add_column(style="bold", no_wrap=True)
    view.add_column(overflow="fold")
    entries: list[tuple[str, str]] = [
        ("track", record.track),
        ("problem", record.problem),
        ("subject", record.subject),
        ("seed", str(record.seed)),
        ("status", record.status),
        ("scores", "\n".join(f"{name} = {format_number(score)}" for name, score in record.scores.items())),
        ("error", f"{record.error_kind}: {record.error}" if record.status == "failed" else "none"),
        ("details", _json(record.details)),
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
        view.add_row(label, _text(value, lines=True))
    return view


def _table(*, title: str, caption: str = "") -> Table:
    from rich import box
    from rich.table import Table

    return Table(
        title=_text("\n" + shown(title), lines=True),  # a blank line above
        title_justify="left",
        caption=_text(caption) if caption else None,
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        collapse_padding=True,
        pad_edge=False,
        show_edge=False,
    )


def _add_column(table: Table, title: str, *, is_text: bool = False) -> None:
    """A column of texts may be folded; numbers are not, and their headings stand word below word to make room."""
    if is_text:
        table.add_column(_text(title), overflow="fold", min_width=6)
    else:
        table.add_column(_text("\n".join(title.split(" ")), lines=True), justify="right", no_wrap=True, overflow="fold")


def _text(text: str, *, lines: bool = False) -> Text:
    """Rich reads markup in plain strings, but not in its Text."""
    from rich.text import Text

    return Text(shown(text, lines=lines))


def _grid_cell(cell: GridCell) -> str:
    if not cell.records:
        return NOT_RUN
    value = format_number(cell.value)
    return f"{value} ({cell.failed} failed)" if cell.failed else value


def _means_cell(row: SubjectMeans, metric: str) -> str:
    mean = format_number(row.means[metric])
    return f"{mean} ({format_number(row.lost_as_floor[metric])})" if row.lost else mean


def _pairs(entries: Mapping[str, object]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in entries.items()) or "none"


def _json(details: Mapping[str, object]) -> str:
    return json.dumps(plain(details), indent=2, ensure_ascii=False) if details else "none"
