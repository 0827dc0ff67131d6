"""The charts of the drift track: where golden documents end up, timelines, what changed, and quoted evidence."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from assay.charts import Drawing, Scale
from assay.charts.drawing import LEFT, WIDTH
from assay.core import Panel, Record
from assay.drift.problem.given import given

__all__ = ["given", "panels", "truth"]

Details = Mapping[str, Any]

_PLACES = ("1st", "2nd", "3rd to 5th", "later or absent")
_PLACE_STYLES = ("series-1", "series-1", "series-1", "series-2")
_PLACE_SHADES = (1.0, 0.65, 0.35, 0.8)
_TEST_SETS = 6  # drawn as timelines
_DRIFTS = 4  # whose changes and quotes are shown
_LINE = 17


def panels(records: Sequence[Record]) -> tuple[Panel, ...]:
    """Ranks of golden documents for every subject; the rest for the one with the most reciprocal rank."""
    by_subject = {
        subject: [record for record in records if record.subject == subject and record.details.get("drifts")]
        for subject in dict.fromkeys(record.subject for record in records)
    }
    answered = {subject: entries for subject, entries in by_subject.items() if entries}
    if not answered:
        return ()
    own = {subject: entries for subject, entries in answered.items() if subject != "oracle"} or answered
    best = max(own, key=lambda subject: (_total(own[subject]), subject))
    shown = _one_per_problem(own[best])
    drifts = [drift for record in shown for drift in _drifts(record)]
    charts = [_places_panel(answered), _timeline_panel(shown, best)]
    changed = [drift for drift in drifts if drift["changes"]][:_DRIFTS]
    if changed:
        charts.append(_changes_panel(changed))
    quoted = [drift for drift in drifts if drift["quotes"]][:_DRIFTS]
    if quoted:
        charts.append(_quotes_panel(quoted, best))
    return tuple(charts)


def truth(record: Record) -> str:
    """Which documents explain the drifts of a problem, in words."""
    if not record.details.get("drifts"):
        return ""
    none = "no document explains it"
    causes = [
        f"{drift['drift']} ({drift['type']}, {drift['start']}): {', '.join(drift['golden']) or none}"
        for drift in _drifts(record)
    ]
    return "Golden documents: " + "; ".join(causes) + "."


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


def _places_panel(by_subject: Mapping[str, Sequence[Record]]) -> Panel:
    """A bar per subject: at which ranks the first golden document stands."""
    drawing = Drawing("Ranks of golden documents by subject")
    drawing.legend(LEFT, tuple(zip(_PLACE_STYLES, _PLACES, strict=True)), step=95, opacities=_PLACE_SHADES)
    share = Scale(0, 1, LEFT, WIDTH)
    bottom = 24 + 24 * len(by_subject)
    numbers: list[tuple[str, str, int, int]] = []
    drawing.x_axis(share, bottom, label="{:.0%}".format)
    for row, (subject, records) in enumerate(by_subject.items()):
        y = 24 + 24 * row
        ranks = [_rank(drift) for record in records for drift in _drifts(record) if drift["golden"]]
        drawing.name(y + 9, subject)
        before = 0
        for place, name in enumerate(_PLACES):
            count, total = ranks.count(place), max(len(ranks), 1)
            x, end = share(before / total), share((before + count) / total)
            words = f"{subject}: {name} in {count} of {len(ranks)}"
            drawing.rect(_PLACE_STYLES[place], x, y, end - x, 17, title=words, opacity=_PLACE_SHADES[place])
            before += count
            numbers.append((subject, name, count, len(ranks)))
    return Panel(
        title="Where the first golden document stands",
        svg=drawing.svg(bottom + 24),
        caption="Per subject, the share of drifts whose first golden document is ranked 1st, 2nd, 3rd to 5th, or later "
        "or not at all. Drifts without a golden document are left out; ties count at the middle of their block.",
        columns=("subject", "first_golden_document", "drifts", "of"),
        rows=tuple(numbers),
    )


def _rank(drift: Details) -> int:
    """The place of the first golden document: 0 for the first, 3 for later than the fifth or absent."""
    value = drift["reciprocal_rank"] or 0.0
    rank = 1 / value if value else float("inf")
    return 0 if rank < 1.5 else 1 if rank < 2.5 else 2 if rank < 5.5 else 3


def _timeline_panel(records: Sequence[Record], subject: str) -> Panel:
    """A row per test set: drifts as bars, the documents that were ranked as marks on the days of their issue."""
    drawing = Drawing("Timelines of drifts and documents")
    entries = (("series-1", "drift"), ("series-1", "golden document"), ("series-2", "other document"))
    drawing.legend(LEFT, entries, step=140, opacities=(0.55, 1.0, 1.0))
    y = 28.0
    for record in records[:_TEST_SETS]:
        drifts = _drifts(record)
        days = [_day(drift[end]) for drift in drifts for end in ("start", "end")]
        days += [_day(document["issued"]) for drift in drifts for document in drift["documents"] if document["issued"]]
        at = Scale(min(days), max(days), LEFT, WIDTH)
        drawing.name(y + 26, record.problem)
        drawing.x_axis(at, y + 44, ticks=_date_ticks(at), label=_date)
        for drift in drifts:
            start, end = at(_day(drift["start"])), at(_day(drift["end"]))
            words = f"{drift['drift']}: {drift['type']}, {drift['start']} to {drift['end']}"
            drawing.rect("series-1", start, y + 30, max(end - start, 4), 14, title=words, opacity=0.55)
            for document in drift["documents"]:
                if document["issued"]:
                    _draw_document(drawing, at(_day(document["issued"])), y, document)
        y += 76
    return Panel(
        title="Timelines: drifts and the documents that were ranked",
        svg=drawing.svg(y),
        caption=f"Subject {subject}. Bars are drifts from start to end; marks above stand on the day of issue of "
        "the documents ranked first (tall) to fifth (small). Golden documents have the colour of the drifts, the "
        "others do not; a golden document that was not among the first five is faint. Hover for names.",
        columns=("problem", "drift", "type", "start", "end", "document", "issued", "rank", "golden"),
        rows=tuple(
            (
                *(record.problem, drift["drift"], drift["type"], drift["start"], drift["end"]),
                *(document["name"], document["issued"], document["rank"], bool(document["golden"])),
            )
            for record in records[:_TEST_SETS]
            for drift in _drifts(record)
            for document in drift["documents"]
        ),
    )


def _day(text: str) -> int:
    return date.fromisoformat(text).toordinal()


def _date(day: float) -> str:
    return date.fromordinal(round(day)).isoformat()


def _date_ticks(scale: Scale) -> list[float]:
    """The first and the last day and a few between, so far apart that their dates can be read."""
    steps = 4 if scale.high - scale.low >= 4 else 1
    return [round(scale.low + (scale.high - scale.low) * step / steps) for step in range(steps + 1)]


def _draw_document(drawing: Drawing, x: float, y: float, document: Details) -> None:
    rank = document["rank"]
    faint = rank is None or rank > 5
    tall = 8 if faint else 8 + 3.5 * (6 - rank)
    style = "series-1" if document["golden"] else "series-2"
    words = f"{document['name']} ({document['issued']}), " + (f"rank {rank}" if rank else "not ranked")
    drawing.rect(style, x - 1.5, y + 28 - tall, 3, tall, title=words, opacity=0.3 if faint else 1.0)


def _changes_panel(drifts: Sequence[Details]) -> Panel:
    """Per drift the strongest changes: shares of cases before and after."""
    drawing = Drawing("Changes before and after drifts")
    y, left, width = 26.0, LEFT + 70, WIDTH - 170
    drawing.legend(left, (("series-2", "before"), ("series-1", "after")), step=80)
    for drift in drifts:
        drawing.text(4, y + 12, f"{drift['drift']} ({drift['type']})")
        y += 20
        for change in drift["changes"]:
            most = max(change["before"], change["after"], 1.0 if change["kind"] != "duration" else 1e-9)
            length = Scale(0, most, 0, width)
            drawing.text(left - 8, y + 12, change["name"], "end", longest=46)
            drawing.rect("series-2", left, y, length(change["before"]), 7)
            drawing.rect("series-1", left, y + 8, length(change["after"]), 7)
            drawing.text(left + width + 8, y + 12, _figures(change))
            y += 21
        y += 8
    return Panel(
        title="What changed in the process",
        svg=drawing.svg(y),
        caption="The strongest certain changes of the first drifts: the share of cases with an activity, a relation "
        "(one directly after the other), a variant or a resource, or median hours, before and after the drift.",
        columns=("drift", "type", "kind", "change", "before", "after"),
        rows=tuple(
            (drift["drift"], drift["type"], change["kind"], change["name"], change["before"], change["after"])
            for drift in drifts
            for change in drift["changes"]
        ),
    )


def _figures(change: Details) -> str:
    if change["kind"] == "duration":
        return f"{change['before']:.1f} → {change['after']:.1f} h"
    return f"{change['before']:.0%} → {change['after']:.0%}"


def _quotes_panel(drifts: Sequence[Details], subject: str) -> Panel:
    """The first quote of each drift, word for word."""
    drawing, y = Drawing("Quotes from documents"), 4.0
    for drift in drifts:
        quote = drift["quotes"][0]
        checked = "verbatim" if quote["verbatim"] else "NOT verbatim"
        right = quote["document"] in drift["golden"]
        style = "series-1" if right else "series-2"
        lines = textwrap.wrap(f"“{quote['text']}”", 120)[:4]
        heading = f"{drift['drift']}: {quote['document']} ({'golden' if right else 'not golden'}, {checked})"
        drawing.rect(style, 4, y, 3, _LINE * (len(lines) + 1))
        drawing.text(14, y + 12, heading, longest=125)
        for number, line in enumerate(lines, start=1):
            drawing.text(14, y + 12 + _LINE * number, line)
        y += _LINE * (len(lines) + 1) + 10
    return Panel(
        title="Quoted evidence",
        svg=drawing.svg(y),
        caption=f"Subject {subject}: the passage that it quotes first for each of the first drifts. Every quote is "
        "looked up in the document at the offsets it names.",
        columns=("drift", "document", "quote", "verbatim"),
        rows=tuple(
            (drift["drift"], quote["document"], quote["text"], bool(quote["verbatim"]))
            for drift in drifts
            for quote in drift["quotes"]
        ),
    )
