"""The charts of the formula track: quality against noise, accuracy against size, and formulas beside the truth."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import Any, NamedTuple

from assay.core import InvalidInput, Panel, Record
from assay.formula.equivalence.certificate import POSITIVE
from assay.formula.expression.parser import parse
from assay.formula.expression.typeset import draw, lay_out
from assay.formula.metrics import pareto_front

__all__ = ["panels"]

_STYLES = ("series-1", "series-2", "series-3")
_MOST_PROBLEMS = 12
_MOST_NODES = 60  # a larger formula is not read but counted
_LABEL = 24


class _Found(NamedTuple):
    """The parts of one record."""

    problem: str
    subject: str
    truth: str | None
    parts: Sequence[Mapping[str, Any]]


def panels(records: Sequence[Record]) -> tuple[Panel, ...]:
    """What the records' details show; a chart without anything to show is left out."""
    found = [
        _Found(record.problem, record.subject, _text(record.details.get("truth")), parts)
        for record in sorted(records, key=lambda record: (record.problem, record.subject, record.seed))
        if (parts := _parts(record))
    ]
    drawn = (_noise(found), _fronts(found), _formulas(found))
    return tuple(panel for panel in drawn if panel is not None)


def _parts(record: Record) -> list[Mapping[str, Any]]:
    parts = record.details.get("parts")
    return [part for part in parts if isinstance(part, Mapping)] if isinstance(parts, list | tuple) else []


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _noise(found: Sequence[_Found]) -> Panel | None:
    """A line per subject through its mean R² at each level."""
    curves: dict[str, dict[float, list[float]]] = {}
    for entry in found:
        if len(entry.parts) > 1:
            for part in entry.parts:
                quality = part.get("test_r2")
                # a model without a value is worth nothing here, not left out
                value = min(1.0, max(0.0, float(quality))) if isinstance(quality, int | float) else 0.0
                curves.setdefault(entry.subject, {}).setdefault(float(part["noise"]), []).append(value)
    if not curves:
        return None
    levels = sorted({level for curve in curves.values() for level in curve})
    left, top, width, height = 60.0, 16.0, 380.0, 220.0
    most = max(levels) or 1.0
    marks = [
        _line("axis", left, top + height, left + width, top + height, 1),
        _line("axis", left, top, left, top + height, 1),
    ]
    marks += [_label(left + width * level / most, top + height + 16, f"{level:.0%}", "middle") for level in levels]
    marks += [_label(left - 6, top + height * (1 - tick) + 4, f"{tick:g}", "end") for tick in (0, 0.5, 1)]
    marks.append(_label(left + width / 2, top + height + 32, "noise, share of the target's variance", "middle"))
    ends: list[tuple[float, str, str]] = []
    for place, (subject, curve) in enumerate(curves.items()):
        style = _STYLES[place % len(_STYLES)]
        points = [
            (left + width * level / most, top + height * (1 - sum(values) / len(values)))
            for level, values in sorted(curve.items())
        ]
        marks += [_line(style, *a, *b, 1.5) for a, b in pairwise(points)]
        marks += [_dot(style, x, y, 3, f"{subject}: R² {1 - (y - top) / height:.3f}") for x, y in points]
        ends.append((points[-1][1], subject, style))
    y = -math.inf
    for wanted, subject, style in sorted(ends):
        y = max(wanted + 4, y + 14)  # names of lines that end together stand below each other
        marks += [_dot(style, left + width + 12, y - 4, 3), _label(left + width + 20, y, _short(subject), "start")]
    return Panel(
        "Quality against noise",
        _svg(marks, left + width + 190, max(top + height + 40, y + 8), "R² on noise-free test data by noise level"),
        "Mean R² on noise-free test data of the formulas that were found at each noise level, over the problems about "
        "noise; below 0 and undefined count as 0. A flat line at the top is best.",
    )


