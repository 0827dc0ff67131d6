"""What a subject of the conformal track was given, for the page of its cell: sets beside the probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.charts import Drawing, Scale
from assay.conformal.answer.answer import ConformalAnswer
from assay.conformal.problem.types import ConformalTask
from assay.core import Panel

__all__ = ["given"]

_SAMPLES, _CLASSES, _TASKS, _ROWS = 6, 10, 3, 6
_WIDTH, _STEP, _BAR, _LABEL = 210, 290, 15, 46
_BESIDE = 2  # samples in a row; on a phone the second is reached by scrolling


def given(task: ConformalTask, answer: ConformalAnswer | None) -> Mapping[str, Any]:
    """What is promised, the sizes of the tasks, and a few test samples: probabilities with the set in the answer."""
    names = task.task_names or tuple(f"task {place}" for place in range(len(task.classes)))
    parts: dict[str, Any] = {
        "share of errors that is allowed": task.alpha,
        "guarantee": task.guarantee,
        "calibration samples": task.calibration_samples,
        "test samples": task.test_samples,
    }
    if names:
        parts["tasks"] = [{"task": name, "classes": count} for name, count in zip(names, task.classes, strict=True)]
    if task.calibration_groups is not None:
        parts["groups"] = len(np.unique(task.calibration_groups))
    for place, name in list(enumerate(names))[:_TASKS]:
        parts[f"drawn {place}"] = _beside(name, task.test_probabilities[place], _sets(answer, place, task.test_samples))
    for numbers in task.numbers:
        bounds = {} if answer is None else answer.intervals.get(numbers.name, {})
        columns = {**numbers.test.parts, **{f"answered {end}": bounds[end] for end in ("low", "high") if end in bounds}}
        parts[f"{numbers.name}, first test samples"] = [
            {"sample": row, **{name: float(column[row]) for name, column in columns.items() if row < len(column)}}
            for row in range(min(_ROWS, len(numbers.test)))
        ]
    return parts


def _sets(answer: ConformalAnswer | None, task: int, samples: int) -> list[set[int]] | None:
    """The classes that the answer leaves possible in one task; of combinations those that are in any."""
    if answer is None:
        return None
    if answer.combinations is not None:
        sets = [
            set(entry["product"][task]) if isinstance(entry, dict) else {row[task] for row in entry}
            for entry in answer.combinations
        ]
    else:
        sets = [set(row) for row in answer.sets[task]] if task < len(answer.sets) else []
    return sets if len(sets) == samples else None


def _beside(name: str, probabilities: Any, sets: Sequence[set[int]] | None) -> Panel:
    """Samples from the smallest to the largest set, the likeliest classes first."""
    order = range(len(probabilities)) if sets is None else sorted(range(len(sets)), key=lambda row: len(sets[row]))
    places = np.unique(np.linspace(0, len(order) - 1, _SAMPLES).astype(int)).tolist()
    classes = min(_CLASSES, probabilities.shape[1])
    drawing = Drawing(f"Probabilities and sets of {name}", width=_STEP * _BESIDE)
    drawing.legend(0, (("series-1", "in the set"), ("series-2", "not in the set")), step=110, opacities=(1.0, 0.45))
    height = 34 + _BAR * classes
    numbers: list[tuple[int, int, float, bool | None]] = []
    for place, row in enumerate(order[at] for at in places):
        x, y = _STEP * (place % _BESIDE), 26 + height * (place // _BESIDE)
        size = "" if sets is None else f": {len(sets[row])} in the set"
        drawing.text(x, y + 14, f"sample {row}{size}", style="axis ink")
        length = Scale(0, 1, 0, _WIDTH - _LABEL)
        for down, label in enumerate(np.argsort(-probabilities[row], kind="stable")[:classes].tolist()):
            value, at = float(probabilities[row, label]), y + 20 + _BAR * down
            in_set = None if sets is None else label in sets[row]
            style, opacity = ("series-1", 1.0) if in_set else ("series-2", 0.45)
            drawing.text(x + _LABEL - 8, at + 11, f"{label}", "end")
            drawing.rect(style, x + _LABEL, at + 1, max(length(value), 1.5), _BAR - 3, opacity=opacity)
            drawing.text(x + _LABEL + length(value) + 6, at + 11, f"{value:.3f}")
            numbers.append((row, label, value, in_set))
    return Panel(
        title=f"{name}: sets against probabilities",
        svg=drawing.svg(26 + height * -(-len(places) // _BESIDE)),
        caption="Test samples with the probability of their likeliest classes, from the smallest to the largest set. "
        "Of combinations a class is in the set that is in any of them."
        if sets is not None
        else "Test samples at equal steps, with the probability of their likeliest classes; no sets are to be seen.",
        columns=("sample", "class", "probability", "in_set"),
        rows=tuple(numbers),
    )
