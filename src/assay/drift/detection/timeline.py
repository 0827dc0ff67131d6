"""Pictures of drifts: a timeline with the course of what changed, for the terminal and as SVG."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from assay.charts import Drawing, Scale
from assay.core.arrays import BoolArray, FloatArray
from assay.core.display import counted
from assay.drift.detection.comparisons import span_of
from assay.drift.detection.drift import Drift
from assay.drift.detection.profile import ChangeProfile, ChangeRow
from assay.drift.logs.event_log import EventLog

__all__ = ["answers", "draw_svg", "draw_text", "yes_no_changes"]

_BLOCKS = " ▁▂▃▄▅▆▇█"
_COLUMNS = 60  # of the timeline in the terminal
_POINTS = 80  # of a curve in the SVG
_ROWS = 6  # changes shown per drift
_LEFT, _WIDTH, _RIGHT = 250, 560, 70
_LONGEST = 34  # characters of the name of a change in a line
_LINE = 13.0


class _Course(NamedTuple):
    """The share of cases with a feature, in equal parts of the log, and the feature's name."""

    name: str
    shares: FloatArray


def draw_text(log: EventLog, drifts: Sequence[Drift], profiles: Mapping[str, ChangeProfile]) -> str:
    """A timeline by cases, a mark for every drift, and the course of its strongest change."""
    first, last = (log.local.moment(int(start)) for start in (log.starts.min(), log.starts.max()))
    scale = [" "] * _COLUMNS
    for number, drift in enumerate(drifts, 1):
        low, high = (_column(log, place) for place in _span(log, drift))
        for column in range(low, high + 1):
            scale[column] = "▒"
        scale[low] = str(number % 10)
    lines = [
        f"{log.name}: {counted(len(log), 'case')}, {first:%Y-%m-%d} to {last:%Y-%m-%d}",
        f"|{''.join(scale)}|",
    ]
    if not drifts:
        return "\n".join([*lines, "no drifts"])
    for number, drift in enumerate(drifts, 1):
        lines += ["", f"{number}  {_title(drift)}"]
        course = _course(log, profiles.get(drift.id), _COLUMNS)
        if course is not None:
            levels = np.round(course.shares * (len(_BLOCKS) - 1)).astype(int)
            lines.append(f"|{''.join(_BLOCKS[level] for level in levels)}| share of cases: {course.name}")
    return "\n".join(lines)


def draw_svg(log: EventLog, drifts: Sequence[Drift], profiles: Mapping[str, ChangeProfile]) -> str:
    """One SVG file: the timeline, and for every drift the course and the before and after of what changed."""
    drawing = Drawing(f"Drifts of {log.name}", width=_LEFT + _WIDTH + _RIGHT)
    places = Scale(0, len(log), _LEFT, _WIDTH)
    y = 50.0
    drawing.text(
        12, 28, f"{log.name}: {counted(len(log), 'case')}, {counted(len(drifts), 'drift')}", style="axis ink strong"
    )
    drawing.rect("ground", _LEFT, y, _WIDTH, 18)
    for number, drift in enumerate(drifts, 1):
        low, high = (places(place) for place in _span(log, drift))
        drawing.rect("series-2", low, y, max(3.0, high - low), 18, title=_title(drift))
        drawing.text(low, y - 4, str(number))
    shown = np.linspace(0, len(log) - 1, 5).astype(int).tolist() if len(log) > 4 else range(len(log))
    drawing.x_axis(places, y + 18, ticks=shown, label=lambda place: f"{log.start_of(int(place)):%Y-%m-%d}")
    y += 66
    for number, drift in enumerate(drifts, 1):
        drawing.text(12, y, f"{number}  {_title(drift)}", style="axis ink")
        y += 14
        profile = profiles.get(drift.id)
        course = _course(log, profile, _POINTS)
        if course is not None:
            low, high = (places(place) for place in _span(log, drift))
            drawing.rect("series-2", low, y + 6, max(2.0, high - low), 44, opacity=0.25)
            _draw_course(drawing, course, y)
            y += 70
        for row in _shown(profile):
            y += _LINE * (len(_lines(row.name, _LONGEST)) - 1) / 2
            _draw_before_and_after(drawing, row, y)
            y += 22 + _LINE * (len(_lines(row.name, _LONGEST)) - 1) / 2
        y += 24
    return drawing.svg(y, standalone=True) + "\n"


