"""Results as files for other tools: CSV and Parquet in long form, JSON with everything, Markdown for people."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from assay.core import Interval, Json, plain
from assay.intake.csv_lines import csv_text
from assay.report.export.files import write_whole
from assay.report.export.long_form import NUMBERS, Value, long_columns, long_rows
from assay.report.export.markdown import markdown
from assay.report.gates.judging import GateResult
from assay.report.result_set import ResultSet
from assay.report.tables.groups import grouped, has_tag
from assay.report.tables.pairs import Pairs
from assay.report.tables.standings import Standing
from assay.report.tables.summary import Bootstrap, TrackSummary

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "JSON_SCHEMA",
    "csv_table",
    "json_bytes",
    "json_report",
    "scores_csv",
    "scores_parquet",
    "write_csv",
    "write_json",
    "write_markdown",
    "write_parquet",
]

JSON_SCHEMA = 1
# fields of a standing and of a comparison that JSON holds under the same names
_OF_STANDING = (
    *("subject", "place", "best_place", "worst_place", "tier", "mean_rank", "cells", "failed", "lost"),
    *("median_seconds", "reference", "leaks", "unchecked", "undecided", "counts", "costs"),
)
_OF_COMPARISON = ("problems", "clusters", "wins", "ties", "losses", "lost_a", "lost_b", "p_value", "adjusted_p_value")
# what makes a spreadsheet run a cell instead of showing it; the wide forms are read like the narrow ones
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
# what a terminal would obey when the file is printed; line breaks and tabs are text
_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\r\n"}


def write_csv(results: ResultSet, path: Path) -> None:
    """The long form as CSV; a text that a spreadsheet would take for a formula gets a leading apostrophe."""
    write_whole(path, scores_csv(results))


def write_parquet(results: ResultSet, path: Path) -> None:
    """The long form as Parquet; a tag whose values are all numbers is a number column, any other a text column.

    Seeds are whole numbers, and texts where one is larger than a column of 64 bits can hold.
    """
    write_whole(path, scores_parquet(results))


def scores_csv(results: ResultSet) -> bytes:
    """What :func:`write_csv` writes."""
    return csv_table(long_columns(results.tracks), long_rows(results.tracks))


def csv_table(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Rows as CSV, without what a spreadsheet would run; what is missing or undefined is empty."""
    header = [_guarded(column) for column in columns]
    lines = ([_guarded(_defined(row.get(column))) for column in columns] for row in rows)
    return csv_text(chain([header], lines)).encode("utf-8", errors="backslashreplace")


