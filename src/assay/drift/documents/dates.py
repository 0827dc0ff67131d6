"""Dates in names and texts: what they say, where they stand, and whether something was issued or begins on that day."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from difflib import get_close_matches
from typing import Literal, NamedTuple, TypeAlias

__all__ = ["DateKind", "DateMention", "date_in_name", "find_dates", "issue_date"]

DateKind: TypeAlias = Literal["issued", "effective", "mentioned"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DateMention:
    """One day that a text names: ``text[start:end]`` are the words that name it.

    ``kind`` is "issued" in a header line such as "Date: ...", "effective" where the words around it say that something
    begins or changes on that day, else "mentioned".
    """

    day: date
    kind: DateKind
    start: int
    end: int


_MONTHS = {
    name: number
    for number, names in enumerate(
        [
            "january jan januar januari janvier enero",
            "february feb februar februari février fevrier febrero",
            "march mar märz maerz maart mars marzo",
            "april apr avril abril",
            "may mai mei mayo",
            "june jun juni juin junio",
            "july jul juli juillet julio",
            "august aug augustus août aout agosto",
            "september sep sept septembre septiembre",
            "october oct oktober okt octobre octubre",
            "november nov novembre noviembre",
            "december dec dezember dez décembre diciembre",
        ],
        start=1,
    )
    for name in names.split()
}
_LONG_MONTHS = [name for name in _MONTHS if len(name) > 4]
_YEAR = r"(?:19|20)\d\d"
_ORDINAL = r"(?:st|nd|rd|th)?"

_ISO = re.compile(rf"(?<!\d)({_YEAR})[-/.]([01]?\d)[-/.]([0-3]?\d)(?!\d)")
_NUMERIC = re.compile(rf"(?<![\d.])([0-3]?\d)([-/.])([0-3]?\d)\2({_YEAR})(?!\d)")
_DAY_MONTH = re.compile(
    rf"(?<![\d.,])([0-3]?\d){_ORDINAL}\.?\s+(?:of\s+|de\s+)?([^\W\d_]{{3,10}})\.?(?:,?\s+(?:of\s+|de\s+)?({_YEAR})\b)?"
)
_MONTH_DAY = re.compile(rf"\b([^\W\d_]{{3,10}})\.?\s+([0-3]?\d){_ORDINAL}(?![\d.]*\d)(?:,?\s+({_YEAR})\b)?")
_MONTH_YEAR = re.compile(rf"\b([^\W\d_]{{3,10}})\.?,?\s+({_YEAR})\b")
_NAME = re.compile(rf"(?<!\d)({_YEAR})[-_. ]?([01]\d)[-_. ]?([0-3]\d)(?!\d)")

_HEADER = re.compile(
    r"(?:^|\s)(?P<label>[>*_|]*(?:date|dated|issued|issue date|date of issue|published|publication date|sent|datum|"
    r"verzonden)[ \t*_|]*(?::|(?<=issued )on\b|(?<=published )on\b))[ \t*_|]*(?:[^\W\d_]+,?[ \t]+)?$",
    re.IGNORECASE,
)
_NO_ISSUE = re.compile(
    r"(?:effective|start|starting|implementation|commencement|live|launch|due|end|expiry|closing|entry)\s+$",
    re.IGNORECASE,
)
_BEGINS_BEFORE = re.compile(
    r"(?:effective(?: date)?|with effect|takes? effect|(?:enters?|comes?|put|be) (?:into|in) (?:force|effect)|in force|"
    r"as of|as from|starting|beginning|commencing|start(?:s|ed)?|begin(?:s|ning)?|go(?:es)?[ -]live|going live|"
    r"live|launch(?:es|ed)?|roll(?:s|ed)? out|appl(?:y|ies|icable)|valid|binding|mandatory|replaced|introduced|"
    r"from|since|per|ab|vanaf|à partir|a partir|desde|"
    r"implement(?:ed|ation)(?: date)?)\b[^.!?\n]{0,24}$",
    re.IGNORECASE,
)
_BEGINS_AFTER = re.compile(
    r"^[^.!?\n]{0,60}?\b(?:onwards?|takes? effect|(?:enters?|comes?) into (?:force|effect)|goes live|go live|"
    r"(?:will )?start(?:s)?|(?:will )?begin(?:s)?|is introduced|are introduced|will be introduced|becomes? mandatory|"
    r"appl(?:y|ies)|replaces?|switch(?:es)? (?:over|to)|(?:must|will|shall|may) )",
    re.IGNORECASE,
)
_NOT_A_START = re.compile(
    r"(?:until|till|before|ended|expires?|ends?|up to|no later than|deadline|by)\W*$", re.IGNORECASE
)
_IMMEDIATE = re.compile(
    r"\b(?:with immediate effect|effective immediately|takes? effect immediately|from (?:today|now)(?: on)?|"
    r"as of today|henceforth|"
    r"immediately applicable|applies immediately)\b",
    re.IGNORECASE,
)
_RELATIVE = re.compile(
    r"\b(?:in|within) (?P<count>\d{1,2}|a|one|two|three|four|five|six) (?P<unit>day|week|month)s?(?:' time)?\b"
    r"|\b(?P<next>(?:on |from )?the first (?:day )?of next month|beginning of next month)\b",
    re.IGNORECASE,
)
_COUNTS = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}


class _Reading(NamedTuple):
    days: tuple[date, ...]  # the possible readings, the most usual first
    start: int
    end: int


def date_in_name(name: str) -> date | None:
    """The date that a file name carries, or None.

    >>> date_in_name("2020-03-02_New_Rule.pdf"), date_in_name("minutes 20200417.txt"), date_in_name("policy.pdf")
    (datetime.date(2020, 3, 2), datetime.date(2020, 4, 17), None)
    """
    for match in _NAME.finditer(name):
        day = _day(int(match[1]), int(match[2]), int(match[3]))
        if day is not None:
            return day
    return None


def find_dates(text: str, *, issued: date | None = None) -> tuple[DateMention, ...]:
    r"""Every day that a text names, in the order of the text.

    Days written in numbers whose order is unclear, and days without a year, are read as the one nearest to ``issued``,
    or to the date in the text's header (without both: day before month, and days without a year are left out).
    "With immediate effect" and "in two weeks" count from that day, too.

    >>> found = find_dates("Date: 2 March 2020\nIt applies from 16/03/2020.")
    >>> [(mention.day.isoformat(), mention.kind) for mention in found]
    [('2020-03-02', 'issued'), ('2020-03-16', 'effective')]
    """
    anchor = issued
    if anchor is None:  # days without a year need one that has it: the header's
        anchor = next((one.day for one in _plain_dates(text, None) if one.kind == "issued"), None)
    taken = _plain_dates(text, anchor)
    if anchor is not None:
        taken += _relative(text, anchor)
    return tuple(sorted(taken, key=lambda mention: (mention.start, mention.end)))


def _plain_dates(text: str, anchor: date | None) -> list[DateMention]:
    taken: list[DateMention] = []
    covered = bytearray(len(text))
    for reading in _candidates(text, anchor):
        if any(covered[reading.start : reading.end]):
            continue
        covered[reading.start : reading.end] = b"\1" * (reading.end - reading.start)
        kind = _kind(text, reading.start, reading.end)
        day = _likeliest(reading.days, anchor, kind)
        taken.append(DateMention(day=day, kind=kind, start=reading.start, end=reading.end))
    return sorted(taken, key=lambda mention: mention.start)


def issue_date(name: str, dates: tuple[DateMention, ...]) -> date | None:
    """When a document was issued: the date in its name, else the first in a header line; None when neither is there."""
    from_name = date_in_name(name)
    return from_name if from_name is not None else next((one.day for one in dates if one.kind == "issued"), None)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _month(word: str) -> int | None:
    folded = word.lower()
    if folded in _MONTHS:
        return _MONTHS[folded]
    # "Febuary" and "Spetember" stand in real headers
    close = get_close_matches(folded, _LONG_MONTHS, n=1, cutoff=0.85) if len(folded) > 5 else []
    return _MONTHS[close[0]] if close else None


def _candidates(text: str, issued: date | None) -> Iterator[_Reading]:
    for match in _ISO.finditer(text):
        yield from _readings(match.span(), _day(int(match[1]), int(match[2]), int(match[3])))
    for match in _NUMERIC.finditer(text):
        first, second, year = int(match[1]), int(match[3]), int(match[4])
        yield from _readings(match.span(), _day(year, second, first), _day(year, first, second))
    for match in _DAY_MONTH.finditer(text):
        yield from _worded(match, number=match[1], word=match[2], year=match[3], issued=issued)
    for match in _MONTH_DAY.finditer(text):
        yield from _worded(match, number=match[2], word=match[1], year=match[3], issued=issued)
    for match in _MONTH_YEAR.finditer(text):
        month = _month(match[1])
        if month is not None:
            yield from _readings(match.span(), _day(int(match[2]), month, 1))


def _worded(
    match: re.Match[str], *, number: str, word: str, year: str | None, issued: date | None
) -> Iterator[_Reading]:
    month = _month(word)
    if month is None:
        return
    years = [int(year)] if year is not None else [issued.year + step for step in (0, 1, -1)] if issued else []
    yield from _readings(match.span(), *(_day(each, month, int(number)) for each in years))


def _readings(span: tuple[int, int], *readings: date | None) -> Iterator[_Reading]:
    days = tuple(dict.fromkeys(day for day in readings if day is not None))
    if days:
        yield _Reading(days, *span)


def _likeliest(days: tuple[date, ...], anchor: date | None, kind: DateKind) -> date:
    """The reading nearest to the day of issue; what takes effect lies ahead of it rather than behind."""
    if anchor is None:
        return days[0]
    behind = 3 if kind == "effective" else 1
    return min(days, key=lambda day: (day - anchor).days if day >= anchor else behind * (anchor - day).days)


def _kind(text: str, start: int, end: int) -> DateKind:
    before, after = text[max(0, start - 70) : start], text[end : end + 80]
    header = _HEADER.search(before)
    if header and not _NO_ISSUE.search(before[: header.start("label")]):
        return "issued"
    if _NOT_A_START.search(before):
        return "mentioned"
    return "effective" if _BEGINS_BEFORE.search(before) or _BEGINS_AFTER.search(after) else "mentioned"


def _relative(text: str, anchor: date) -> Iterator[DateMention]:
    for match in _IMMEDIATE.finditer(text):
        yield DateMention(day=anchor, kind="effective", start=match.start(), end=match.end())
    for match in _RELATIVE.finditer(text):
        if match["next"]:
            day = date(anchor.year + anchor.month // 12, anchor.month % 12 + 1, 1)
        else:
            written = match["count"].lower()
            count = _COUNTS.get(written) or int(written)
            day = anchor + timedelta(days=count * {"day": 1, "week": 7, "month": 30}[match["unit"].lower()])
        kind = "effective" if match["next"] else _kind(text, match.start(), match.end())
        yield DateMention(day=day, kind=kind, start=match.start(), end=match.end())
