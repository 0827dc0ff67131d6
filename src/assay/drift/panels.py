"""The charts of the drift track: where golden documents end up, timelines, what changed, and quoted evidence."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from html import escape
from typing import Any

from assay.core import Panel, Record

__all__ = ["panels", "truth"]

Details = Mapping[str, Any]

_LEFT, _WIDTH = 230, 600
_PLACES = ("1st", "2nd", "3rd to 5th", "later or absent")
_TEST_SETS = 6  # drawn as timelines
_DRIFTS = 4  # whose changes and quotes are shown
_LINE = 17


def panels(records: Sequence[Record]) -> tuple[Panel, ...]:
    """Ranks of golden documents for every subject; the rest for the one with the most reciprocal rank."""
    told = {
        subject: [record for record in records if record.subject == subject and record.details.get("drifts")]
        for subject in sorted({record.subject for record in records})
    }
    answered = {subject: entries for subject, entries in told.items() if entries}
    if not answered:
        return ()
    own = {subject: entries for subject, entries in answered.items() if subject != "oracle"} or answered
    best = max(own, key=lambda subject: (_total(own[subject]), subject))
    shown = _one_per_problem(own[best])
    drifts = [drift for record in shown for drift in _drifts(record)]
    found = [_places_panel(answered), _timeline_panel(shown, best)]
    changed = [drift for drift in drifts if drift["changes"]][:_DRIFTS]
    if changed:
        found.append(_changes_panel(changed))
    quoted = [drift for drift in drifts if drift["quotes"]][:_DRIFTS]
    if quoted:
        found.append(_quotes_panel(quoted, best))
    return tuple(found)


def truth(record: Record) -> str:
    """Which documents explain the drifts of a problem, in words."""
    if not record.details.get("drifts"):
        return ""
    none = "no document explains it"
    told = [
        f"{drift['drift']} ({drift['type']}, {drift['start']}): {', '.join(drift['golden']) or none}"
        for drift in _drifts(record)
    ]
    return "Golden documents: " + "; ".join(told) + "."


def _drifts(record: Record) -> list[Details]:
    drifts: Any = record.details["drifts"]
    return list(drifts)


def _total(records: Sequence[Record]) -> float:
    return sum(drift["reciprocal_rank"] or 0.0 for record in records for drift in _drifts(record))


def _one_per_problem(records: Sequence[Record]) -> list[Record]:
    """One seed of each problem, in the order of their names."""
    first: dict[str, Record] = {}
    for record in sorted(records, key=lambda record: (record.problem, record.seed)):
        first.setdefault(record.problem, record)
    return list(first.values())


def _svg(width: float, height: float, label: str, parts: Sequence[str]) -> str:
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img" '
        f'aria-label="{escape(label, quote=True)}">'
    )
    return "".join([opening, *parts, "</svg>"])


def _text(x: float, y: float, text: str, *, anchor: str = "start") -> str:
    return f'<text class="axis" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _rect(style: str, x: float, y: float, width: float, height: float, title: str = "", opacity: float = 1.0) -> str:
    told = f"<title>{escape(title)}</title>" if title else ""
    return (
        f'<rect class="{style}" x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{height:.1f}" '
        f'fill-opacity="{opacity:g}">{told}</rect>'
    )


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _places_panel(told: Mapping[str, Sequence[Record]]) -> Panel:
    """A bar per subject: at which ranks the first golden document stands."""
    parts = []
    for place, name in enumerate(_PLACES):
        x = _LEFT + 95.0 * place
        parts.append(_rect("series-1" if place < 3 else "series-2", x, 4, 10, 10, opacity=_shade(place)))
        parts.append(_text(x + 14, 13, name))
    for row, (subject, records) in enumerate(told.items()):
        y = 24.0 + 24 * row
        ranks = [_rank(drift) for record in records for drift in _drifts(record) if drift["golden"]]
        counts = [ranks.count(place) for place in range(len(_PLACES))]
        parts.append(_text(_LEFT - 8, y + 13, _short(subject, 26), anchor="end"))
        x = float(_LEFT)
        for place, count in enumerate(counts):
            width = _WIDTH * count / max(len(ranks), 1)
            style = "series-1" if place < 3 else "series-2"
            parts.append(
                _rect(style, x, y, width, 17, f"{subject}: {_PLACES[place]} in {count} of {len(ranks)}", _shade(place))
            )
            x += width
    height = 30 + 24 * len(told)
    return Panel(
        title="Where the first golden document stands",
        svg=_svg(_LEFT + _WIDTH + 10, height, "Ranks of golden documents by subject", parts),
        caption="Per subject, the share of drifts whose first golden document is ranked 1st, 2nd, 3rd to 5th, or later "
        "or not at all. Drifts without a golden document are left out; ties count at the middle of their block.",
    )


def _shade(place: int) -> float:
    return (1.0, 0.65, 0.35, 0.8)[place]


def _rank(drift: Details) -> int:
    """The place of the first golden document: 0 for the first, 3 for later than the fifth or absent."""
    value = drift["reciprocal_rank"] or 0.0
    rank = 1 / value if value else float("inf")
    return 0 if rank < 1.5 else 1 if rank < 2.5 else 2 if rank < 5.5 else 3


def _timeline_panel(records: Sequence[Record], subject: str) -> Panel:
    """A row per test set: drifts as bars, the documents that were ranked as marks on the days of their issue."""
    legend = (("series-1", 0.55, "drift"), ("series-1", 1.0, "golden document"), ("series-2", 1.0, "other document"))
    parts: list[str] = []
    for place, (style, opacity, name) in enumerate(legend):
        parts.append(_rect(style, _LEFT + 140 * place, 4, 10, 10, opacity=opacity))
        parts.append(_text(_LEFT + 14 + 140 * place, 13, name))
    y = 28.0
    for record in records[:_TEST_SETS]:
        drifts = _drifts(record)
        days = [date.fromisoformat(drift[end]) for drift in drifts for end in ("start", "end")]
        days += [date.fromisoformat(d["issued"]) for drift in drifts for d in drift["documents"] if d["issued"]]
        first, last = min(days), max(days)
        at = _scale(first, last)
        parts.append(_text(_LEFT - 8, y + 30, _short(record.problem, 26), anchor="end"))
        parts.append(_rect("axis", _LEFT, y + 44, _WIDTH, 1))
        parts.append(_text(_LEFT, y + 58, first.isoformat()))
        parts.append(_text(_LEFT + _WIDTH, y + 58, last.isoformat(), anchor="end"))
        for drift in drifts:
            start, end = at(drift["start"]), at(drift["end"])
            label = f"{drift['drift']}: {drift['type']}, {drift['start']} to {drift['end']}"
            parts.append(_rect("series-1", start, y + 30, max(end - start, 4), 14, label, 0.55))
            parts += [_mark(at(entry["issued"]), y, entry) for entry in drift["documents"] if entry["issued"]]
        y += 70
    return Panel(
        title="Timelines: drifts and the documents that were ranked",
        svg=_svg(_LEFT + _WIDTH + 10, y, "Timelines of drifts and documents", parts),
        caption=f"Subject {subject}. Bars are drifts from start to end; marks above stand on the day of issue of "
        "the documents ranked first (tall) to fifth (small). Golden documents have the colour of the drifts, the "
        "others do not; a golden document that was not among the first five is faint. Hover for names.",
    )


def _scale(first: date, last: date) -> Callable[[str], float]:
    span = max((last - first).days, 1)
    return lambda day: _LEFT + _WIDTH * (date.fromisoformat(day) - first).days / span


def _mark(x: float, y: float, document: Details) -> str:
    rank = document["rank"]
    tall = 8 + 3.5 * (6 - rank) if rank is not None and rank <= 5 else 8
    style = "series-1" if document["golden"] else "series-2"
    title = f"{document['name']} ({document['issued']}), " + (f"rank {rank}" if rank else "not ranked")
    faint = rank is None or rank > 5
    return _rect(style, x - 1.5, y + 28 - tall, 3, tall, title, 0.3 if faint else 1.0)


def _changes_panel(drifts: Sequence[Details]) -> Panel:
    """Per drift the strongest changes: shares of cases before and after."""
    parts = [
        _rect("series-2", _LEFT + 70, 4, 10, 10),
        _text(_LEFT + 84, 13, "before"),
        _rect("series-1", _LEFT + 150, 4, 10, 10),
        _text(_LEFT + 164, 13, "after"),
    ]
    y, left, width = 26.0, _LEFT + 70, _WIDTH - 170
    for drift in drifts:
        parts.append(_text(4, y + 12, f"{drift['drift']} ({drift['type']})"))
        y += 20
        for change in drift["changes"]:
            most = max(change["before"], change["after"], 1.0 if change["kind"] != "duration" else 1e-9)
            parts.append(_text(left - 8, y + 12, _short(change["name"], 46), anchor="end"))
            parts.append(_rect("series-2", left, y, width * change["before"] / most, 7))
            parts.append(_rect("series-1", left, y + 8, width * change["after"] / most, 7))
            parts.append(_text(left + width + 8, y + 12, _figures(change)))
            y += 21
        y += 8
    return Panel(
        title="What changed in the process",
        svg=_svg(_LEFT + _WIDTH + 10, y, "Changes before and after drifts", parts),
        caption="The strongest certain changes of the first drifts: the share of cases with an activity, a relation "
        "(one directly after the other), a variant or a resource, or median hours, before and after the drift.",
    )


def _figures(change: Details) -> str:
    if change["kind"] == "duration":
        return f"{change['before']:.1f} → {change['after']:.1f} h"
    return f"{change['before']:.0%} → {change['after']:.0%}"


def _quotes_panel(drifts: Sequence[Details], subject: str) -> Panel:
    """The first quote of each drift, word for word."""
    parts, y = [], 4.0
    for drift in drifts:
        quote = drift["quotes"][0]
        checked = "verbatim" if quote["verbatim"] else "NOT verbatim"
        right = quote["document"] in drift["golden"]
        style = "series-1" if right else "series-2"
        lines = textwrap.wrap(f"“{quote['text']}”", 120)[:4]
        heading = f"{drift['drift']}: {quote['document']} ({'golden' if right else 'not golden'}, {checked})"
        parts.append(_rect(style, 4, y, 3, _LINE * (len(lines) + 1)))
        parts.append(_text(14, y + 12, _short(heading, 125)))
        for number, line in enumerate(lines, start=1):
            parts.append(_text(14, y + 12 + _LINE * number, line))
        y += _LINE * (len(lines) + 1) + 10
    return Panel(
        title="Quoted evidence",
        svg=_svg(_LEFT + _WIDTH + 10, y, "Quotes from documents", parts),
        caption=f"Subject {subject}: the passage that it quotes first for each of the first drifts. Every quote is "
        "looked up in the document at the offsets it names.",
    )