def _fronts(found: Sequence[_Found]) -> Panel | None:
    """A small plot per problem: all models by size and R², the joint Pareto front drawn through."""
    by_problem: dict[str, list[tuple[float, float, str, str]]] = {}
    for entry in found:
        for model in entry.parts[0].get("front", ()):
            if isinstance(model.get("r2"), int | float) and model.get("nodes"):
                by_problem.setdefault(entry.problem, []).append(
                    (float(model["nodes"]), max(0.0, float(model["r2"])), entry.subject, str(model["formula"]))
                )
    if not by_problem:
        return None
    columns, wide, tall = 3, 210.0, 150.0
    marks: list[str] = []
    shown = list(by_problem.items())[:_MOST_PROBLEMS]
    for place, (problem, models) in enumerate(shown):
        left, top = 34 + wide * (place % columns), 22 + tall * (place // columns)
        marks += _front(problem, models, left, top, wide - 44, tall - 50)
    rows = -(-len(shown) // columns)
    more = f" The first {len(shown)} of {len(by_problem)} problems are shown." if len(by_problem) > len(shown) else ""
    return Panel(
        "Accuracy against size",
        _svg(marks, 20 + wide * columns, 26 + tall * rows, "R² against the number of nodes, problem by problem"),
        "R² on test data (upwards, from 0 to 1) against the nodes of the formula (to the right, logarithmic), all "
        "models of all subjects. The line is the front of models that no other beats in both; point at a dot to read "
        "its formula." + more,
    )


def _front(
    problem: str, models: Sequence[tuple[float, float, str, str]], left: float, top: float, wide: float, tall: float
) -> list[str]:
    most = max(2.0, *(nodes for nodes, *_ in models))

    def place(nodes: float, r2: float) -> tuple[float, float]:
        return left + wide * math.log(nodes) / math.log(most), top + tall * (1 - r2)

    best = pareto_front([r2 for _, r2, *_ in models], [nodes for nodes, *_ in models])
    marks = [_label(left, top - 6, _short(problem), "start")]
    marks += [
        _line("axis", left, top + tall, left + wide, top + tall, 1),
        _line("axis", left, top, left, top + tall, 1),
    ]
    marks += [
        _label(left, top + tall + 14, "1", "middle"),
        _label(left + wide, top + tall + 14, f"{most:.0f}", "middle"),
    ]
    steps = [place(models[index][0], models[index][1]) for index in best]
    for (x, y), (further, higher) in pairwise(steps):
        marks += [_line("series-1", x, y, further, y, 1), _line("series-1", further, y, further, higher, 1)]
    for index, (nodes, r2, subject, formula) in enumerate(models):
        style, radius = ("series-1", 3.5) if index in best else ("series-2", 2.0)
        marks.append(
            _dot(style, *place(nodes, r2), radius, f"{subject}: {formula[:200]} (R² {r2:.4f}, {nodes:.0f} nodes)")
        )
    return marks


def _formulas(found: Sequence[_Found]) -> Panel | None:
    """Problem by problem the truth, and below it what each subject found, with the verdict."""
    first: dict[str, dict[str, _Found]] = {}
    for entry in found:
        first.setdefault(entry.problem, {}).setdefault(entry.subject, entry)
    marks: list[str] = []
    left, across, y = 196.0, 560.0, 6.0
    shown = list(first.items())[:_MOST_PROBLEMS]
    for problem, entries in shown:
        truth = next((entry.truth for entry in entries.values() if entry.truth), None)
        marks.append(_line("axis", 4, y, left + across + 110, y, 0.6))
        rows: list[tuple[str, str | None, str]] = [(problem, truth, "" if truth else "no known formula")]
        for subject, entry in entries.items():
            model = entry.parts[0]
            rows.append((f"  {subject}", _text(model.get("simplified")) or str(model.get("formula")), _verdict(model)))
        for place, (label, formula, verdict) in enumerate(rows):
            drawn, above, below = _fitted(formula, across)
            y += max(above, 14) + 5
            marks.append(_label(8 if place == 0 else 20, y, _short(label.strip()), "start"))
            marks.append(f'<g transform="translate({left:g} {y:.1f})">{drawn}</g>')
            style = "series-1" if verdict in POSITIVE else "axis"
            marks.append(_label(left + across + 8, y, verdict, "start"))
            if verdict in POSITIVE:
                marks.append(_dot(style, left + across + 2, y - 4, 3))
            y += max(below, 4) + 3
        y += 8
    if not marks:
        return None
    more = f" The first {len(shown)} of {len(first)} problems are shown." if len(first) > len(shown) else ""
    return Panel(
        "Formulas beside the truth",
        _svg(marks, left + across + 120, y + 4, "The true formula of each problem and those that were found"),
        "Each problem's true formula, and below it the simplified formula of every subject (from the table with the "
        "least noise) with the verdict; a dot marks a re-discovery. Numbers are rounded to four digits." + more,
    )


def _verdict(model: Mapping[str, Any]) -> str:
    return str(model.get("verdict") or "")


def _fitted(text: str | None, across: float) -> tuple[str, float, float]:
    """The formula at the largest size that fits, else its beginning as plain text."""
    if text is None:
        return "", 0.0, 0.0
    try:
        tree = parse(text, dialect="plain")
    except InvalidInput:
        tree = None
    if tree is not None and tree.nodes <= _MOST_NODES:
        for size in (16.0, 13.0, 10.5):
            box = lay_out(tree, size)
            if box.width <= across:
                return draw(box, 0.0, 0.0), box.above, box.below
    room = int(across / 7.2)
    size_note = "" if tree is None else f"  ({tree.nodes} nodes)"
    kept = text if len(text) + len(size_note) <= room else text[: room - len(size_note) - 1] + "…"
    return _label(0.0, 0.0, kept + size_note, "start"), 10.0, 3.0


def _svg(marks: Iterable[str], width: float, height: float, label: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:.1f}" role="img" '
        f'aria-label="{escape(label)}">' + "".join(marks) + "</svg>"
    )


def _label(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text class="axis" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _dot(style: str, x: float, y: float, radius: float, said: str = "") -> str:
    title = f"<title>{escape(said)}</title>" if said else ""
    return f'<circle class="{style}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}">{title}</circle>'


def _line(style: str, x1: float, y1: float, x2: float, y2: float, width: float) -> str:
    """As a filled shape: the report's classes colour areas, not strokes."""
    length = math.hypot(x2 - x1, y2 - y1) or 1.0
    dx, dy = (y2 - y1) / length * width / 2, (x1 - x2) / length * width / 2
    corners = ((x1 + dx, y1 + dy), (x2 + dx, y2 + dy), (x2 - dx, y2 - dy), (x1 - dx, y1 - dy))
    return f'<polygon class="{style}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in corners)}"></polygon>'


def _short(text: str) -> str:
    return text if len(text) <= _LABEL else text[: _LABEL - 1] + "…"