def _title(drift: Drift) -> str:
    return f"{drift.type} drift, {drift.days}, from {drift.start_case!r}, confidence {drift.confidence:.2f}"


def _span(log: EventLog, drift: Drift) -> tuple[int, int]:
    """The places of its first and last case; by time where the log does not know them."""
    first, last = span_of(log, drift)
    return first, min(last, len(log) - 1)


def _column(log: EventLog, place: int) -> int:
    return min(_COLUMNS - 1, place * _COLUMNS // len(log))


def _course(log: EventLog, profile: ChangeProfile | None, parts: int) -> _Course | None:
    """Of the strongest change that each case answers with yes or no."""
    row = None if profile is None else next(yes_no_changes(profile), None)
    if row is None:
        return None
    yes = answers(log, row)
    groups = np.array_split(yes, min(parts, len(yes)))
    shares = np.array([group.mean() for group in groups])
    # a short log has fewer cases than places
    stretched = shares[np.arange(parts) * len(shares) // parts]
    return _Course(row.name, stretched)


def yes_no_changes(profile: ChangeProfile) -> Iterator[ChangeRow]:
    """The certain changes that each case answers with yes or no, the surest first."""
    return (row for row in profile.changed() if row.kind in ("activity", "relation"))


def answers(log: EventLog, row: ChangeRow) -> BoolArray:
    """Which cases have the activity, its repetition or the relation, near or far, that a row tells of."""
    mask = np.zeros(len(log), dtype=np.bool_)
    events = [np.flatnonzero(log.activity_codes == log.activities.index(name)) for name in row.activities]
    owners = [log.case_codes[places] for places in events]
    if row.is_far:
        first, last = np.full(len(log), log.events), np.full(len(log), -1)
        np.minimum.at(first, owners[0], events[0])
        np.maximum.at(last, owners[1], events[1])
        mask = first < last
    elif row.kind == "relation":
        joined = np.intersect1d(events[0], events[1] - 1)
        mask[log.case_codes[joined[log.case_codes[joined] == log.case_codes[joined + 1]]]] = True
    else:
        mask = np.bincount(owners[0], minlength=len(log)) > (1 if row.name.endswith(", repeated") else 0)
    return mask


def _shown(profile: ChangeProfile | None) -> tuple[ChangeRow, ...]:
    if profile is None:
        return ()
    return tuple(row for row in profile.changed() if row.kind != "variant")[:_ROWS]


def _draw_course(drawing: Drawing, course: _Course, y: float) -> None:
    _draw_name(drawing, _LEFT - 40, y + 30, course.name, _LONGEST - 6)
    across, up = Scale(0, len(course.shares), _LEFT, _WIDTH), Scale(0, 1, y + 50, -44)
    drawing.y_axis(up, _LEFT, ticks=(0, 1), label="{:.0%}".format)
    drawing.line("line-1", ((across(at + 0.5), up(share)) for at, share in enumerate(course.shares.tolist())))


def _draw_name(drawing: Drawing, x: float, y: float, name: str, longest: int) -> None:
    """A name before its row, around ``y``, in lines where it is long."""
    lines = _lines(name, longest)
    for place, line in enumerate(lines):
        drawing.text(x, y + _LINE * (place - (len(lines) - 1) / 2), line, "end")


def _lines(name: str, longest: int) -> list[str]:
    return textwrap.wrap(name, longest) or [name]


def _draw_before_and_after(drawing: Drawing, row: ChangeRow, y: float) -> None:
    """Two dots on a line, before and after; times are drawn relative to the longer one."""
    most = max(row.before, row.after) if row.kind == "duration" else 1.0
    place = Scale(0, most or 1.0, _LEFT, _WIDTH)
    one, two = place(row.before), place(row.after)
    before, after = row.figure(row.before), row.figure(row.after)
    words = f"{row.kind} {row.name}: {before} before, {after} after"
    _draw_name(drawing, _LEFT - 10, y + 12, row.name, _LONGEST)
    drawing.line("frame", ((one, y + 8), (two, y + 8)))
    drawing.dot("hollow", one, y + 8, radius=5, title=words)
    drawing.dot("series-1", two, y + 8, radius=5, title=words)
    drawing.text(_LEFT + _WIDTH + 12, y + 12, after)
