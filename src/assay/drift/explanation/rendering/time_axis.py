"""A drift and the documents around it on one axis of time."""

from __future__ import annotations

import textwrap
from datetime import date, timedelta
from itertools import pairwise
from typing import Final

import numpy as np

from assay.charts.drawing import Drawing
from assay.charts.scale import Scale
from assay.drift.detection.drift import Drift
from assay.drift.detection.profile import ChangeProfile
from assay.drift.detection.timeline import answers, yes_no_changes
from assay.drift.documents.document import Corpus
from assay.drift.explanation.explanation import Explanation
from assay.drift.explanation.rendering.happened import long_date
from assay.drift.logs.event_log import EventLog

__all__ = ["WIDTH", "draw_time_axis", "time_axis_svg"]

WIDTH: Final = 440.0
_LEFT, _RIGHT = 44.0, 20.0
_BEFORE, _AFTER = timedelta(days=75), timedelta(days=45)
_FARTHEST: Final = timedelta(days=200)  # a document that stretches the axis
_COURSE: Final = 60.0
_LINE: Final = 16.0
_LETTER: Final = 6.8
_EDGE: Final = 4.0
_POINTS: Final = 40
_MOST_TICKS: Final = 6


def time_axis_svg(explanation: Explanation, corpus: Corpus, log: EventLog | None) -> str:
    """The picture as SVG."""
    drawing = Drawing(
        f"Drift {explanation.drift.id} and the documents around it", width=WIDTH, scrolls=True, smallest=0.75
    )
    return drawing.svg(draw_time_axis(drawing, explanation, corpus, log))


def draw_time_axis(drawing: Drawing, explanation: Explanation, corpus: Corpus, log: EventLog | None) -> float:
    """Draw the course of what changed, the drift, and the documents by their day of issue; returns the height."""
    issued = {document.name: document.issued for document in corpus.documents}
    low, high = _span(explanation, [issued.get(cause.document) for cause in explanation.causes])
    scale = Scale(low.toordinal(), high.toordinal(), _LEFT, WIDTH - _LEFT - _RIGHT)
    y = 18.0
    if log is not None and isinstance(explanation.profile, ChangeProfile):
        y = _draw_course(drawing, scale, y, log, explanation.profile)
    bottom = y + 10
    _draw_drift(drawing, scale, explanation.drift, bottom)
    drawing.x_axis(scale, bottom, ticks=_months(low, high), label=lambda day: f"{date.fromordinal(int(day)):%b %Y}")
    y = bottom + 34
    drawing.text(_LEFT, y, "documents by day of issue", style="axis")
    y += 10
    for name, day in sorted(issued.items(), key=lambda item: (item[1] or date.min, item[0])):
        if day is not None and low <= day <= high:
            drawing.rect("soft", scale(day.toordinal()) - 1, y, 2, 10, title=f"{name}, {long_date(day)}")
    y += 22
    for place, cause in enumerate(explanation.causes, start=1):
        y = _draw_cause(drawing, scale, y, f"{place}. {cause.document}", issued.get(cause.document), (low, high))
    return y + 4


def _span(explanation: Explanation, issued: list[date | None]) -> tuple[date, date]:
    """Some weeks on either side of the drift, and farther where a cause was issued."""
    start, end = explanation.drift.start.date(), explanation.drift.end.date()
    near = [day for day in issued if day is not None and start - _FARTHEST <= day <= end + _FARTHEST]
    edge = timedelta(days=5)
    return min([start - _BEFORE, *(day - edge for day in near)]), max([end + _AFTER, *(day + edge for day in near)])


def _months(low: date, high: date) -> list[float]:
    """The first of months, of every second or third where there are many."""
    count = (high.year - low.year) * 12 + high.month - low.month
    step = next(step for step in (1, 2, 3, 6, 12, 10**6) if count / step <= _MOST_TICKS)
    ticks = []
    for month in range(low.year * 12 + low.month, high.year * 12 + high.month):
        day = date(month // 12, month % 12 + 1, 1)
        if month % step == 0 and low <= day <= high:
            ticks.append(float(day.toordinal()))
    return ticks or [float(low.toordinal())]


def _draw_drift(drawing: Drawing, scale: Scale, drift: Drift, bottom: float) -> None:
    start, end = (scale(moment.date().toordinal()) for moment in (drift.start, drift.end))
    words = f"{drift.type} drift from {long_date(drift.start.date())}"
    words += "" if drift.end.date() == drift.start.date() else f" to {long_date(drift.end.date())}"
    drawing.rect("series-2", start, 18, max(2.0, end - start), bottom - 18, opacity=0.35, title=words)
    # over the drift, and as a whole inside the picture
    middle = (start + max(start, end)) / 2
    left = max(_EDGE, min(middle - len(words) * _LETTER / 2, WIDTH - _EDGE - len(words) * _LETTER))
    drawing.text(left, 14, words, style="axis ink")


def _draw_course(drawing: Drawing, scale: Scale, top: float, log: EventLog, profile: ChangeProfile) -> float:
    """The share of the cases that show the surest change, by the time of their start."""
    row = next(yes_no_changes(profile), None)
    if row is None:
        return top
    yes = answers(log, row)
    days = np.array([log.local.moment(int(start)).toordinal() for start in log.starts])
    edges = np.linspace(scale.low, scale.high + 1, _POINTS + 1)
    up = Scale(0, 1, top + 12 + _COURSE, -_COURSE)
    points = []
    for low, high in pairwise(edges.tolist()):
        here = (days >= low) & (days < high)
        if here.any():
            points.append((scale((low + high - 1) / 2), up(float(yes[here].mean()))))
    drawing.y_axis(up, _LEFT, ticks=(0, 1), label="{:.0%}".format)
    if len(points) > 1:
        drawing.line("line-1", points)
    y = top + 12 + _COURSE
    for line in textwrap.wrap(f"share of cases: {row.name}", int((WIDTH - _LEFT - _RIGHT) / _LETTER)):
        y += _LINE
        drawing.text(_LEFT, y, line, style="axis ink")
    return y


def _letter(words: str) -> float:
    """How wide a letter of the longest word is, in the mean: capitals take more room, and M and W most of all."""
    longest = max(words.split(), key=len)
    widths = [1.7 if letter in "mwMW" else 1.25 if letter.isupper() else 1.0 for letter in longest]
    return _LETTER * sum(widths) / len(widths)


def _draw_cause(
    drawing: Drawing, scale: Scale, y: float, name: str, issued: date | None, span: tuple[date, date]
) -> float:
    """A dot at the day of issue with the name beside it, in lines where there is little room; returns the next row."""
    words = f"{name} (no day of issue)" if issued is None else f"{name}, {long_date(issued)}"
    is_visible = issued is not None and span[0] <= issued <= span[1]
    x = scale(issued.toordinal()) if issued is not None and is_visible else _LEFT
    if is_visible:
        drawing.dot("series-1", x, y, radius=5, title=words)
    on_left = x > WIDTH / 2
    room = (x if on_left else WIDTH - x) - 16
    lines = textwrap.wrap(words, int(room / _letter(words))) or [words]
    for place, line in enumerate(lines):
        drawing.text(
            x - 10 if on_left else x + 10, y + 4 + place * _LINE, line, "end" if on_left else "start", style="axis ink"
        )
    return y + len(lines) * _LINE + 6
