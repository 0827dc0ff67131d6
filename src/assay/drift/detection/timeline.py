"""Pictures of drifts: a timeline with the course of what changed, for the terminal and as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay.drift.detection.drift import Drift
from assay.drift.detection.profile import ChangeProfile, ChangeRow
from assay.drift.logs.event_log import EventLog, moment

__all__ = ["draw_svg", "draw_text"]

_BLOCKS = " ▁▂▃▄▅▆▇█"
_COLUMNS = 60  # of the timeline in the terminal
_POINTS = 80  # of a curve in the SVG
_ROWS = 6  # changes shown per drift
_LEFT, _WIDTH, _RIGHT = 250, 560, 70
_BLUE, _ORANGE, _INK, _GREY = "#2a8fb5", "#d1703a", "#23272e", "#8a94a3"


class _Course(NamedTuple):
    """The share of cases with a feature, in equal parts of the log, and the feature's name."""

    name: str
    shares: npt.NDArray[np.float64]


def draw_text(log: EventLog, drifts: Sequence[Drift], profiles: Mapping[str, ChangeProfile]) -> str:
    """A timeline by cases, a mark for every drift, and the course of its strongest change."""
    first, last = moment(int(log.starts[0])), moment(int(log.starts[-1]))
    scale = [" "] * _COLUMNS
    for number, drift in enumerate(drifts, 1):
        low, high = (_column(log, place) for place in _span(log, drift))
        for column in range(low, high + 1):
            scale[column] = "▒"
        scale[low] = str(number % 10)
    lines = [
        f"{log.name}: {len(log)} cases, {first:%Y-%m-%d} to {last:%Y-%m-%d}",
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
    parts: list[str] = []
    y = 28.0
    first, last = moment(int(log.starts[0])), moment(int(log.starts[-1]))
    parts.append(_text(12, y, f"{log.name}: {len(log)} cases, {len(drifts)} drifts", size=16))
    y += 22
    parts.append(f'<rect x="{_LEFT}" y="{y}" width="{_WIDTH}" height="18" fill="{_GREY}" fill-opacity="0.25"/>')
    for number, drift in enumerate(drifts, 1):
        low, high = (_x(log, place) for place in _span(log, drift))
        width = max(3.0, high - low)
        parts.append(
            f'<rect x="{low:.1f}" y="{y}" width="{width:.1f}" height="18" fill="{_ORANGE}">'
            f"<title>{escape(_title(drift))}</title></rect>"
        )
        parts.append(_text(low, y - 4, str(number), size=11))
    parts.append(_text(_LEFT, y + 34, f"{first:%Y-%m-%d}", size=11))
    parts.append(_text(_LEFT + _WIDTH, y + 34, f"{last:%Y-%m-%d}", size=11, anchor="end"))
    y += 60
    for number, drift in enumerate(drifts, 1):
        parts.append(_text(12, y, f"{number}  {_title(drift)}", size=14))
        y += 14
        profile = profiles.get(drift.id)
        course = _course(log, profile, _POINTS)
        if course is not None:
            parts += _curve(log, drift, course, y)
            y += 70
        for row in _shown(profile):
            parts += _before_and_after(row, y)
            y += 22
        y += 24
    label = f"Drifts of {log.name}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_LEFT + _WIDTH + _RIGHT} {y:.0f}" role="img" '
        f'aria-label="{escape(label)}" font-family="sans-serif"><rect width="100%" height="100%" fill="white"/>'
        + "".join(parts)
        + "</svg>\n"
    )


def _title(drift: Drift) -> str:
    when = f"{drift.start:%Y-%m-%d}" + (f" to {drift.end:%Y-%m-%d}" if drift.end > drift.start else "")
    return f"{drift.type} drift, {when}, from {drift.start_case!r}, confidence {drift.confidence:.2f}"


def _span(log: EventLog, drift: Drift) -> tuple[int, int]:
    """The places of its first and last case; by time where the log does not know them."""
    places = []
    for case, when in ((drift.start_case, drift.start), (drift.end_case, drift.end)):
        if case in log.cases:
            places.append(log.place_of(case))
        else:
            places.append(int(np.searchsorted(log.starts, int(when.timestamp() * 1e6) * 1000)))
    return min(places), min(max(places), len(log) - 1)


