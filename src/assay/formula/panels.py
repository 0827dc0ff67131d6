"""The charts of the formula track: quality against noise, accuracy against size, and formulas beside the truth.

Of one answer alone also its curves against those of the truth.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import Any, NamedTuple

from assay.charts import Drawing, Mark, Scale, subject_marks
from assay.charts.drawing import shorten
from assay.core import Panel, Record
from assay.formula.equivalence.certificate import POSITIVE
from assay.formula.examine.curves import curves
from assay.formula.expression.typesetting import typeset_text
from assay.formula.metrics import pareto_front
from assay.formula.problem.given import given

__all__ = ["given", "panels"]

_MOST_PROBLEMS = 12
_LABEL = 24  # characters of a name


class _RecordParts(NamedTuple):
    """The parts of one record."""

    problem: str
    subject: str
    truth: str | None
    parts: Sequence[Mapping[str, Any]]


def panels(records: Sequence[Record]) -> tuple[Panel, ...]:
    """What the records' details show; a chart without anything to show is left out."""
    shown = [
        _RecordParts(record.problem, record.subject, _text(record.details.get("truth")), parts)
        for record in sorted(records, key=lambda record: (record.problem, record.subject, record.seed))
        if (parts := _parts(record))
    ]
    marks = subject_marks(record.subject for record in records)
    beside = curves(shown[0].parts[0], shown[0].truth, marks[shown[0].subject]) if len(shown) == 1 else None
    charts = (beside, _noise(shown, marks), _fronts(shown), _formulas(shown))
    return tuple(panel for panel in charts if panel is not None)


def _parts(record: Record) -> list[Mapping[str, Any]]:
    parts = record.details.get("parts")
    return [part for part in parts if isinstance(part, Mapping)] if isinstance(parts, list | tuple) else []


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _noise(records: Sequence[_RecordParts], marks: Mapping[str, Mark]) -> Panel | None:
    """A line per subject through its mean R² at each level."""
    curves: dict[str, dict[float, list[float]]] = {}
    for entry in records:
        if len(entry.parts) > 1:
            for part in entry.parts:
                quality = part.get("test_r2")
                # a model without a value is worth nothing here, not left out
                value = min(1.0, max(0.0, float(quality))) if isinstance(quality, int | float) else 0.0
                curves.setdefault(entry.subject, {}).setdefault(float(part["noise"]), []).append(value)
    if not curves:
        return None
    levels = sorted({level for curve in curves.values() for level in curve})
    left, top, width, height = 60.0, 16.0, 860.0, 240.0
    across, up = Scale(0, max(levels) or 1.0, left, width), Scale(0, 1, top + height, -height)
    drawing = Drawing("R² on noise-free test data by noise level", width=left + width + 260)
    title = "noise, share of the target's variance"
    drawing.x_axis(across, top + height, ticks=levels, label="{:.0%}".format, title=title)
    drawing.y_axis(up, left, ticks=(0, 0.5, 1))
    ends: list[tuple[float, str]] = []
    numbers: list[tuple[str, float, float]] = []
    for subject, curve in curves.items():
        means = [(level, sum(values) / len(values)) for level, values in sorted(curve.items())]
        points = [(across(level), up(mean)) for level, mean in means]
        drawing.line(f"line-{marks[subject].colour}", points)
        for (x, y), (level, mean) in zip(points, means, strict=True):
            words = f"{subject}: R² {mean:.3f} with {level:.0%} noise"
            drawing.mark(marks[subject], x, y, radius=4, title=words)
        numbers += [(subject, level, mean) for level, mean in means]
        ends.append((points[-1][1], subject))
    y = -math.inf
    for end, subject in sorted(ends):
        y = max(end + 4, y + 14)  # names of lines that end together stand below each other
        drawing.mark(marks[subject], left + width + 14, y - 4, radius=4)
        drawing.text(left + width + 24, y, subject, style="axis ink", longest=34, title=subject)
    return Panel(
        "Quality against noise",
        drawing.svg(max(top + height + 40, y + 8), plot=(left, left + width)),
        "Mean R² on noise-free test data of the formulas that were found at each noise level, over the problems about "
        "noise; below 0 and undefined count as 0. A flat line at the top is best.",
        columns=("subject", "noise", "mean_r2"),
        rows=tuple(numbers),
    )


