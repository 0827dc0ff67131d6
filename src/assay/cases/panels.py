"""The charts of the cases track: scores of right and wrong predictions, calibration, and an explanation to look at."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.cases.problem.given import given
from assay.charts import Drawing, Mark, Scale, subject_marks
from assay.charts.drawing import LEFT, WIDTH
from assay.core import Panel, Record
from assay.stats.shares import share_interval

__all__ = ["given", "panels", "truth"]

_HEIGHT, _TOP = 84, 22  # of a strip, and above the first
_SIDE, _APART, _ACROSS = 186, 46, 5  # of the calibration charts
_BINS = 10
_EXAMPLE_ROW = 20
_MOST_NEIGHBORS = 12


def panels(records: Sequence[Record]) -> tuple[Panel, ...]:
    """Score distributions and calibration, a strip and a square per subject; one explanation where one is recorded."""
    names = dict.fromkeys(record.subject for record in records)
    details = {name: [record.details for record in records if record.subject == name] for name in names}
    charts = [_distributions(details), _calibration(details), _example(records)]
    return tuple(panel for panel in charts if panel is not None)


def truth(record: Record) -> str:
    """What the labels say of the classifier, in words."""
    queries, wrong = record.details.get("queries"), record.details.get("wrong")
    if not isinstance(queries, int) or not isinstance(wrong, int):
        return ""
    return (
        f"Of {queries} predictions {wrong} are wrong and {queries - wrong} are right; which ones, a subject must tell."
    )


def _distributions(details: Mapping[str, Sequence[Mapping[str, Any]]]) -> Panel | None:
    counts = {subject: _pooled(entries) for subject, entries in details.items()}
    pooled = {subject: shares for subject, shares in counts.items() if shares is not None}
    if not pooled:
        return None
    return Panel(
        title="Scores of right and wrong predictions",
        svg=_strips(pooled),
        caption="Per subject, the share of right predictions (upwards) and of wrong ones (downwards) whose score "
        "lies at that place between the lowest and the highest score of its problem, all problems pooled. The "
        "further the two lie apart, the better the score tells them from each other.",
        columns=("subject", "from", "to", "share_of_right", "share_of_wrong"),
        rows=tuple(
            (subject, place / right.size, (place + 1) / right.size, float(right[place]), float(wrong[place]))
            for subject, (right, wrong) in pooled.items()
            for place in range(right.size)
        ),
    )


def _histograms(details: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Those with a range; constant scores have no place on an axis and are left out."""
    return [entry["histogram"] for entry in details if len(entry.get("histogram", {}).get("right", ())) > 1]


def _pooled(details: Sequence[Mapping[str, Any]]) -> tuple[np.ndarray, np.ndarray] | None:
    """Shares per relative bin of right and wrong predictions."""
    histograms = _histograms(details)
    if not histograms:
        return None
    right = np.sum([histogram["right"] for histogram in histograms], axis=0, dtype=np.float64)
    wrong = np.sum([histogram["wrong"] for histogram in histograms], axis=0, dtype=np.float64)
    if not right.sum() or not wrong.sum():
        return None
    return right / right.sum(), wrong / wrong.sum()


