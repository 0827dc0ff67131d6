"""Leaderboards as Markdown that pastes well into a README."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Unpack

from assay.core.display import counted
from assay.report.failures import Failure, failures_of
from assay.report.gates.judging import GateResult
from assay.report.page.facts import facts
from assay.report.result_set import ResultSet
from assay.report.tables.standings import Leaderboard, board_columns, legend
from assay.report.tables.summary import Bootstrap
from assay.report.track_records import TrackRecords
from assay.report.wording import shown

__all__ = ["escape", "markdown"]

# an underscore between letters is no emphasis, and names are full of them
_ACTIVE = re.compile(r"[\\`*\[\]|~$#!]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_LISTED = 20  # failures
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def escape(text: str) -> str:
    r"""A text that Markdown shows as it is, in one line, inside a table too.

    >>> escape("a|b <script> _x_ combined_score")
    'a\\|b &lt;script&gt; \\_x\\_ combined_score'
    """
    return _ACTIVE.sub(lambda match: "\\" + match[0], shown(text).translate(_ENTITIES))


def markdown(results: ResultSet, *, verdicts: Sequence[GateResult] = (), **bootstrap: Unpack[Bootstrap]) -> str:
    """A section per track: what was run, the leaderboard, how to read it; before them gates, behind them failures."""
    sections = [_section(summary.results, summary.board) for summary in results.summaries(**bootstrap)]
    return "\n".join([*_gates(verdicts), *sections, *_failures(failures_of(results.tracks))])


def _gates(verdicts: Sequence[GateResult]) -> list[str]:
    if not len(verdicts):  # they are false where one is missed
        return []
    met = sum(entry.passed for entry in verdicts)
    lines = [
        f"## Gates: {met} of {len(verdicts)} met",
        "",
        _line(("", "track", "subject", "gate", "why")),
        "|---" * 5 + "|",
    ]
    lines += [
        _line(("✅ met" if entry.passed else "❌ missed", entry.track, entry.subject, entry.gate, entry.text))
        for entry in verdicts
    ]
    return ["\n".join([*lines, ""])]


def _failures(failures: Sequence[Failure]) -> list[str]:
    if not failures:
        return []
    lines = [f"## {counted(len(failures), 'failure')}", ""]
    lines += [f"- {escape(f'{entry.track}: {entry}')}" for entry in failures[:_LISTED]]
    lines += [f"- and {len(failures) - _LISTED} more"] if len(failures) > _LISTED else []
    return ["\n".join([*lines, ""])]


def _section(results: TrackRecords, board: Leaderboard) -> str:
    lines = [f"## {escape(results.track.name)}", "", escape(results.track.question), ""]
    lines += [
        f"- {fact.label}: {escape(fact.text)}" for fact in facts(results) if fact.label not in ("track", "question")
    ]
    lines.append("")
    if board.rows:
        columns = board_columns(board)
        lines.append(_line(column.title for column in columns))
        lines.append("|" + "|".join(":---" if column.is_text else "---:" for column in columns) + "|")
        lines += [_line(column.cell(row) for column in columns) for row in board.rows]
        lines += ["", escape(legend(board)), ""]
    else:
        lines += ["No cell is finished yet.", ""]
    return "\n".join(lines)


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(escape(cell) for cell in cells) + " |"
