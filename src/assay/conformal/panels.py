"""The charts of the conformal track: coverage against what was promised, sizes, classes, and accuracy beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from math import log2
from typing import Any

import numpy as np

from assay.core import Panel, Record

__all__ = ["panels", "truth"]

_LEFT, _WIDTH, _ROW, _TOP = 230, 600, 22, 26
_LABEL = 32  # characters of a subject's name
_BESIDE, _LINE = 280, 17  # room for names beside a chart, and the height of one
_SMALLEST = 1e-4  # what a size of zero is drawn at


def panels(records: Sequence[Record]) -> tuple[Panel, ...]:
    """Coverage, size against coverage, classes, set sizes and accuracy, from the records that have an answer."""
    details = {
        subject: [record.details for record in records if record.subject == subject and "tasks" in record.details]
        for subject in sorted({record.subject for record in records})
    }
    there = {subject: entries for subject, entries in details.items() if entries}
    if not there:
        return ()
    problems = {record.problem: record.details for record in records if "tasks" in record.details}
    return (_coverage(there), _trade(there), _classes(there), _sizes(there), _accuracy(problems))


def truth(record: Record) -> str:
    """What a problem asks and how hard it is, in words."""
    details = record.details
    tasks: Any = details.get("tasks")
    if not tasks:
        return ""
    promised = "all tasks of a sample at once" if details["guarantee"] == "joint" else "each task by itself"
    named = "; ".join(
        f"{task['name']}: {task['classes']} classes"
        + ("" if task["low_level_accuracy"] is None else f", likeliest class right in {task['low_level_accuracy']:.1%}")
        for task in tasks
    )
    return (
        f"{details['samples']} labelled test samples; the true classes must be covered with probability "
        f"{details['nominal']:g}, {promised}. {named}."
    )


def _coverage(details: Mapping[str, Sequence[Mapping[str, Any]]]) -> Panel:
    """Per subject, by how much coverage exceeds or misses the promise, problem by problem, with its interval."""
    parts, row = [], 0
    lowest, highest = -0.05, 0.05
    rows: list[tuple[str, list[tuple[float, float, float]]]] = []
    for subject, entries in details.items():
        marks = []
        for entry in entries:
            joint = entry["guarantee"] == "joint"
            found = [entry["joint_coverage"]] if joint else [task["coverage"] for task in entry["tasks"]]
            for value, low, high in found:
                if value is not None:
                    marks.append((value - entry["nominal"], low - entry["nominal"], high - entry["nominal"]))
                    lowest, highest = min(lowest, low - entry["nominal"]), max(highest, high - entry["nominal"])
        rows.append((subject, marks))
    place = _scale(lowest, highest)
    for subject, marks in rows:
        y = _TOP + _ROW * row + _ROW / 2
        parts.append(_name(subject, y))
        for value, low, high in marks:
            style = "series-1" if high >= 0 else "series-2"
            parts.append(_bar(style, place(low), y - 0.5, max(place(high) - place(low), 1), 1))
            parts.append(_dot(style, place(value), y))
        row += 1
    parts = [_rule(place(0.0), _TOP, _ROW * row), *parts]
    parts.append(_text(place(0.0), 14, "as promised", "middle"))
    parts.append(_text(place(lowest), 14, f"{lowest:+.2f}", "start"))
    parts.append(_text(place(highest), 14, f"{highest:+.2f}", "end"))
    return Panel(
        "Coverage against what was promised",
        _svg(parts, _TOP + _ROW * row, "Coverage minus 1 - alpha by subject"),
        "Coverage minus 1 - alpha with exact 95 % intervals, a mark per task (or per problem where joint coverage is "
        "promised). The second colour marks intervals that lie wholly below the promise.",
    )


def _trade(details: Mapping[str, Sequence[Mapping[str, Any]]]) -> Panel:
    """Mean relative size against mean coverage, a dot per subject."""
    height = 240
    points = {}
    for subject, entries in details.items():
        joint = [entry for entry in entries if entry["guarantee"] == "joint"]
        shares = [entry["product_size"] / entry["full_product"] for entry in joint]
        covers = [entry["joint_coverage"][0] for entry in joint]
        shares += [
            float(np.mean([task["size"] / task["classes"] for task in entry["tasks"]]))
            for entry in entries
            if entry["guarantee"] != "joint"
        ]
        covers += [entry["mean_coverage"] for entry in entries if entry["guarantee"] != "joint"]
        points[subject] = (float(np.mean(covers)), float(np.mean(shares)))
    low = min(0.7, *(x for x, _ in points.values()))
    height = max(height, _TOP + 20 + _LINE * len(points))
    across = _scale(low, 1.0, _WIDTH - _BESIDE)
    # sizes are ratios: one that is halved is a step down, wherever it starts
    sizes = {subject: log2(max(y, _SMALLEST)) for subject, (_, y) in points.items()}
    bottom, top = min(sizes.values()), max(sizes.values())
    room = (height - _TOP - 40) / max(top - bottom, 1e-9)
    down = {subject: _TOP + 8 + room * (top - size) for subject, size in sizes.items()}
    parts = []
    # every name has a line of its own beside the chart, in the order of the dots, so that none hides another
    order = sorted(points, key=lambda subject: (round(down[subject]), -points[subject][0], subject))
    start = max(_TOP, (height - 20 + _TOP - _LINE * len(order)) / 2)
    beside = _LEFT + _WIDTH - _BESIDE
    for place, subject in enumerate(order):
        cover, share = points[subject]
        x, y, label = across(cover), down[subject], start + _LINE * (place + 0.5)
        parts.append(f'<path class="guide" d="M{x:.1f} {y:.1f}L{beside + 8:.1f} {label:.1f}h8"></path>')
        parts.append(_dot("series-1", x, y, f"{subject}: coverage {cover:.3f}, relative size {share:.3f}"))
        parts.append(_text(beside + 20, label + 4, f"{_short(subject)}  {cover:.3f}, {share:.3f}", "start"))
    parts.append(_bar("axis", _LEFT, height - 20, _WIDTH - _BESIDE, 1))
    parts += [_text(_LEFT, height - 4, f"{low:.2f}", "start"), _text(beside, height - 4, "1.00", "end")]
    parts.append(_text((_LEFT + beside) / 2, height - 4, "coverage", "middle"))
    parts.append(_text(_LEFT - 8, _TOP + 12, f"size {2**top:.2f}", "end"))
    if bottom < top:
        parts.append(_text(_LEFT - 8, _TOP + 12 + room * (top - bottom), f"{2**bottom:.2f}", "end"))
    return Panel(
        "Size against coverage",
        _svg(parts, height, "Relative set size against coverage by subject"),
        "Mean set size as a share of the classes (of their product where joint coverage is promised) against mean "
        "coverage; beside each name both numbers, sizes on a scale of ratios. Lower and further right is better; no "
        "method goes both ways for free.",
    )


def _classes(details: Mapping[str, Sequence[Mapping[str, Any]]]) -> Panel:
    """Per subject the coverage of every class of every task, as a strip of marks."""
    parts = []
    place = _scale(0.0, 1.0)
    for row, (subject, entries) in enumerate(details.items()):
        y = _TOP + _ROW * row + _ROW / 2
        parts.append(_name(subject, y))
        values = [v for entry in entries for task in entry["tasks"] for v in task["class_coverage"] if v is not None]
        parts += [_bar("series-1", place(value), y - 6, 1, 12) for value in values]
        if values:
            parts.append(_dot("series-2", place(min(values)), y))
    parts += [_text(place(0.0), 14, "0", "middle"), _text(place(1.0), 14, "1", "middle")]
    return Panel(
        "Coverage of each class",
        _svg(parts, _TOP + _ROW * len(details), "Class-conditional coverage by subject"),
        "A mark per class, task and problem; the dot is the class that is covered worst. Absent classes are left out.",
    )


def _sizes(details: Mapping[str, Sequence[Mapping[str, Any]]]) -> Panel:
    """Per subject the shares of sets with 0, 1, 2, 3 and more classes."""
    parts = []
    labels = ("empty", "1", "2", "3", "4+")
    step = _WIDTH / len(labels)
    for place, label in enumerate(labels):
        parts.append(_text(_LEFT + step * place + 4, 14, label, "start"))
    for row, (subject, entries) in enumerate(details.items()):
        y = _TOP + _ROW * row
        parts.append(_name(subject, y + _ROW / 2))
        counts = np.zeros(len(labels))
        for entry in entries:
            for task in entry["tasks"]:
                for size, count in enumerate(task["sizes"]):
                    counts[min(size, len(labels) - 1)] += count
        for place, share in enumerate(counts / max(counts.sum(), 1)):
            style = "series-2" if place == 0 else "series-1"
            tall = (_ROW - 4) * float(share)
            parts.append(_bar(style, _LEFT + step * place + 4, y + _ROW - 2 - tall, step - 72, tall))
            parts.append(_text(_LEFT + step * (place + 1) - 16, y + _ROW - 5, f"{float(share):.1%}", "end"))
    return Panel(
        "Set sizes",
        _svg(parts, _TOP + _ROW * len(details), "Histogram of set sizes by subject"),
        "The share of sets with so many classes, all tasks and problems pooled; empty sets, which are never right, in "
        "the second colour.",
    )


def _accuracy(problems: Mapping[str, Mapping[str, Any]]) -> Panel:
    """What the classifier alone reaches on each problem: it is the same for all subjects."""
    entries = sorted(problems.items())
    place = _scale(0.0, 1.0)
    parts = []
    for row, (problem, entry) in enumerate(entries):
        y = _TOP + _ROW * row + _ROW / 2
        parts.append(_name(problem, y))
        parts.append(f'<path class="guide" d="M{_LEFT} {y:.1f}h{_WIDTH}"></path>')
        for task in entry["tasks"]:
            if task["low_level_accuracy"] is not None:
                words = f"{task['name']}: {task['low_level_accuracy']:.3f}"
                parts.append(_dot("series-1", place(task["low_level_accuracy"]), y, words))
        if entry["high_level_accuracy"] is not None:
            words = f"all tasks: {entry['high_level_accuracy']:.3f}"
            parts.append(_dot("series-2", place(entry["high_level_accuracy"]), y, words))
    parts += [_text(place(0.0), 14, "0", "middle"), _text(place(1.0), 14, "1", "middle")]
    return Panel(
        "Accuracy before conformal prediction",
        _svg(parts, _TOP + _ROW * len(entries), "Accuracy of the likeliest class by problem"),
        "A row per problem: a dot per task for the accuracy of its likeliest class (low level), and in the second "
        "colour the share of samples with all tasks right (high level).",
    )


def _scale(low: float, high: float, width: float = _WIDTH) -> Callable[[float], float]:
    return lambda value: _LEFT + width * (value - low) / (high - low)


def _svg(parts: Sequence[str], height: float, label: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_LEFT + _WIDTH + 30} {height + 8:g}" role="img" '
        f'aria-label="{escape(label)}">' + "".join(parts) + "</svg>"
    )


def _short(text: str) -> str:
    return text if len(text) <= _LABEL else text[: _LABEL - 1] + "…"


def _name(text: str, y: float) -> str:
    return _text(_LEFT - 12, y + 4, _short(text), "end")


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text class="axis" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _bar(style: str, x: float, y: float, width: float, height: float) -> str:
    return f'<rect class="{style}" x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}"></rect>'


def _dot(style: str, x: float, y: float, words: str = "") -> str:
    title = f"<title>{escape(words)}</title>" if words else ""
    return f'<circle class="{style}" cx="{x:.2f}" cy="{y:.2f}" r="4">{title}</circle>'


def _rule(x: float, y: float, height: float) -> str:
    return _bar("axis", x - 0.5, y, 1, height)