def _column(log: EventLog, place: int) -> int:
    return min(_COLUMNS - 1, place * _COLUMNS // len(log))


def _x(log: EventLog, place: int) -> float:
    return _LEFT + _WIDTH * place / len(log)


def _course(log: EventLog, profile: ChangeProfile | None, parts: int) -> _Course | None:
    """Of the strongest change that each case answers with yes or no."""
    rows = [] if profile is None else [row for row in profile.changed() if row.kind in ("activity", "relation")]
    if not rows:
        return None
    answers = _answers(log, rows[0])
    groups = np.array_split(answers, min(parts, len(answers)))
    shares = np.array([group.mean() for group in groups])
    # a short log has fewer cases than places
    stretched = shares[np.arange(parts) * len(shares) // parts]
    return _Course(rows[0].name, stretched)


def _answers(log: EventLog, row: ChangeRow) -> npt.NDArray[np.bool_]:
    found = np.zeros(len(log), dtype=np.bool_)
    codes = [log.activities.index(name) for name in row.activities]
    if row.kind == "relation":
        joined = (log.activity_codes[:-1] == codes[0]) & (log.activity_codes[1:] == codes[1])
        inside = log.case_codes[:-1] == log.case_codes[1:]
        found[log.case_codes[:-1][joined & inside]] = True
    else:
        often = np.bincount(log.case_codes[log.activity_codes == codes[0]], minlength=len(log))
        found = often > (1 if row.name.endswith(", repeated") else 0)
    return found


def _shown(profile: ChangeProfile | None) -> tuple[ChangeRow, ...]:
    if profile is None:
        return ()
    return tuple(row for row in profile.changed() if row.kind != "variant")[:_ROWS]


def _curve(log: EventLog, drift: Drift, course: _Course, y: float) -> list[str]:
    step = _WIDTH / len(course.shares)
    points = " ".join(
        f"{_LEFT + step * (at + 0.5):.1f},{y + 50 - 44 * share:.1f}" for at, share in enumerate(course.shares)
    )
    low, high = (_x(log, place) for place in _span(log, drift))
    return [
        _text(_LEFT - 10, y + 30, _short(course.name), size=11, anchor="end"),
        f'<rect x="{low:.1f}" y="{y + 2}" width="{max(2.0, high - low):.1f}" height="52" fill="{_ORANGE}" '
        'fill-opacity="0.25"/>',
        f'<polyline points="{points}" fill="none" stroke="{_BLUE}" stroke-width="2"/>',
        _text(_LEFT + _WIDTH + 6, y + 12, "100%", size=10),
        _text(_LEFT + _WIDTH + 6, y + 54, "0%", size=10),
    ]


def _before_and_after(row: ChangeRow, y: float) -> list[str]:
    """Two dots on a line; times are drawn relative to the longer one."""
    most = max(row.before, row.after) if row.kind == "duration" else 1.0
    one, two = (_LEFT + _WIDTH * value / (most or 1.0) for value in (row.before, row.after))
    before, after = _figure(row, row.before), _figure(row, row.after)
    told = f"<title>{escape(f'{row.kind} {row.name}: {before} before, {after} after')}</title>"
    return [
        _text(_LEFT - 10, y + 12, _short(row.name), size=11, anchor="end"),
        f'<line x1="{one:.1f}" y1="{y + 8}" x2="{two:.1f}" y2="{y + 8}" stroke="{_GREY}" stroke-width="2"/>',
        f'<circle cx="{one:.1f}" cy="{y + 8}" r="5" fill="white" stroke="{_INK}">{told}</circle>',
        f'<circle cx="{two:.1f}" cy="{y + 8}" r="5" fill="{_BLUE}">{told}</circle>',
        _text(_LEFT + _WIDTH + 12, y + 12, after, size=10),
    ]


def _figure(row: ChangeRow, value: float) -> str:
    return f"{value:.1f} h" if row.kind == "duration" else f"{value:.0%}"


def _text(x: float, y: float, text: str, *, size: int, anchor: str = "start") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{_INK}" text-anchor="{anchor}">{escape(text)}</text>'
    )


def _short(name: str) -> str:
    return name if len(name) <= 40 else name[:39] + "…"
