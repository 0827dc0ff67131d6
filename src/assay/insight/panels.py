"""The charts of the insight track: which insight was found by whom and with which column, and who cheated how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from assay.core import Panel, Record
from assay.insight.leakage.verdict import KINDS

__all__ = ["panels", "truth"]

_LABEL, _CELL, _ROW, _TOP = 430, 122, 34, 34
_MOST_ROWS = 60
_LONGEST = 62
_VERDICTS = ("leak", "inconclusive", "clean", "not checked")
_MOST_LEAKS = 6
_LINES_AROUND = 4  # source lines shown before and after the one that matters
_LINE = 17
_WIDTH = 860


class _Best(NamedTuple):
    """How well one column of a subject predicts an insight, and which column that is."""

    value: float
    column: str


def panels(records: Sequence[Record]) -> tuple[Panel, ...]:
    """Coverage of every ground-truth insight by the best column, and the verdicts of the leak checks with evidence."""
    found = [_coverage(records), _verdicts(records), _leaks(records)]
    return tuple(panel for panel in found if panel is not None)


def truth(record: Record) -> str:
    """The experts' insights in their own words, the one that matters most first."""
    columns = _columns(record.details)
    order = sorted(columns.items(), key=lambda entry: (-_number(entry[1].get("weight")), entry[0]))
    told = [str(column.get("description") or name) for name, column in order]
    return "\n".join(f"{place}. {words}" for place, words in enumerate(told, start=1))


def _coverage(records: Sequence[Record]) -> Panel | None:
    subjects = sorted({record.subject for record in records})
    found: dict[tuple[str, str], dict[str, list[_Best]]] = {}
    for record in records:
        for insight in _columns(record.details).values():
            value = insight.get("single_column_predictive_coverage")
            if isinstance(value, int | float):
                row = found.setdefault((record.problem, str(insight.get("description", ""))), {})
                best = _Best(float(value), str(insight.get("best_single_column") or ""))
                row.setdefault(record.subject, []).append(best)
    if not found or not subjects:
        return None
    rows = sorted(found)
    cut = f" The first {_MOST_ROWS} of {len(rows)} are drawn." if len(rows) > _MOST_ROWS else ""
    return Panel(
        title="Which insights were found",
        svg=_map({row: found[row] for row in rows[:_MOST_ROWS]}, subjects),
        caption="Per problem and ground-truth insight, in the experts' words, how well the subject's best single "
        "column predicts it (1 = entirely, 0 = not at all; mean over seeds), and below the number the name of that "
        "column. An empty cell: not scored." + cut,
    )


