"""Results as a notebook shows them: a small table without style or script of its own."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from assay.report.tables.sheet import legend, sheet
from assay.report.wording import shown

if TYPE_CHECKING:
    from assay.report.results import Results, TrackResults
    from assay.report.tables.leaderboard import Leaderboard

__all__ = ["leaderboard_html", "results_html", "track_html"]


def leaderboard_html(board: Leaderboard) -> str:
    """The leaderboard of the headline as a table; every text is escaped."""
    if not board.rows:
        return f"<p>{_text(board.track)}: no cell is finished yet.</p>"
    columns = sheet(board, narrow=True)
    head = "".join(f"<th>{_text(column.title)}</th>" for column in columns)
    rows = "".join(
        "<tr>" + "".join(f"<td>{_text(column.cell(row))}</td>" for column in columns) + "</tr>" for row in board.rows
    )
    return (
        f"<table><caption>{_text(board.track)}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        f"<p><small>{_text(legend(board))}</small></p>"
    )


def track_html(results: TrackResults) -> str:
    """A track's question and leaderboard."""
    from assay.report.tables.leaderboard import leaderboard

    return f"<p>{_text(results.track.question)}</p>" + leaderboard_html(leaderboard(results, metrics=()))


def results_html(results: Results) -> str:
    """All tracks, one below the other."""
    return "".join(track_html(track) for track in results.tracks)


def _text(text: str) -> str:
    return escape(shown(text))
