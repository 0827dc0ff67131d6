"""The charts of the cases track: scores of right and wrong predictions, calibration, and an explanation to look at."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from assay.core import Panel, Record

__all__ = ["panels", "truth"]

_WIDTH, _HEIGHT, _LEFT, _TOP = 600, 84, 230, 22
_SIDE, _APART, _ACROSS = 170, 42, 4  # of the calibration charts
_BINS = 10
_Z = 1.959963984540054  # of 95 % intervals
_EXAMPLE_ROW = 20
_MOST_NEIGHBORS = 12


def panels(records: Sequence[Record]) -> tuple[Panel, ...]:
    """Score distributions and calibration, a strip and a square per subject; one explanation where one is recorded."""
    names = sorted({record.subject for record in records})
    details = {name: [record.details for record in records if record.subject == name] for name in names}
    found = [_distributions(details), _calibration(details), _example(records)]
    return tuple(panel for panel in found if panel is not None)


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
    drawn = {subject: found for subject, found in counts.items() if found is not None}
    if not drawn:
        return None
    return Panel(
        title="Scores of right and wrong predictions",
        svg=_strips(drawn),
        caption="Per subject, the share of right predictions (upwards) and of wrong ones (downwards) whose score "
        "lies at that place between the lowest and the highest score of its problem, all problems pooled. The "
        "further the two lie apart, the better the score tells them from each other.",
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
    height = _TOP + _HEIGHT * len(counts)
    largest = max(float(max(right.max(), wrong.max())) for right, wrong in counts.values())
    parts = [
        _open(_LEFT + _WIDTH + 20, height, "Score distributions of right and wrong predictions"),
        f'<rect class="series-1" x="{_LEFT}" y="4" width="10" height="10"></rect>',
        f'<text class="axis" x="{_LEFT + 14}" y="13">right</text>',
        f'<rect class="series-2" x="{_LEFT + 60}" y="4" width="10" height="10"></rect>',
        f'<text class="axis" x="{_LEFT + 74}" y="13">wrong</text>',
        f'<text class="axis" x="{_LEFT + _WIDTH}" y="13" text-anchor="end">low to high score</text>',
    ]
    for position, (subject, (right, wrong)) in enumerate(counts.items()):
        middle = _TOP + _HEIGHT * position + _HEIGHT / 2
        parts.append(_text(_LEFT - 12, middle + 4, _short(subject, 32), "end"))
        step = _WIDTH / len(right)
        for bin_position, (up, down) in enumerate(zip(right, wrong, strict=True)):
            x, room = _LEFT + step * bin_position, _HEIGHT / 2 - 6
            tall, deep = room * up / largest, room * down / largest
            parts.append(_bar("series-1", x, middle - tall, step, tall))
            parts.append(_bar("series-2", x, middle, step, deep))
        parts.append(f'<rect class="axis" x="{_LEFT}" y="{middle - 0.5:g}" width="{_WIDTH}" height="1"></rect>')
    return "".join([*parts, "</svg>"])


def _calibration(details: Mapping[str, Sequence[Mapping[str, Any]]]) -> Panel | None:
    """Of the scores that may be probabilities: how often predictions with such a score are right."""
    curves = {subject: _curve(entries) for subject, entries in details.items()}
    drawn = {subject: curve for subject, curve in curves.items() if curve is not None}
    if not drawn:
        return None
    rows = math.ceil(len(drawn) / _ACROSS)
    parts = [_open(_ACROSS * (_SIDE + _APART), rows * (_SIDE + 60), "Calibration by subject")]
    for place, (subject, (right, total)) in enumerate(drawn.items()):
        left, top = (_SIDE + _APART) * (place % _ACROSS) + 32, (_SIDE + 60) * (place // _ACROSS) + 24
        parts += _square(subject, right, total, left, top)
    return Panel(
        title="Calibration",
        svg="".join([*parts, "</svg>"]),
        caption="For scores between 0 and 1, read as the probability of being right: the share of right predictions "
        "among those with such a score, with 95 % Wilson intervals, all problems pooled. On the dashed line a score "
        "says what happens. Scores on another scale are not drawn.",
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


def wilson(hits: float, total: float) -> tuple[float, float]:
    """The bounds of Wilson's 95 % interval of a share.

    >>> [round(bound, 3) for bound in wilson(8, 10)]
    [0.49, 0.943]
    """
    share, room = hits / total, _Z**2 / total
    middle = (share + room / 2) / (1 + room)
    spread = _Z / (1 + room) * math.sqrt(share * (1 - share) / total + room / (4 * total))
    return middle - spread, middle + spread


def _square(subject: str, right: np.ndarray, total: np.ndarray, left: float, top: float) -> list[str]:
    def place(share: float) -> float:
        return top + _SIDE * (1 - share)

    parts = [
        f'<rect class="ground" x="{left}" y="{top}" width="{_SIDE}" height="{_SIDE}"></rect>',
        f'<path class="guide-strong" d="M{left} {top + _SIDE}L{left + _SIDE} {top}"></path>',
        _text(left, top - 8, _short(subject, 26), "start"),
        _text(left - 4, top + 10, "1", "end"),
        _text(left - 4, top + _SIDE, "0", "end"),
        _text(left + _SIDE, top + _SIDE + 15, "score 1", "end"),
    ]
    points = []
    for position, (hits, count) in enumerate(zip(right, total, strict=True)):
        if not count:
            continue
        x, share = left + _SIDE * (position + 0.5) / _BINS, float(hits / count)
        low, high = wilson(float(hits), float(count))
        points.append(f"{x:.1f} {place(share):.1f}")
        parts.append(f'<path class="line-1" d="M{x:.1f} {place(low):.1f}V{place(high):.1f}"></path>')
        words = f"{int(hits)} of {int(count)} right with a score of about {(position + 0.5) / _BINS:.2f}"
        parts.append(
            f'<circle class="series-1" cx="{x:.1f}" cy="{place(share):.1f}" r="3.5"><title>{words}</title></circle>'
        )
    parts.append(f'<path class="line-1" d="M{"L".join(points)}" stroke-opacity="0.5"></path>')
    return parts


def _example(records: Sequence[Record]) -> Panel | None:
    """One wrong prediction with the cases that a subject named: what its reader would see."""
    for record in records:
        example = record.details.get("example")
        if isinstance(example, Mapping) and example.get("neighbors"):
            return Panel(
                title="An example explanation",
                svg=_explained(record, example),
                caption="One query as a subject explains it: the training cases it names, nearest first, those of "
                "the predicted class in the first colour, others in the second; where distances are recorded, the "
                "longer the bar the farther away. The correspondence is recomputed from the named cases.",
            )
    return None


def _explained(record: Record, example: Mapping[str, Any]) -> str:
    neighbors = list(example["neighbors"])[:_MOST_NEIGHBORS]
    distances = [float(entry["distance"]) for entry in neighbors if "distance" in entry]
    furthest = max([*distances, 1e-12])
    height = 62 + _EXAMPLE_ROW * len(neighbors)
    verdict = "wrong" if example.get("wrong") else "right"
    told = f"{record.subject} on {record.problem}, query {example.get('query')}: predicted {example.get('predicted')}"
    parts = [
        _open(_LEFT + _WIDTH + 20, height, "An example explanation"),
        f'<text class="axis ink" x="0" y="16">{escape(_short(told, 118))}</text>',
        f'<text class="axis" x="0" y="36">The prediction is {verdict}; score {_number(example, "score")}, '
        f"correspondence {_number(example, 'correspondence')}</text>",
    ]
    for place, entry in enumerate(neighbors):
        y = 50 + _EXAMPLE_ROW * place
        same = entry.get("label") == example.get("predicted")
        width = (_WIDTH - 80) * (float(entry["distance"]) / furthest if "distance" in entry else 0.25)
        label = f"case {entry.get('case')}: {entry.get('label')}"
        parts.append(_text(_LEFT - 12, y + 13, _short(label, 32), "end"))
        parts.append(_bar("series-1" if same else "series-2", _LEFT, y + 2, max(width, 2), _EXAMPLE_ROW - 6))
        told = f"{float(entry['distance']):.3f}" if "distance" in entry else ""
        parts.append(_text(_LEFT + max(width, 2) + 6, y + 13, told, "start"))
    return "".join([*parts, "</svg>"])


def _number(example: Mapping[str, Any], name: str) -> str:
    value = example.get(name)
    return f"{value:.3f}" if isinstance(value, int | float) else "not given"


def _open(width: float, height: float, label: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img" '
        f'aria-label="{escape(label)}">'
    )


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text class="axis" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(text)}</text>'


def _bar(style: str, x: float, y: float, width: float, height: float) -> str:
    return f'<rect class="{style}" x="{x + 0.5:.2f}" y="{y:.2f}" width="{width - 1:.2f}" height="{height:.2f}"></rect>'