def _strips(counts: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> str:
    drawing = Drawing("Score distributions of right and wrong predictions")
    drawing.legend(LEFT, (("series-1", "right"), ("series-2", "wrong")), step=60)
    drawing.text(LEFT + WIDTH, 13, "low to high score", "end")
    largest = max(float(max(right.max(), wrong.max())) for right, wrong in counts.values())
    tall = Scale(0, largest, 0, _HEIGHT / 2 - 6)
    for position, (subject, (right, wrong)) in enumerate(counts.items()):
        middle = _TOP + _HEIGHT * position + _HEIGHT / 2
        drawing.name(middle, subject)
        step = WIDTH / len(right)
        for place, (up, down) in enumerate(zip(right, wrong, strict=True)):
            x = LEFT + step * place + 0.5
            drawing.rect("series-1", x, middle - tall(up), step - 1, tall(up))
            drawing.rect("series-2", x, middle, step - 1, tall(down))
        drawing.line("frame", ((LEFT, middle), (LEFT + WIDTH, middle)))
    return drawing.svg(_TOP + _HEIGHT * len(counts))


def _calibration(details: Mapping[str, Sequence[Mapping[str, Any]]]) -> Panel | None:
    """Of the scores that may be probabilities: how often predictions with such a score are right."""
    curves = {subject: _curve(entries) for subject, entries in details.items()}
    defined = {subject: curve for subject, curve in curves.items() if curve is not None}
    if not defined:
        return None
    rows = math.ceil(len(defined) / _ACROSS)
    drawing = Drawing("Calibration by subject", width=_ACROSS * (_SIDE + _APART) + 12)
    marks = subject_marks(details)
    for place, (subject, (right, total)) in enumerate(defined.items()):
        left, top = (_SIDE + _APART) * (place % _ACROSS) + 32, (_SIDE + 60) * (place // _ACROSS) + 24
        _draw_square(drawing, subject, marks[subject], right, total, left, top)
    return Panel(
        title="Calibration",
        svg=drawing.svg(rows * (_SIDE + 60)),
        caption="For scores between 0 and 1, read as the probability of being right: the share of right predictions "
        "among those with such a score, with 95 % Wilson intervals, all problems pooled. On the dashed line a score "
        "says what happens. Scores on another scale are not drawn.",
        columns=("subject", "score", "right", "predictions", "share_right", "low", "high"),
        rows=tuple(
            (subject, (place + 0.5) / _BINS, int(hits), int(count), *share_interval(int(hits), int(count)))
            for subject, (right, total) in defined.items()
            for place, (hits, count) in enumerate(zip(right.tolist(), total.tolist(), strict=True))
            if count
        ),
    )


def _curve(details: Sequence[Mapping[str, Any]]) -> tuple[np.ndarray, np.ndarray] | None:
    """Right predictions and all of them, per tenth of the scale; histograms beyond 0 to 1 are left out."""
    right, total = np.zeros(_BINS), np.zeros(_BINS)
    for histogram in _histograms(details):
        edges = np.asarray(histogram["edges"], dtype=np.float64)
        if edges[0] < 0 or edges[-1] > 1 or edges[0] == edges[-1]:
            continue
        middles = (edges[:-1] + edges[1:]) / 2
        bins = np.minimum((middles * _BINS).astype(int), _BINS - 1)
        np.add.at(right, bins, np.asarray(histogram["right"], dtype=np.float64))
        np.add.at(total, bins, np.asarray(histogram["right"], dtype=np.float64) + np.asarray(histogram["wrong"]))
    return (right, total) if total.any() else None


def _draw_square(
    drawing: Drawing, subject: str, mark: Mark, right: np.ndarray, total: np.ndarray, left: float, top: float
) -> None:
    across, up = Scale(0, 1, left, _SIDE), Scale(0, 1, top + _SIDE, -_SIDE)
    drawing.rect("ground", left, top, _SIDE, _SIDE)
    drawing.line("guide-strong", ((across(0), up(0)), (across(1), up(1))))
    drawing.text(left, top - 8, subject, longest=26)
    drawing.x_axis(across, top + _SIDE, ticks=(0, 0.5, 1), title="score")
    drawing.y_axis(up, left, ticks=(0, 0.5, 1))
    points = []
    for position, (hits, count) in enumerate(zip(right, total, strict=True)):
        if not count:
            continue
        score, share = (position + 0.5) / _BINS, float(hits / count)
        x = across(score)
        _, low, high = share_interval(int(hits), int(count))
        words = f"{int(hits)} of {int(count)} right with a score of about {score:.2f}"
        points.append((x, up(share)))
        drawing.line(f"line-{mark.colour}", ((x, up(low)), (x, up(high))))
        drawing.mark(mark, *points[-1], title=f"{subject}: {words}")
    drawing.line(f"line-{mark.colour}", points)


def _example(records: Sequence[Record]) -> Panel | None:
    """One wrong prediction with the cases that a subject named: what its reader would see."""
    for record in records:
        example: Any = record.details.get("example")
        if isinstance(example, Mapping) and example.get("neighbors"):
            return Panel(
                title="An example explanation",
                svg=_explained(record, example),
                caption="One query as a subject explains it: the training cases it names, nearest first, those of "
                "the predicted class in the first colour, others in the second; where distances are recorded, the "
                "longer the bar the farther away. The correspondence is recomputed from the named cases.",
                columns=("case", "label", "distance"),
                rows=tuple(
                    (str(entry.get("case")), str(entry.get("label")), entry.get("distance"))
                    for entry in example["neighbors"]
                ),
            )
    return None


def _explained(record: Record, example: Mapping[str, Any]) -> str:
    neighbors = list(example["neighbors"])[:_MOST_NEIGHBORS]
    distances = [float(entry["distance"]) for entry in neighbors if "distance" in entry]
    length = Scale(0, max([*distances, 1e-12]), 0, WIDTH - 80)
    verdict = "wrong" if example.get("wrong") else "right"
    query = f"{record.subject} on {record.problem}, query {example.get('query')}"
    drawing = Drawing("An example explanation")
    drawing.text(0, 16, f"{query}: predicted {example.get('predicted')}", style="axis ink", longest=118)
    drawing.text(
        0,
        36,
        f"The prediction is {verdict}; score {_number(example, 'score')}, "
        f"correspondence {_number(example, 'correspondence')}",
    )
    for place, entry in enumerate(neighbors):
        y = 50 + _EXAMPLE_ROW * place
        same = entry.get("label") == example.get("predicted")
        distance = float(entry["distance"]) if "distance" in entry else None
        width = max(length.length / 4 if distance is None else length(distance), 2)
        drawing.name(y + 9, f"case {entry.get('case')}: {entry.get('label')}")
        drawing.rect("series-1" if same else "series-2", LEFT, y + 2, width, _EXAMPLE_ROW - 6)
        drawing.text(LEFT + width + 6, y + 13, "" if distance is None else f"{distance:.3f}")
    return drawing.svg(62 + _EXAMPLE_ROW * len(neighbors))


def _number(example: Mapping[str, Any], name: str) -> str:
    value = example.get(name)
    return f"{value:.3f}" if isinstance(value, int | float) else "not given"
