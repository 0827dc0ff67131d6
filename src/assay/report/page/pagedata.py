"""What the page's script needs of a track, as one block of JSON: scores per problem, pairs, tags, details."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from assay.charts.marks import SHAPES, subject_marks
from assay.core import Panel, Record
from assay.report.figures.figure import MOST_ROWS, Figure
from assay.report.tables.filters import tag_values
from assay.report.tables.groups import UNTAGGED
from assay.report.tables.pairs import Pairs, corrected_p_value, is_sure, mirrored, too_few_problems
from assay.report.tables.standings import Leaderboard
from assay.report.tables.truths import details_in_lines, truths
from assay.report.track_records import TrackRecords
from assay.report.wording import format_interval, format_p_value, shown
from assay.stats import Comparison, ScoreTable, score_table

__all__ = ["BUDGET", "KEY", "json_block", "page_data", "records_on"]

BUDGET = 400_000  # characters of details per track: the file must open at once
KEY = 20  # characters of a record's key that tell it from all others
_DIGITS = 9
_LONGEST_ERROR = 300
# inside a script element only these can end it or confuse a parser
_ACTIVE = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})


def page_data(
    results: TrackRecords,
    board: Leaderboard,
    pairs: Pairs,
    listed: Sequence[str],
    figures: Sequence[Figure] = (),
    panels: Sequence[Panel] = (),
    *,
    truth: bool = True,
    keys: bool = False,
    packed: Sequence[str] = (),
) -> dict[str, Any]:
    """Names are shown as the page shows them; problems are the listed ones, subjects in the leaderboard's order.

    Without ``truth`` neither the truth nor what examination noted of it is there; with ``keys`` the addresses of cells.
    """
    subjects = [row.subject for row in board.rows]
    cells: dict[tuple[str, str], list[Record]] = {}
    for record in records_on(results, listed):
        cells.setdefault((record.problem, record.subject), []).append(record)
    first = {problem: own[0] for (problem, _), own in cells.items()}

    def each(tell: Callable[[Sequence[Record]], list[Any]]) -> list[list[list[Any]]]:
        """A function's values on the records of every problem and subject."""
        return [[tell(cells.get((problem, subject), ())) for subject in subjects] for problem in listed]

    words = truths(results) if truth else {}
    tags = tag_values(results)
    details, omitted = _details(cells, listed, subjects) if truth else ([[] for _ in listed], 0)
    tables = {
        column.name: score_table(results.table, column.name, goal=column.goal)
        for column in board.columns
        if results.records
    }
    return {
        "subjects": [shown(name) for name in subjects],
        "contenders": [place for place, row in enumerate(board.rows) if not row.reference],
        "problems": [shown(name) for name in listed],
        "metrics": [{"name": column.name, "goal": column.goal} for column in board.columns],
        "scores": [_matrix(tables[column.name], subjects, listed) for column in board.columns if tables],
        "tags": {
            shown(tag): [shown(str(first[problem].tags.get(tag, UNTAGGED))) for problem in listed] for tag in tags
        },
        "all_tags": [
            {shown(name): shown(str(value)) for name, value in sorted(first[problem].tags.items())}
            for problem in listed
        ],
        "truth_hidden": not truth,
        "truths": [words.get(problem, "") for problem in listed],
        "digests": [first[problem].problem_digest[:16] for problem in listed],
        "cells": each(_cell),
        "seeds": each(lambda records: [record.seed for record in records]),
        **({"keys": each(_keys)} if keys else {"packed": list(packed)}),
        "details": details,
        "details_left_out": omitted,
        "pairs": _pairs(pairs),
        "marks": [
            [mark.colour, SHAPES.index(mark.shape)] for mark in map(subject_marks(subjects).__getitem__, subjects)
        ],
        "figures": {
            **{figure.key: _numbers(figure) for figure in figures},
            **{f"panel-{place}": _numbers(panel) for place, panel in enumerate(panels, start=1) if panel.columns},
        },
    }


def _numbers(chart: Figure | Panel) -> dict[str, Any]:
    """What a chart is drawn from, as it is downloaded."""
    return {
        "columns": [shown(name) for name in chart.columns],
        "rows": [[_plain(entry) for entry in row] for row in chart.rows[:MOST_ROWS]],
    }


def _plain(entry: Any) -> float | str | None:
    if isinstance(entry, float):
        return _number(entry)
    return shown(entry) if isinstance(entry, str) else entry


def records_on(results: TrackRecords, problems: Sequence[str]) -> Sequence[Record]:
    """The records on these problems."""
    names, codes = results.table.labels["problem"]
    is_listed = np.isin(np.array(names, dtype=object), np.array(problems, dtype=object)) if names else np.empty(0, bool)
    return results.part(np.flatnonzero(is_listed[codes])).records


def json_block(content: Mapping[str, Any]) -> str:
    """Strict JSON that can stand inside a script element and stays data there, whatever the texts in it say."""
    return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")).translate(_ACTIVE)


def _matrix(table: ScoreTable, subjects: Sequence[str], problems: Sequence[str]) -> list[list[float | str | None]]:
    column = {problem: place for place, problem in enumerate(table.problems)}
    return [
        [_number(float(table.with_floor[table.row(subject), column[problem]])) for problem in problems]
        for subject in subjects
    ]


def _number(value: float) -> float | str | None:
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    short = float(f"{value:.{_DIGITS}g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short


def _cell(records: Sequence[Record]) -> list[Any]:
    """Records, failures, mean seconds, and the first failure's reason, if any."""
    failed = [record for record in records if record.status == "failed"]
    seconds = math.fsum(record.seconds for record in records) / len(records) if records else math.nan
    facts: list[Any] = [len(records), len(failed), _number(seconds)]
    if failed:
        reason = f"{failed[0].error_kind or 'failed'}: {failed[0].error or ''}"
        facts.append(shown(reason, lines=True)[:_LONGEST_ERROR])
    return facts


def _keys(records: Sequence[Record]) -> list[Any]:
    """The seed and the start of the key of each record."""
    return [[record.seed, record.key[:KEY]] for record in records]


def _details(
    cells: Mapping[tuple[str, str], Sequence[Record]], problems: Sequence[str], subjects: Sequence[str]
) -> tuple[list[list[str]], int]:
    """The details of the first record of each cell, problem by problem until the budget is spent."""
    spent, omitted = 0, 0
    details: list[list[str]] = []
    for problem in problems:
        texts = [
            details_in_lines(cells[problem, subject][0]) if (problem, subject) in cells else "" for subject in subjects
        ]
        size = sum(map(len, texts))
        if spent + size > BUDGET:
            omitted += 1
            texts = []
        else:
            spent += size
        details.append(texts)
    return details, omitted


def _pairs(pairs: Pairs) -> dict[str, Any]:
    """Both directions of every pair as the texts that the page shows."""
    place = {subject: position for position, subject in enumerate(pairs.subjects)}
    return {
        "subjects": [shown(name) for name in pairs.subjects],
        "found": [
            [place[entry.a], place[entry.b], *_pair_texts(entry)]
            for one in pairs.ordered
            for entry in (one, mirrored(one))
        ],
    }


def _pair_texts(entry: Comparison) -> list[Any]:
    return [
        format_interval(entry.difference),
        entry.problems,
        entry.wins,
        entry.ties,
        entry.losses,
        format_p_value(entry.p_value),
        corrected_p_value(entry),
        int(is_sure(entry)),
        too_few_problems(entry),
    ]