def _fronts(records: Sequence[_RecordParts]) -> Panel | None:
    """A small plot per problem: all models by size and R², the joint Pareto front drawn through."""
    by_problem: dict[str, list[tuple[float, float, str, str]]] = {}
    for entry in records:
        for model in entry.parts[0].get("front", ()):
            if isinstance(model.get("r2"), int | float) and model.get("nodes"):
                by_problem.setdefault(entry.problem, []).append(
                    (float(model["nodes"]), max(0.0, float(model["r2"])), entry.subject, str(model["formula"]))
                )
    if not by_problem:
        return None
    columns, wide, tall = 4, 285.0, 180.0
    drawing = Drawing("R² against the number of nodes, problem by problem", width=20 + wide * columns)
    shown = list(by_problem.items())[:_MOST_PROBLEMS]
    for place, (problem, models) in enumerate(shown):
        left, top = 34 + wide * (place % columns), 22 + tall * (place // columns)
        _draw_front(drawing, problem, models, left, top, wide - 44, tall - 50)
    rows = -(-len(shown) // columns)
    more = f" The first {len(shown)} of {len(by_problem)} problems are shown." if len(by_problem) > len(shown) else ""
    return Panel(
        "Accuracy against size",
        drawing.svg(26 + tall * rows),
        "R² on test data (upwards, from 0 to 1) against the nodes of the formula (to the right, logarithmic), all "
        "models of all subjects. The line is the front of models that no other beats in both; point at a dot to read "
        "its formula." + more,
        columns=("problem", "subject", "nodes", "r2", "formula"),
        rows=tuple((problem, name, nodes, r2, text) for problem, models in shown for nodes, r2, name, text in models),
    )


def _draw_front(
    drawing: Drawing,
    problem: str,
    models: Sequence[tuple[float, float, str, str]],
    left: float,
    top: float,
    wide: float,
    tall: float,
) -> None:
    most = max(2.0, *(nodes for nodes, *_ in models))
    across, up = Scale(1, most, left, wide, log=True), Scale(0, 1, top + tall, -tall)
    drawing.text(left, top - 6, problem, longest=_LABEL)
    drawing.x_axis(across, top + tall, ticks=(1, most))
    drawing.y_axis(up, left, ticks=(0, 1))
    best = pareto_front([r2 for _, r2, *_ in models], [nodes for nodes, *_ in models])
    steps = [(across(models[index][0]), up(models[index][1])) for index in best]
    for (x, y), (further, higher) in pairwise(steps):
        drawing.line("line-1", ((x, y), (further, y), (further, higher)))
    for index, (nodes, r2, subject, formula) in enumerate(models):
        style, radius = ("series-1", 3.5) if index in best else ("series-2", 2.0)
        words = f"{subject}: {formula[:200]} (R² {r2:.4f}, {nodes:.0f} nodes)"
        drawing.dot(style, across(nodes), up(r2), radius=radius, title=words)


def _formulas(records: Sequence[_RecordParts]) -> Panel | None:
    """Problem by problem the truth, and below it what each subject found, with the verdict."""
    first: dict[str, dict[str, _RecordParts]] = {}
    for entry in records:
        first.setdefault(entry.problem, {}).setdefault(entry.subject, entry)
    if not first:
        return None
    groups: list[str] = []
    shown = list(first.items())[:_MOST_PROBLEMS]
    for problem, entries in shown:
        truth = next((entry.truth for entry in entries.values() if entry.truth), None)
        rows = [_row(problem, truth, "" if truth else "no known formula", "th")]
        for subject, entry in entries.items():
            model = entry.parts[0]
            formula = _text(model.get("simplified")) or str(model.get("formula"))
            rows.append(_row(subject, formula, str(model.get("verdict") or ""), "td"))
        groups.append(f"<tbody>{''.join(rows)}</tbody>")
    more = f" The first {len(shown)} of {len(first)} problems are shown." if len(first) > len(shown) else ""
    return Panel(
        "Formulas beside the truth",
        f'<table class="formulas">{"".join(groups)}</table>',
        "Each problem's true formula, and below it the simplified formula of every subject (from the table with the "
        "least noise) with the verdict; a dot marks a re-discovery. Numbers are rounded to four digits." + more,
        columns=("problem", "subject", "verdict", "formula", "truth"),
        rows=tuple(
            (problem, name, entry.parts[0].get("verdict"), str(entry.parts[0].get("formula")), entry.truth)
            for problem, entries in shown
            for name, entry in entries.items()
        ),
    )


def _row(name: str, formula: str | None, verdict: str, cell: str) -> str:
    """A name, a verdict and a formula as cells of a table; the truth's are those of a head."""
    mark = ' class="rediscovered"' if verdict in POSITIVE else ""
    return (
        f"<tr><{cell}>{escape(shorten(name, _LABEL))}</{cell}><td{mark}>{escape(verdict)}</td>"
        f"<td>{typeset_text(formula) if formula else ''}</td></tr>"
    )