def _columns(details: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    columns = details.get("columns", {})
    return columns if isinstance(columns, Mapping) else {}


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _map(rows: Mapping[tuple[str, str], Mapping[str, Sequence[_Best]]], subjects: Sequence[str]) -> str:
    problems = list(dict.fromkeys(problem for problem, _ in rows))
    width = max(_LABEL + _CELL * len(subjects), _WIDTH)
    height = _TOP + _ROW * len(rows) + 24 * len(problems)
    parts = [_open(width, height, "Coverage of each insight by each subject", wide=width > _WIDTH + 60)]
    for position, subject in enumerate(subjects):
        middle = _LABEL + _CELL * (position + 0.5)
        parts.append(
            f'<text class="axis ink" x="{middle:g}" y="16" text-anchor="middle"><title>{escape(subject)}</title>'
            f"{_short(subject, 18)}</text>"
        )
    y = _TOP
    for problem in problems:
        parts.append(f'<text class="axis ink strong" x="0" y="{y + 16}">{_short(problem, _LONGEST)}</text>')
        y += 24
        for (owner, words), values in rows.items():
            if owner != problem:
                continue
            parts.append(
                f'<text class="axis" x="10" y="{y + 20}"><title>{escape(words)}</title>{_short(words, _LONGEST)}</text>'
            )
            for position, subject in enumerate(subjects):
                parts.append(_cell(values.get(subject), _LABEL + _CELL * position, y))
            y += _ROW
    return "".join([*parts, "</svg>"])


def _cell(values: Sequence[_Best] | None, x: float, y: float) -> str:
    if not values:
        return ""
    mean = min(max(sum(best.value for best in values) / len(values), 0.0), 1.0)
    column = max(values).column
    middle = x + _CELL / 2
    return (
        f'<g><title>{mean:.3f} {escape(column)}</title><rect class="series-1" x="{x + 2:g}" y="{y + 1}" '
        f'width="{_CELL - 4}" height="{_ROW - 2}" fill-opacity="{0.05 + 0.5 * mean:.3f}"></rect>'
        f'<text class="axis ink" x="{middle:g}" y="{y + 14}" text-anchor="middle">{mean:.2f}</text>'
        f'<text class="axis ink tiny" x="{middle:g}" y="{y + 27}" text-anchor="middle">'
        f"{_short(column, 22)}</text></g>"
    )


def _functions(record: Record) -> list[Mapping[str, Any]]:
    found: Any = record.details.get("functions", [])
    return [function for function in found if isinstance(function, Mapping)]


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
    left, step = 230, 150
    parts = [_open(_WIDTH, _TOP + 24 * len(counts), "Leak verdicts by subject")]
    for place, verdict in enumerate(_VERDICTS):
        parts.append(f'<text class="axis" x="{left + step * place}" y="16">{verdict}</text>')
    for row, (subject, own) in enumerate(sorted(counts.items())):
        y, total = _TOP + 24 * row, max(sum(own.values()), 1)
        parts.append(f'<text class="axis" x="{left - 12}" y="{y + 13}" text-anchor="end">{_short(subject, 32)}</text>')
        for place, verdict in enumerate(_VERDICTS):
            style = "series-2" if verdict == "leak" else "series-1"
            width = 100 * own[verdict] / total
            x = left + step * place
            opacity = 1 if verdict in ("leak", "clean") else 0.4
            parts.append(
                f'<rect class="{style}" x="{x}" y="{y + 2}" width="{width:.1f}" height="14" '
                f'fill-opacity="{opacity}"></rect><text class="axis" x="{x + width + 6:.1f}" y="{y + 13}">'
                f"{own[verdict]}</text>"
            )
    return Panel(
        title="What the leak checks say of the functions",
        svg="".join([*parts, "</svg>"]),
        caption="Feature functions per subject, all problems and seeds together. A leak is proved by perturbing "
        "what the function must not know and seeing its value change; inconclusive ones give other values for the same "
        "call.",
    )


def _leaks(records: Sequence[Record]) -> Panel | None:
    """One leak per subject and kind, with the test that proves it and the line that explains it."""
    chosen: dict[tuple[str, str], tuple[Record, Mapping[str, Any]]] = {}
    total = 0
    for record in records:
        for function in _functions(record):
            if function.get("verdict") == "leak":
                total += 1
                chosen.setdefault((record.subject, str(function.get("kind"))), (record, function))
    if not chosen:
        return None
    shown = list(chosen.values())[:_MOST_LEAKS]
    parts: list[str] = []
    y = 0.0
    for record, function in shown:
        drawn, y = _evidence(record, function, y)
        parts += drawn
    return Panel(
        title="Evidence of leaks",
        svg=_open(_WIDTH, y, "Evidence of leaks, with the source line") + "".join(parts) + "</svg>",
        caption=f"{len(shown)} of {total} leaking functions, one per subject and kind of leak: what was changed, how "
        "the value followed, and the source line that explains it, highlighted.",
    )


def _evidence(record: Record, function: Mapping[str, Any], y: float) -> tuple[list[str], float]:
    evidence = function.get("evidence") or {}
    kind = str(function.get("kind"))
    head = f"{record.subject} · {record.problem} · {function.get('name')}"
    lines = [(head, "axis ink strong"), (f"{kind}: {KINDS.get(kind, '')}", "axis")]
    if test := evidence.get("test"):
        lines.append((f"test: {test}", "axis"))
    lines += [
        (f"row {row.get('row')}: {row.get('before')!r} became {row.get('after')!r}", "axis")
        for row in list(evidence.get("rows", []))[:2]
    ]
    parts = []
    y += 8
    for text, style in lines:
        y += _LINE
        parts.append(f'<text class="{style}" x="0" y="{y:g}">{_short(text, 120)}</text>')
    y += 6
    for number, text, hot in _source(evidence):
        if hot:
            parts.append(f'<rect class="hot" x="0" y="{y + 3:g}" width="{_WIDTH}" height="{_LINE}"></rect>')
        y += _LINE
        parts.append(f'<text class="code" x="36" y="{y - 1:g}">{_short(text, 108)}</text>')
        if number:
            parts.append(f'<text class="axis" x="28" y="{y - 1:g}" text-anchor="end">{number}</text>')
    return parts, y + 12


def _source(evidence: Mapping[str, Any]) -> list[tuple[int, str, bool]]:
    """The lines around the one that matters; that line's meaning alone where the record does not hold the source."""
    line = evidence.get("line")
    code = evidence.get("code")
    if not isinstance(line, int):
        return []
    words = str(evidence.get("words", ""))
    if not isinstance(code, str):
        return [(line, words, True)]
    source = code.expandtabs(4).splitlines()
    first, last = max(line - _LINES_AROUND, 1), min(line + _LINES_AROUND, len(source))
    lines = [(number, source[number - 1].replace(" ", "\u00a0"), number == line) for number in range(first, last + 1)]
    return [*lines, (0, f"↑ {words}", False)] if words else lines


def _open(width: float, height: float, label: str, *, wide: bool = False) -> str:
    size = f' class="wide" width="{width:g}" height="{height:g}"' if wide else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg"{size} viewBox="0 0 {width:g} {height:g}" role="img" '
        f'aria-label="{escape(label)}">'
    )


def _short(text: str, longest: int) -> str:
    return escape(text if len(text) <= longest else text[: longest - 1] + "…")