def scores_parquet(results: ResultSet) -> bytes:
    """What :func:`write_parquet` writes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = list(long_rows(results.tracks))
    arrays = {column: _arrow_array(column, [row[column] for row in rows]) for column in long_columns(results.tracks)}
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(arrays), sink)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def json_report(
    results: ResultSet,
    *,
    by: Sequence[str] = (),
    comparisons: bool = False,
    **bootstrap: Unpack[Bootstrap],
) -> dict[str, Json]:
    """What :func:`write_json` writes, as plain values; ``by`` names tags whose values get leaderboards of their own.

    ``comparisons`` adds every pair of subjects on the headline, which takes longer than all the rest.
    """
    return _json_body(results.summaries(**bootstrap), by=by, comparisons=comparisons)


def write_json(results: ResultSet, path: Path, **bootstrap: Unpack[Bootstrap]) -> None:
    """Leaderboards, comparisons and whole records as strict JSON: undefined is null, infinite a text."""
    write_whole(path, json_bytes(results.summaries(**bootstrap)))


def json_bytes(summaries: Sequence[TrackSummary]) -> bytes:
    """What :func:`write_json` writes."""
    content = _json_body(summaries, by=(), comparisons=True)
    return (json.dumps(content, indent=1, allow_nan=False) + "\n").encode()


def write_markdown(
    results: ResultSet, path: Path, *, verdicts: Sequence[GateResult] = (), **bootstrap: Unpack[Bootstrap]
) -> None:
    """Leaderboards as Markdown tables, with gates and failures."""
    text = markdown(results, verdicts=verdicts, **bootstrap)
    write_whole(path, text.encode("utf-8", errors="backslashreplace"))


def _defined(value: Any) -> Any:
    return None if isinstance(value, float) and value != value else value


def _guarded(value: Value) -> Value:
    """Text without what a spreadsheet would run or a terminal obey."""
    if not isinstance(value, str):
        return value
    text = value.translate(_CONTROLS)
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def _arrow_array(column: str, values: Sequence[Value]) -> pa.Array:
    import pyarrow as pa

    if column == "seed" and all(isinstance(value, int) and value < 2**63 for value in values):
        return pa.array(values, pa.int64())
    present = [value for value in values if value is not None]
    is_tag = column.startswith("tag.")
    if column in NUMBERS or (is_tag and present and not any(isinstance(value, str) for value in present)):
        return pa.array([None if value is None else float(value) for value in values], pa.float64())
    return pa.array([None if value is None else str(value) for value in values], pa.string())


def _json_body(summaries: Sequence[TrackSummary], *, by: Sequence[str], comparisons: bool) -> dict[str, Json]:
    return {
        "schema": JSON_SCHEMA,
        "tracks": [_track(summary, by=by, comparisons=comparisons) for summary in summaries],
    }


def _track(summary: TrackSummary, *, by: Sequence[str], comparisons: bool) -> dict[str, Json]:
    results, board = summary.results, summary.board
    goals = {column.name: column.goal for column in board.columns}
    groups: dict[str, Json] = {
        tag: [
            {
                "value": group.value,
                "problems": group.problems,
                "leaderboard": [_standing(row, goals) for row in group.board.rows],
            }
            for group in grouped(results, tag, **summary.bootstrap)
        ]
        for tag in by
        if has_tag(results, tag)
    }
    return {
        "name": results.track.name,
        "question": results.track.question,
        "headline": results.headline,
        "created": results.run.created,
        "settings": plain(dict(results.run.settings)),
        "planned": results.planned,
        "finished": len(results.records),
        "pending": results.pending,
        "lost": [
            {"problem": cell.problem, "subject": cell.subject.name, "seed": cell.budget.seed, "reason": reason}
            for cell, reason in results.losses
        ],
        "withdrawn": [withdrawal.to_json() for withdrawal in results.withdrawals],
        "confidence": summary.confidence,
        "clusters": board.clusters,
        "leaderboard": [_standing(row, goals) for row in board.rows],
        "groups": groups,
        **({"comparisons": _comparisons(summary.pairs)} if comparisons else {}),
        "records": [record.to_json() for record in results.records],
    }


def _standing(row: Standing, goals: Mapping[str, str]) -> dict[str, Json]:
    metrics: dict[str, Json] = {
        name: {
            "goal": goals[name],
            "mean": _interval(summary.mean),
            "lost_as_floor": _interval(summary.lost_as_floor),
            "scored_only": _interval(summary.scored_only),
            "problems": summary.problems,
            "clusters": summary.clusters,
            "scored_problems": summary.scored_problems,
            "undefined": summary.undefined,
        }
        for name, summary in row.metrics.items()
    }
    fields = {name: plain(getattr(row, name)) for name in _OF_STANDING}
    return {**fields, "metrics": metrics, "aggregates": plain(dict(row.aggregates))}


def _comparisons(pairs: Pairs) -> list[Json]:
    return [
        {
            **{name: getattr(pair, name) for name in ("metric", "a", "b")},
            "difference": _interval(pair.difference),
            **{name: plain(getattr(pair, name)) for name in _OF_COMPARISON},
        }
        for pair in pairs.ordered
    ]


def _interval(interval: Interval) -> dict[str, Json]:
    return {"value": plain(interval.value), "low": plain(interval.low), "high": plain(interval.high)}
