"""The charts of the conformal track: coverage against what was promised, sizes, classes, and accuracy beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.charts import Drawing, Scale, subject_marks
from assay.charts.drawing import LEFT, WIDTH, shorten
from assay.conformal.problem.given import given
from assay.core import Panel, Record
from assay.core.display import counted

__all__ = ["given", "panels", "truth"]

_ROW, _TOP, _FOOT = 22, 26, 24  # heights of a row, of what stands above the first, and of the axis below the last
_BESIDE, _LINE = 280, 17  # room for names beside a chart, and the height of one
_WIDEST = 1.5  # relative width that is drawn
_SMALLEST = 1e-4  # what a size of zero is drawn at


def panels(records: Sequence[Record]) -> tuple[Panel, ...]:
    """Coverage, size against coverage, classes, set sizes and accuracy, from the records that have an answer."""
    details = {
        subject: [record.details for record in records if record.subject == subject and "tasks" in record.details]
        for subject in dict.fromkeys(record.subject for record in records)
    }
    there = {subject: entries for subject, entries in details.items() if entries}
    if not there:
        return ()
    with_sets = {
        s: [e for e in entries if e["tasks"]] for s, entries in there.items() if any(e["tasks"] for e in entries)
    }
    numbers = {s: [e for e in entries if "intervals" in e] for s, entries in there.items()}
    numbers = {subject: entries for subject, entries in numbers.items() if entries}
    charts = [_coverage(there)]
    if with_sets:
        charts += [_trade(with_sets), _classes(with_sets), _sizes(with_sets)]
    if numbers:
        charts.append(_widths(numbers))
    if with_sets:
        problems = {record.problem: record.details for record in records if record.details.get("tasks")}
        charts.append(_accuracy(problems))
    return tuple(charts)


def truth(record: Record) -> str:
    """What a problem asks and how hard it is, in words."""
    details = record.details
    tasks: Any = details.get("tasks")
    intervals: Any = details.get("intervals", ())
    if not tasks and not intervals:
        return ""
    promised = "all tasks of a sample at once" if details["guarantee"] == "joint" else "each task by itself"
    named = "; ".join(
        f"{task['name']}: {counted(task['classes'], 'class')}"
        + ("" if task["low_level_accuracy"] is None else f", likeliest class right in {task['low_level_accuracy']:.1%}")
        for task in tasks
    )
    if intervals:
        errors = [
            f"{task['name']}: numbers, mean absolute error {task['mean_absolute_error']:.4g}" for task in intervals
        ]
        return (
            f"Classes and numbers must be covered with probability {details['nominal']:g}, {promised}. "
            f"{'; '.join(filter(None, [named, *errors]))}."
        )
    return (
        f"{details['samples']} labelled test samples; the true classes must be covered with probability "
        f"{details['nominal']:g}, {promised}. {named}."
    )


def _coverage(details: Mapping[str, Sequence[Mapping[str, Any]]]) -> Panel:
    """Per subject, by how much coverage exceeds or misses the promise, problem by problem, with its interval."""
    marks: list[tuple[float, str, tuple[float, float, float]]] = []
    drawing = Drawing("Coverage minus 1 - alpha by subject")
    for row, (subject, entries) in enumerate(details.items()):
        y = _TOP + _ROW * row + _ROW / 2
        drawing.name(y, subject)
        for entry in entries:
            joint = entry["guarantee"] == "joint"
            tasks = [*entry["tasks"], *entry.get("intervals", ())]
            intervals = [entry["joint_coverage"]] if joint else [task["coverage"] for task in tasks]
            for value, low, high in intervals:
                if value is not None:
                    nominal = entry["nominal"]
                    marks.append((y, subject, (value - nominal, low - nominal, high - nominal)))
    lowest = min([-0.05, *(low for *_, (_, low, _) in marks)])
    highest = max([0.05, *(high for *_, (_, _, high) in marks)])
    place = Scale(lowest, highest, LEFT, WIDTH)
    bottom = _TOP + _ROW * len(details)
    drawing.x_axis(place, bottom, label="{:+g}".format, top=_TOP)
    drawing.line("frame", ((place(0), _TOP), (place(0), bottom)))
    drawing.text(place(0), 14, "as promised", "middle")
    for y, subject, (value, low, high) in marks:
        colour = 1 if high >= 0 else 2
        words = f"{subject}: {value:+.3f} [{low:+.3f}, {high:+.3f}]"
        drawing.interval(colour, (place(low), y), (place(value), y), (place(high), y), title=words)
    return Panel(
        "Coverage against what was promised",
        drawing.svg(bottom + _FOOT),
        "Coverage minus 1 - alpha with exact 95 % intervals, a mark per task (or per problem where joint coverage is "
        "promised). The second colour marks intervals that lie wholly below the promise.",
        columns=("subject", "coverage_minus_promise", "low", "high"),
        rows=tuple((subject, *interval) for _, subject, interval in marks),
    )


def _trade(details: Mapping[str, Sequence[Mapping[str, Any]]]) -> Panel:
    """Mean relative size against mean coverage, a dot per subject."""
    points = {subject: _cover_and_size(entries) for subject, entries in details.items()}
    sizes = {subject: max(size, _SMALLEST) for subject, (_, size) in points.items()}
    marks = subject_marks(points)
    height = max(240, _TOP + 20 + _LINE * len(points))
    beside = LEFT + WIDTH - _BESIDE
    across = Scale(min([0.7, *(cover for cover, _ in points.values())]), 1.0, LEFT, WIDTH - _BESIDE)
    # sizes are ratios: one that is halved is a step down, wherever it starts
    smallest, largest = min(sizes.values()), max(sizes.values())
    up = Scale(smallest / 1.1, largest * 1.1, height - 20, _TOP + 20 - height, log=True)
    drawing = Drawing("Relative set size against coverage by subject")
    drawing.x_axis(across, height - 20, label="{:.2f}".format, title="coverage")
    drawing.y_axis(up, LEFT, ticks=up.ticks() or [largest], label="{:.2g}".format, title="relative size")
    # every name has a line of its own beside the chart, in the order of the dots, so that none hides another
    order = sorted(points, key=lambda subject: (round(up(sizes[subject])), -points[subject][0], subject))
    start = max(_TOP, (height - 20 + _TOP - _LINE * len(order)) / 2)
    for place, subject in enumerate(order):
        cover, share = points[subject]
        x, y, label = across(cover), up(sizes[subject]), start + _LINE * (place + 0.5)
        drawing.line("guide", ((x, y), (beside + 8, label), (beside + 16, label)))
        words = f"{subject}: coverage {cover:.3f}, relative size {share:.3f}"
        drawing.mark(marks[subject], x, y, title=words)
        drawing.mark(marks[subject], beside + 22, label, radius=4)
        drawing.text(beside + 32, label + 4, f"{shorten(subject, 32)}  {cover:.3f}, {share:.3f}")
    return Panel(
        "Size against coverage",
        drawing.svg(height + 20),
        "Mean set size as a share of the classes (of their product where joint coverage is promised) against mean "
        "coverage; beside each name both numbers, sizes on a scale of ratios. Lower and further right is better; no "
        "method goes both ways for free.",
        columns=("subject", "coverage", "relative_size"),
        rows=tuple((subject, *both) for subject, both in points.items()),
    )


def _cover_and_size(entries: Sequence[Mapping[str, Any]]) -> tuple[float, float]:
    """Mean coverage and mean relative size over problems, those of the joint sets where these are promised."""
    covers, shares = [], []
    for entry in entries:
        if entry["guarantee"] == "joint":
            covers.append(entry["joint_coverage"][0])
            shares.append(entry["product_size"] / entry["full_product"])
        else:
            covers.append(entry["mean_coverage"])
            shares.append(float(np.mean([task["size"] / task["classes"] for task in entry["tasks"]])))
    return float(np.mean(covers)), float(np.mean(shares))


def _classes(details: Mapping[str, Sequence[Mapping[str, Any]]]) -> Panel:
    """Per subject the coverage of every class of every task, as a strip of marks."""
    drawing = Drawing("Class-conditional coverage by subject")
    place = Scale(0.0, 1.0, LEFT, WIDTH)
    bottom = 4 + _ROW * len(details)
    drawing.x_axis(place, bottom, top=4)
    for row, (subject, entries) in enumerate(details.items()):
        y = 4 + _ROW * row + _ROW / 2
        drawing.name(y, subject)
        values = [v for entry in entries for task in entry["tasks"] for v in task["class_coverage"] if v is not None]
        for value in values:
            drawing.rect("series-1", place(value), y - 6, 1, 12)
        if values:
            drawing.dot("series-2", place(min(values)), y, title=f"{min(values):.3f}")
    return Panel(
        "Coverage of each class",
        drawing.svg(bottom + _FOOT),
        "A mark per class, task and problem; the dot is the class that is covered worst. Absent classes are left out.",
        columns=("subject", "task", "class", "coverage"),
        rows=tuple(
            (subject, task["name"], place, value)
            for subject, entries in details.items()
            for entry in entries
            for task in entry["tasks"]
            for place, value in enumerate(task["class_coverage"])
            if value is not None
        ),
    )


def _sizes(details: Mapping[str, Sequence[Mapping[str, Any]]]) -> Panel:
    """Per subject the shares of sets with 0, 1, 2, 3 and more classes."""
    drawing = Drawing("Histogram of set sizes by subject")
    labels = ("empty", "1", "2", "3", "4+")
    numbers: list[tuple[str, str, float]] = []
    step = WIDTH / len(labels)
    for place, label in enumerate(labels):
        drawing.text(LEFT + step * place + 4, 14, label)
    for row, (subject, entries) in enumerate(details.items()):
        y = _TOP + _ROW * row
        drawing.name(y + _ROW / 2, subject)
        counts = np.zeros(len(labels))
        for entry in entries:
            for task in entry["tasks"]:
                for size, count in enumerate(task["sizes"]):
                    counts[min(size, len(labels) - 1)] += count
        for place, share in enumerate((counts / max(counts.sum(), 1)).tolist()):
            tall, x = (_ROW - 4) * share, LEFT + step * place
            drawing.rect("series-2" if place == 0 else "series-1", x + 4, y + _ROW - 2 - tall, step - 72, tall)
            drawing.text(x + step - 16, y + _ROW - 5, f"{share:.1%}", "end")
            numbers.append((subject, labels[place], share))
    return Panel(
        "Set sizes",
        drawing.svg(_TOP + _ROW * len(details) + 8),
        "The share of sets with so many classes, all tasks and problems pooled; empty sets, which are never right, in "
        "the second colour.",
        columns=("subject", "classes_in_set", "share_of_sets"),
        rows=tuple(numbers),
    )


def _widths(details: Mapping[str, Sequence[Mapping[str, Any]]]) -> Panel:
    """Per subject the relative width of every task of numbers; what is wider than without a model stands at the end."""
    drawing = Drawing("Relative width of intervals by subject")
    place = Scale(0.0, _WIDEST, LEFT, WIDTH)
    bottom = 4 + _ROW * len(details)
    drawing.x_axis(place, bottom, top=4)
    drawing.line("frame", ((place(1.0), 4), (place(1.0), bottom)))
    for row, (subject, entries) in enumerate(details.items()):
        y = 4 + _ROW * row + _ROW / 2
        drawing.name(y, subject)
        for task in [task for entry in entries for task in entry["intervals"]]:
            share = task["relative_width"]
            wide = not isinstance(share, float | int) or share > _WIDEST  # infinite ones are stored as text
            title = f"{task['name']}: {'wider than shown' if wide else f'{share:.3f}'}"
            drawing.dot("series-2" if wide else "series-1", place(_WIDEST if wide else share), y, title=title)
    return Panel(
        "Widths of intervals",
        drawing.svg(bottom + _FOOT),
        "A dot per task of numbers and problem: the mean width over that of the interval that needs no model, at the "
        "same level; the line marks 1. In the second colour those that are wider than the chart.",
        columns=("subject", "task", "relative_width"),
        rows=tuple(
            (subject, task["name"], task["relative_width"])
            for subject, entries in details.items()
            for entry in entries
            for task in entry["intervals"]
        ),
    )


def _accuracy(problems: Mapping[str, Mapping[str, Any]]) -> Panel:
    """What the classifier alone reaches on each problem: it is the same for all subjects."""
    drawing = Drawing("Accuracy of the likeliest class by problem")
    place = Scale(0.0, 1.0, LEFT, WIDTH)
    bottom = 4 + _ROW * len(problems)
    drawing.x_axis(place, bottom, top=4)
    for row, (problem, entry) in enumerate(sorted(problems.items())):
        y = 4 + _ROW * row + _ROW / 2
        drawing.name(y, problem)
        drawing.line("guide", ((LEFT, y), (LEFT + WIDTH, y)))
        for task in entry["tasks"]:
            accuracy = task["low_level_accuracy"]
            if accuracy is not None:
                drawing.dot("series-1", place(accuracy), y, title=f"{task['name']}: {accuracy:.3f}")
        if entry["high_level_accuracy"] is not None:
            accuracy = entry["high_level_accuracy"]
            drawing.dot("series-2", place(accuracy), y, title=f"all tasks: {accuracy:.3f}")
    return Panel(
        "Accuracy before conformal prediction",
        drawing.svg(bottom + _FOOT),
        "A row per problem: a dot per task for the accuracy of its likeliest class (low level), and in the second "
        "colour the share of samples with all tasks right (high level).",
        columns=("problem", "task", "accuracy"),
        rows=tuple(
            (problem, name, accuracy)
            for problem, entry in sorted(problems.items())
            for name, accuracy in (
                *((task["name"], task["low_level_accuracy"]) for task in entry["tasks"]),
                ("all tasks", entry["high_level_accuracy"]),
            )
            if accuracy is not None
        ),
    )
