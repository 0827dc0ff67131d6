"""The charts of the insight track: which subject found which insight with which column, and which functions leak."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.charts import Drawing
from assay.charts.drawing import LEFT
from assay.core import Listing, Panel, Record
from assay.core.display import visible
from assay.insight.answer.functions import source_lines
from assay.insight.leakage.verdict import KINDS
from assay.insight.problem.given import given

if TYPE_CHECKING:
    from assay.insight.answer.answer import InsightAnswer

__all__ = ["given", "listings", "panels", "truth"]

_LABEL, _CELL, _ROW, _TOP = 430, 122, 34, 34
_MOST_ROWS = 60
_LONGEST = 62
_VERDICTS = ("leak", "blocked", "inconclusive", "clean", "not checked")
_MOST_LEAKS = 6
_LINES_AROUND = 4  # source lines shown before and after the one that matters
_LINE = 17
_WIDTH = 860


_ON_LINE = re.compile(r"line (?P<line>\d+): (?P<words>.+)", re.DOTALL)


class _Best(NamedTuple):
    """How well one column of a subject predicts an insight, and which column that is."""

    value: float
    column: str


def panels(records: Sequence[Record]) -> tuple[Panel, ...]:
    """Coverage of every ground-truth insight by the best column, and the verdicts of the leak checks with evidence."""
    charts = [_coverage(records), _verdicts(records), _leaks(records)]
    return tuple(panel for panel in charts if panel is not None)


def truth(record: Record) -> str:
    """The experts' insights in their own words, the one that matters most first."""
    columns = _columns(record.details)
    order = sorted(columns.items(), key=lambda entry: (-_number(entry[1].get("weight")), entry[0]))
    descriptions = [str(column.get("description") or name) for name, column in order]
    return "\n".join(f"{place}. {words}" for place, words in enumerate(descriptions, start=1))


def listings(record: Record, answer: InsightAnswer) -> tuple[Listing, ...]:
    """The source of each function with what the leak checks say on its lines."""
    checked = {str(function.get("name")): function for function in _functions(record)}
    return tuple(
        _listing(function.name, function.code, checked.get(function.name, {})) for function in answer.functions
    )


def _listing(name: str, source: str, checked: Mapping[str, Any]) -> Listing:
    evidence = checked.get("evidence") or {}
    verdict = str(checked.get("verdict") or "not checked")
    kind = str(checked.get("kind") or "")
    summary = [f"{verdict}: {kind}, {KINDS.get(kind, '')}".rstrip(", ") if kind else verdict]
    if test := evidence.get("test"):
        summary.append(f"shown by: {test}")
    summary += _changes(evidence)
    remarks = []
    if isinstance(evidence.get("line"), int):
        remarks.append((int(evidence["line"]), str(evidence.get("words") or kind)))
    matches = [match for text in evidence.get("source", ()) if (match := _ON_LINE.match(str(text)))]
    remarks += [(int(match["line"]), match["words"]) for match in matches]
    return Listing(name, source, tuple(dict.fromkeys(remarks)), "; ".join(summary), verdict == "leak")


def _changes(evidence: Mapping[str, Any]) -> list[str]:
    """Values of the first rows before and after the change that the test made."""
    rows = list(evidence.get("rows", []))[:2]
    return [f"row {row.get('row')}: {row.get('before')!r} became {row.get('after')!r}" for row in rows]


def _coverage(records: Sequence[Record]) -> Panel | None:
    subjects = list(dict.fromkeys(record.subject for record in records))
    coverage: dict[tuple[str, str], dict[str, list[_Best]]] = {}
    for record in records:
        for insight in _columns(record.details).values():
            value = insight.get("single_column_predictive_coverage")
            if isinstance(value, int | float):
                row = coverage.setdefault((record.problem, str(insight.get("description", ""))), {})
                best = _Best(float(value), str(insight.get("best_single_column") or ""))
                row.setdefault(record.subject, []).append(best)
    if not coverage or not subjects:
        return None
    rows = sorted(coverage)
    cut = f" The first {_MOST_ROWS} of {len(rows)} are drawn." if len(rows) > _MOST_ROWS else ""
    return Panel(
        title="Which insights were found",
        svg=_map({row: coverage[row] for row in rows[:_MOST_ROWS]}, subjects),
        caption="Per problem and ground-truth insight, in the experts' words, how well the subject's best single "
        "column predicts it (1 = entirely, 0 = not at all; mean over seeds), and below the number the name of that "
        "column. An empty cell: not scored." + cut,
        columns=("problem", "insight", "subject", "coverage", "best_column"),
        rows=tuple(
            (*row, subject, sum(best.value for best in values) / len(values), max(values).column)
            for row in rows
            for subject, values in coverage[row].items()
        ),
    )


