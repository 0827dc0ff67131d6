"""Leaderboards as Markdown that pastes well into a README."""

from __future__ import annotations

import re
from collections.abc import Iterable

from assay.report.page.facts import facts
from assay.report.result_set import ResultSet
from assay.report.tables.standings import Leaderboard, legend, sheet
from assay.report.track_records import TrackRecords
from assay.report.wording import shown

__all__ = ["escape", "markdown"]

# an underscore between letters is no emphasis, and names are full of them
_ACTIVE = re.compile(r"[\\`*\[\]|~$#!]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def escape(text: str) -> str:
    r"""A text that Markdown shows as it is, in one line, inside a table too.

    >>> escape("a|b <script> _x_ combined_score")
    'a\\|b &lt;script&gt; \\_x\\_ combined_score'
    """
    return _ACTIVE.sub(lambda match: "\\" + match[0], shown(text).translate(_ENTITIES))


def markdown(results: ResultSet, *, confidence: float = 0.95, seed: int = 0, resamples: int = 2000) -> str:
    """A section per track: what was run, the leaderboard, how to read it."""
    summaries = results.summaries(confidence=confidence, seed=seed, resamples=resamples)
    return "\n".join(_section(summary.results, summary.board) for summary in summaries)


def _section(results: TrackRecords, board: Leaderboard) -> str:
    lines = [f"## {escape(results.track.name)}", "", escape(results.track.question), ""]
    lines += [
        f"- {fact.label}: {escape(fact.text)}" for fact in facts(results) if fact.label not in ("track", "question")
    ]
    lines.append("")
    if board.rows:
        columns = sheet(board)
        lines.append(_line(column.title for column in columns))
        lines.append("|" + "|".join(":---" if column.is_text else "---:" for column in columns) + "|")
        lines += [_line(column.cell(row) for column in columns) for row in board.rows]
        lines += ["", escape(legend(board)), ""]
    else:
        lines += ["No cell is finished yet.", ""]
    return "\n".join(lines)


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(escape(cell) for cell in cells) + " |"
