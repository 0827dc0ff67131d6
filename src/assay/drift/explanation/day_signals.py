"""Signals of days: how well the day of issue, and the days that a text names, fit the days of a drift."""

from __future__ import annotations

from datetime import date

import numpy as np

from assay.drift.documents.dates import DateMention
from assay.drift.documents.document import Document

__all__ = [
    "MENTIONED",
    "course_signal",
    "date_signal",
    "day_fit",
    "day_signal",
    "elsewhere_signal",
    "fit_days",
    "is_late",
    "late_signal",
    "notice_signal",
    "own_days",
]

_BEFORE, _AFTER = 30, 3  # days: a document issued so long before or after the start fits fully
_FADE_BEFORE, _FADE_AFTER = 45.0, 5.0  # days in which the fit falls by a factor of e beyond that
_DAY_EXACT, _DAY_FADE = 4, 7.0
MENTIONED = 0.7  # a day that is named, but not as the start of something, is a weaker sign
_VAGUE = 0.6  # so is a month
_AT_END = 0.6  # and a day that fits the end of the drift, not its start
_COURSE = 10  # days from which on a drift has an end apart from its start
_LATE = 7.0  # days after the start beyond which a document rather reports than causes


def date_signal(issued: date | None, start: date) -> float:
    """How well the day of issue fits: fully from a month before the start to three days after, fading beyond.

    >>> date_signal(date(2020, 3, 1), date(2020, 3, 10)), round(date_signal(date(2019, 11, 1), date(2020, 3, 10)), 3)
    (1.0, 0.108)
    """
    if issued is None:
        return float("nan")
    lead = (start - issued).days
    if lead > _BEFORE:
        return float(np.exp(-(lead - _BEFORE) / _FADE_BEFORE))
    return float(np.exp(-(-lead - _AFTER) / _FADE_AFTER)) if -lead > _AFTER else 1.0


def notice_signal(document: Document, start: date) -> float:
    """How well the day of issue fits; a document that names the day itself may come as early as it likes."""
    fit = date_signal(document.issued, start)
    named = [fit_days(_distance(mention, start)) for mention in own_days(document)]
    return fit if np.isnan(fit) else max([fit, *named])


def is_late(issued: date | None, start: date) -> bool:
    """Whether a document may have been issued after the start: before it nobody reports the effect."""
    return issued is None or issued > start


def late_signal(issued: date | None, start: date) -> float:
    """How far a document was issued after the fact: it can report a change, hardly cause it."""
    if issued is None:
        return float("nan")
    days = (issued - start).days
    return 0.0 if days <= _AFTER else float(1.0 - np.exp(-(days - _AFTER) / _LATE))


def day_signal(document: Document, start: date, end: date) -> float:
    """How well the days that a text names, other than that of its issue, fit the drift; nan when it names none.

    The last day of the old fits as well as the first of the new.
    """
    return max((day_fit(mention, start, end, named=1.0) for mention in own_days(document)), default=float("nan"))


def course_signal(document: Document, start: date, end: date) -> float:
    """How far a text names the first and the last day of a drift that has a course; nan for one that is sudden."""
    if (end - start).days < _COURSE:
        return float("nan")
    days = own_days(document)
    return min(max((fit_days(_distance(mention, day)) for mention in days), default=0.0) for day in (start, end))


def own_days(document: Document) -> list[DateMention]:
    """The days that a text names other than that of its issue."""
    return [
        mention
        for mention in document.dates
        if mention.kind != "issued" and not (mention.kind == "mentioned" and mention.day == document.issued)
    ]


def day_fit(mention: DateMention, start: date, end: date, *, named: float = MENTIONED) -> float:
    """How well a day that a text names fits the drift; one that is not said to begin something counts as ``named``."""
    weight = 1.0 if mention.kind == "effective" else named
    if mention.until is not None and (mention.until - mention.day).days > 2 * _DAY_EXACT:
        weight *= _VAGUE
    at_start = fit_days(_distance(mention, start))
    at_end = _AT_END * fit_days(_distance(mention, end)) if end > start else 0.0
    return weight * max(at_start, at_end)


def _distance(mention: DateMention, day: date) -> int:
    """The days between a day and the one that is named, or the nearest of those that may be meant."""
    last = mention.until or mention.day
    return (mention.day - day).days if day < mention.day else (last - day).days if day > last else 0


def fit_days(days: int) -> float:
    """How well a day so many days from the drift fits: fully within four days, fading beyond."""
    return float(np.exp(-max(0, abs(days) - _DAY_EXACT) / _DAY_FADE))


def elsewhere_signal(document: Document, start: date, end: date) -> float:
    """How far a document has something begin on other days only."""
    begins = [mention for mention in own_days(document) if mention.kind == "effective"]
    if not begins:
        return 0.0
    fits = [day_fit(mention, start, end) for mention in own_days(document)]
    return 1.0 - min(1.0, max(fits) / MENTIONED)