def _columns(details: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    columns = details.get("columns", {})
    return columns if isinstance(columns, Mapping) else {}


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _map(rows: Mapping[tuple[str, str], Mapping[str, Sequence[_Best]]], subjects: Sequence[str]) -> str:
    width = max(_LABEL + _CELL * len(subjects), _WIDTH)
    drawing = Drawing("Coverage of each insight by each subject", width=width, scrolls=width > _WIDTH + 60)
    for position, subject in enumerate(subjects):
        middle = _LABEL + _CELL * (position + 0.5)
        drawing.text(middle, 16, subject, "middle", style="axis ink", longest=18, title=subject)
    y, current = _TOP, None
    for (problem, words), values in rows.items():
        if problem != current:
            drawing.text(0, y + 16, problem, style="axis ink strong", longest=_LONGEST)
            y, current = y + 24, problem
        drawing.text(10, y + 20, words, longest=_LONGEST, title=words)
        for position, subject in enumerate(subjects):
            if values.get(subject):
                _draw_cell(drawing, values[subject], _LABEL + _CELL * position, y)
        y += _ROW
    return drawing.svg(y)


def _draw_cell(drawing: Drawing, values: Sequence[_Best], x: float, y: float) -> None:
    mean = min(max(sum(best.value for best in values) / len(values), 0.0), 1.0)
    column = max(values).column
    words = f"{mean:.3f} {column}"
    middle = x + _CELL / 2
    drawing.rect("series-1", x + 2, y + 1, _CELL - 4, _ROW - 2, title=words, opacity=0.05 + 0.5 * mean)
    drawing.text(middle, y + 14, f"{mean:.2f}", "middle", style="axis ink")
    drawing.text(middle, y + 27, column, "middle", style="axis ink tiny", longest=22, title=words)


def _functions(record: Record) -> list[Mapping[str, Any]]:
    entries: Any = record.details.get("functions", [])
    return [function for function in entries if isinstance(function, Mapping)]


def _verdicts(records: Sequence[Record]) -> Panel | None:
    """How many functions of each subject leak, are clean, or could not be judged."""
    counts: dict[str, dict[str, int]] = {}
    for record in records:
        for function in _functions(record):
            verdict = function.get("verdict") or "not checked"
            own = counts.setdefault(record.subject, dict.fromkeys(_VERDICTS, 0))
            own[verdict if verdict in own else "not checked"] += 1
    if not counts:
        return None
    drawing = Drawing("Leak verdicts by subject", width=_WIDTH)
    step = 130
    for place, verdict in enumerate(_VERDICTS):
        drawing.text(LEFT + step * place, 16, verdict)
    for row, (subject, own) in enumerate(counts.items()):
        y, total = _TOP + 24 * row, max(sum(own.values()), 1)
        drawing.name(y + 9, subject)
        for place, verdict in enumerate(_VERDICTS):
            x, width = LEFT + step * place, 80 * own[verdict] / total
            style = "series-2" if verdict == "leak" else "series-1"
            drawing.rect(style, x, y + 2, width, 14, opacity=1.0 if verdict in ("leak", "clean") else 0.4)
            drawing.text(x + width + 6, y + 13, str(own[verdict]))
    return Panel(
        title="What the leak checks say of the functions",
        svg=drawing.svg(_TOP + 24 * len(counts)),
        caption="Feature functions per subject, all problems and seeds together. A leak is proved by perturbing "
        "what the function must not know and seeing its value change; blocked ones tried what the sandbox denies, "
        "which costs nothing; inconclusive ones do not run or give other values for the same call.",
        columns=("subject", *_VERDICTS),
        rows=tuple((subject, *own.values()) for subject, own in counts.items()),
    )


def _leaks(records: Sequence[Record]) -> Panel | None:
    """One leak per subject and kind, with the test that proves it and the line that explains it."""
    leaks = [
        (record, function) for record in records for function in _functions(record) if function.get("verdict") == "leak"
    ]
    if not leaks:
        return None
    chosen: dict[tuple[str, str], tuple[Record, Mapping[str, Any]]] = {}
    for record, function in leaks:
        chosen.setdefault((record.subject, str(function.get("kind"))), (record, function))
    shown = list(chosen.values())[:_MOST_LEAKS]
    drawing, y = Drawing("Evidence of leaks, with the source line", width=_WIDTH), 0.0
    for record, function in shown:
        y = _draw_evidence(drawing, record, function, y)
    return Panel(
        title="Evidence of leaks",
        svg=drawing.svg(y),
        caption=f"{len(shown)} of {len(leaks)} leaking functions, one per subject and kind of leak: what was changed, "
        "how the value followed, and the source line that explains it, highlighted.",
        columns=("problem", "subject", "function", "kind"),
        rows=tuple(
            (record.problem, record.subject, str(function.get("name")), str(function.get("kind")))
            for record, function in leaks
        ),
    )


def _draw_evidence(drawing: Drawing, record: Record, function: Mapping[str, Any], y: float) -> float:
    """Draw the evidence of one leak from ``y`` downwards; returns the ``y`` where it ends."""
    evidence = function.get("evidence") or {}
    kind = str(function.get("kind"))
    head = f"{record.subject} · {record.problem} · {function.get('name')}"
    lines = [(head, "axis ink strong"), (f"{kind}: {KINDS.get(kind, '')}", "axis")]
    if test := evidence.get("test"):
        lines.append((f"test: {test}", "axis"))
    lines += [(words, "axis") for words in _changes(evidence)]
    y += 8
    for text, style in lines:
        y += _LINE
        drawing.text(0, y, text, style=style, longest=120)
    y += 6
    for number, text, hot in _source(evidence):
        if hot:
            drawing.rect("hot", 0, y + 3, _WIDTH, _LINE)
        y += _LINE
        drawing.text(36, y - 1, text, style="code", longest=108)
        if number:
            drawing.text(28, y - 1, str(number), "end")
    return y + 12


def _source(evidence: Mapping[str, Any]) -> list[tuple[int, str, bool]]:
    """The source around the line that explains a leak; without a stored source, only what the line means."""
    line = evidence.get("line")
    code = evidence.get("code")
    if not isinstance(line, int):
        return []
    words = str(evidence.get("words", ""))
    if not isinstance(code, str):
        return [(line, words, True)]
    source = [visible(text).replace(" ", "\u00a0") for text in source_lines(code.expandtabs(4))]
    first, last = max(line - _LINES_AROUND, 1), min(line + _LINES_AROUND, len(source))
    lines = [(number, source[number - 1], number == line) for number in range(first, last + 1)]
    return [*lines, (0, f"↑ {words}", False)] if words else lines
