"""The charts of the insight track: which insight was found by whom, and in whose words the missed ones are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from assay.core import Panel, Record

__all__ = ["panels"]

_LABEL, _CELL, _ROW, _TOP = 470, 86, 20, 34
_MOST_ROWS = 60
_LONGEST = 64


def panels(records: Sequence[Record]) -> tuple[Panel, ...]:
    """Single-column coverage of every ground-truth insight, a column per subject."""
    subjects = sorted({record.subject for record in records})
    found: dict[tuple[str, str], dict[str, list[float]]] = {}
    for record in records:
        for insight in _columns(record.details).values():
            value = insight.get("single_column_predictive_coverage")
            if isinstance(value, int | float):
                row = found.setdefault((record.problem, str(insight.get("description", ""))), {})
                row.setdefault(record.subject, []).append(float(value))
    if not found or not subjects:
        return ()
    rows = sorted(found)
    cut = f" The first {_MOST_ROWS} of {len(rows)} are drawn." if len(rows) > _MOST_ROWS else ""
    return (
        Panel(
            title="Which insights were found",
            svg=_map({row: found[row] for row in rows[:_MOST_ROWS]}, subjects),
            caption="Per problem and ground-truth insight, in the experts' words, how well the subject's best single "
            "column predicts it (1 = entirely, 0 = not at all; mean over seeds). An empty cell: not scored." + cut,
        ),
    )


def _columns(details: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    columns = details.get("columns", {})
    return columns if isinstance(columns, Mapping) else {}


def _map(rows: Mapping[tuple[str, str], Mapping[str, Sequence[float]]], subjects: Sequence[str]) -> str:
    problems = list(dict.fromkeys(problem for problem, _ in rows))
    width = _LABEL + _CELL * len(subjects)
    height = _TOP + _ROW * (len(rows) + len(problems))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        'aria-label="Coverage of each insight by each subject">'
    ]
    for position, subject in enumerate(subjects):
        middle = _LABEL + _CELL * (position + 0.5)
        parts.append(f'<text class="axis" x="{middle:g}" y="16" text-anchor="middle">{_short(subject, 12)}</text>')
    y = _TOP
    for problem in problems:
        parts.append(f'<text class="axis" x="0" y="{y + 14}" font-weight="bold">{_short(problem, _LONGEST)}</text>')
        y += _ROW
        for (owner, words), values in rows.items():
            if owner != problem:
                continue
            parts.append(f'<text class="axis" x="10" y="{y + 14}">{_short(words, _LONGEST)}</text>')
            for position, subject in enumerate(subjects):
                parts.append(_cell(values.get(subject), _LABEL + _CELL * position, y))
            y += _ROW
    return "".join([*parts, "</svg>"])


def _cell(values: Sequence[float] | None, x: float, y: float) -> str:
    if not values:
        return ""
    mean = min(max(sum(values) / len(values), 0.0), 1.0)
    return (
        f'<rect class="series-1" x="{x + 2:g}" y="{y + 1}" width="{_CELL - 4}" height="{_ROW - 2}" '
        f'fill-opacity="{0.06 + 0.5 * mean:.3f}"></rect>'
        f'<text class="axis" x="{x + _CELL / 2:g}" y="{y + 14}" text-anchor="middle">{mean:.2f}</text>'
    )


def _short(text: str, longest: int) -> str:
    return escape(text if len(text) <= longest else text[: longest - 1] + "…")
