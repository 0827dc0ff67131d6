"""Explanations in sentences: why a document fits, and what the evidence amounts to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, timedelta

from assay.drift.detection.drift import Drift
from assay.drift.documents.document import Document
from assay.drift.documents.words import split_name
from assay.drift.explanation.explanation import Cause
from assay.drift.explanation.query import Changed
from assay.drift.explanation.retrieve import Scored

__all__ = ["advise", "describe", "distance_in_days", "summarise"]


def distance_in_days(day: date, start: date) -> str:
    """How far a day lies from the start of a drift, in words.

    >>> distance_in_days(date(2020, 3, 2), date(2020, 3, 10)), distance_in_days(date(2020, 3, 11), date(2020, 3, 10))
    ('8 days before the drift', '1 day after the drift')
    """
    days = (start - day).days
    if days == 0:
        return "on the day of the drift"
    return f"{abs(days)} day{'s' if abs(days) != 1 else ''} {'before' if days > 0 else 'after'} the drift"


def describe(document: Document, drift: Drift, scored: Scored) -> str:
    """What speaks for a document, and what against it."""
    start = drift.start.date()
    when = (
        "without a date of issue" if document.issued is None else f"issued {distance_in_days(document.issued, start)}"
    )
    parts = [f"{document.title}, {when}."]
    process = split_name(drift.process)
    signals = scored.signals
    named = signals["process"]
    if not math.isnan(named):
        parts.append(
            f"It speaks of {process}." if named >= 0.6 else f"It does not name {process}." if named < 0.1 else
            f"It names {process} only in part."
        )  # fmt: skip
    if not math.isnan(signals["change"]):
        share = signals["change"]
        parts.append(
            "It names what changed." if share >= 0.6 else "It names part of what changed." if share >= 0.25 else
            "It does not name what changed."
        )  # fmt: skip
    parts.append(_day_part(document, start, signals["day"]))
    if signals["denial"] >= 0.6 or signals["off"] >= 0.6:
        parts.append("It says that nothing changes or that a change is off.")
    return " ".join(part for part in parts if part)


def _day_part(document: Document, start: date, fit: float) -> str:
    if math.isnan(fit):
        return ""
    begins = [mention.day for mention in document.dates if mention.kind == "effective"]
    days = begins or [mention.day for mention in document.dates if mention.kind == "mentioned"]
    if not days:
        return ""
    nearest = min(days, key=lambda day: abs((day - start).days))
    if begins and nearest == document.issued:
        return f"It takes effect on its day of issue, {distance_in_days(nearest, start)}."
    return f"It names {nearest.isoformat()}, {distance_in_days(nearest, start)}."


def summarise(drift: Drift, causes: Sequence[Cause], *, abstained: bool, profile: Changed | None) -> str:
    """A few sentences for readers of nothing else."""
    span = f"on {drift.start:%Y-%m-%d}"
    if drift.end.date() > drift.start.date():
        span = f"from {drift.start:%Y-%m-%d} to {drift.end:%Y-%m-%d}"
    lines = [f"{split_name(drift.process)} shows {_article(drift.type)} {drift.type} drift {span}."]
    changed = [] if profile is None else list(profile.vocabulary())[:4]
    if changed:
        lines.append(f"What changed concerns: {', '.join(changed)}.")
    if abstained or not causes:
        lines.append("No document explains it well enough to be called its cause.")
        if causes:
            lines.append(f"The nearest is '{causes[0].document}' (confidence {causes[0].confidence:.0%}).")
        return " ".join(lines)
    first = causes[0]
    lines.append(f"The likeliest cause is '{first.document}' (confidence {first.confidence:.0%}, {first.band}).")
    others = [cause for cause in causes[1:] if cause.confidence >= 0.5 * first.confidence and cause.band != "low"]
    if others:
        named = ", ".join(f"'{cause.document}' ({cause.confidence:.0%})" for cause in others)
        lines.append(f"Also to be considered: {named}.")
    return " ".join(lines)


def advise(drift: Drift, causes: Sequence[Cause], *, abstained: bool) -> str:
    """What to do with an explanation."""
    low, high = drift.start.date() - timedelta(days=30), drift.start.date() + timedelta(days=7)
    if abstained or not causes:
        return (
            f"Look for documents issued between {low.isoformat()} and {high.isoformat()} that are not in the corpus, "
            f"and ask those who work on {split_name(drift.process)}."
        )
    first = causes[0]
    if first.band == "high":
        return f"Confirm '{first.document}' with the people who issued it, and check that the change was intended."
    rivals = [cause for cause in causes[1:] if cause.confidence >= 0.5 * first.confidence]
    if rivals:
        return f"Read '{first.document}' and '{rivals[0].document}' side by side: the evidence does not decide."
    return f"Read '{first.document}' on page {first.page} in full before relying on it: the evidence is not strong."


def _article(word: str) -> str:
    return "an" if word[0] in "aeiou" else "a"
