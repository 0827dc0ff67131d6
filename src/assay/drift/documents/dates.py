"""Dates in names and texts: what they say, where they stand, and whether something was issued or begins on that day."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal, NamedTuple, TypeAlias

from assay.drift.documents.calendar_days import (
    day_of,
    feast_day,
    last_of_month,
    monday_of,
    nth_day,
    nth_weekday,
    years_around,
)
from assay.drift.documents.date_words import MONTHS, ORDINAL, YEAR, DateWords, date_words, month_number
from assay.drift.documents.language import language_of, with_plain_letters

__all__ = ["DateKind", "DateMention", "date_in_name", "find_dates", "issue_date"]

DateKind: TypeAlias = Literal["issued", "effective", "mentioned"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DateMention:
    """One day that a text names: ``text[start:end]`` are the words that name it.

    ``kind`` is "issued" in a header line such as "Date: ...", "effective" where the words around it say that something
    begins or changes on that day, else "mentioned". ``until`` is the last day that may be meant, where the words leave
    that open ("in May", "at the end of May").
    """

    day: date
    kind: DateKind
    start: int
    end: int
    until: date | None = None


_ISO = re.compile(rf"(?<!\d)({YEAR})[-/.]([01]?\d)[-/.]([0-3]?\d)(?!\d)")
_NUMERIC = re.compile(rf"(?<![\d.])([0-3]?\d)([-/.])([0-3]?\d)\2({YEAR})(?!\d)")
_DAY_MONTH = re.compile(
    rf"(?<![\d.,])([0-3]?\d){ORDINAL}\.?\s+(?:of\s+|de\s+)?([^\W\d_]{{3,10}})\.?(?:,?\s+(?:of\s+|de\s+)?({YEAR})\b)?"
)
_MONTH_DAY = re.compile(rf"\b([^\W\d_]{{3,10}})\.?\s+([0-3]?\d){ORDINAL}(?![\d.]*\d)(?:,?\s+({YEAR})\b)?")
_MONTH_YEAR = re.compile(rf"\b([^\W\d_]{{3,10}})\.?,?\s+(?:de\s+)?({YEAR})\b")
_DOTTED = re.compile(r"(?<![\d.])([0-3]\d)\.([01]\d)\.(?![\d])")  # "15.04." without a year
_NAME = re.compile(rf"(?<!\d)({YEAR})[-_. ]?([01]\d)[-_. ]?([0-3]\d)(?!\d)")
_HEAD = 8  # lines in which a letter or minutes say when they were written
_FOOT = 3
_FEAST = 7  # days around a feast that may be meant by its name
_SIGNATURE = 60  # characters: what stands below a letter, and no sentence of it


class _Reading(NamedTuple):
    days: tuple[date, ...]  # the possible readings, the most usual first
    start: int
    end: int
    whole_month: bool


def date_in_name(name: str) -> date | None:
    """The date that a file name carries, or None.

    >>> date_in_name("2020-03-02_New_Rule.pdf"), date_in_name("minutes 20200417.txt"), date_in_name("policy.pdf")
    (datetime.date(2020, 3, 2), datetime.date(2020, 4, 17), None)
    """
    for match in _NAME.finditer(name):
        day = day_of(int(match[1]), int(match[2]), int(match[3]))
        if day is not None:
            return day
    return None


def find_dates(text: str, *, issued: date | None = None, language: str | None = None) -> tuple[DateMention, ...]:
    r"""Every day that a text names, in the order of the text.

    Days written in numbers whose order is unclear, and days without a year, are read as the one nearest to ``issued``,
    or to the day on which the text says that it was written (without both: day before month, and days without a year
    are left out). "With immediate effect", "in two weeks", "next Monday" and "the second Monday in May" count from that
    day, too. ``language`` is the code of the text's language; without one it is detected.

    >>> found = find_dates("Date: 2 March 2020\nIt applies from 16/03/2020.")
    >>> [(mention.day.isoformat(), mention.kind) for mention in found]
    [('2020-03-02', 'issued'), ('2020-03-16', 'effective')]
    >>> [str(mention.day) for mention in find_dates("Ab dem zweiten Montag im November.", issued=date(2021, 9, 23))]
    ['2021-11-08']
    """
    words = date_words(language or language_of(text).code)
    anchor = issued if issued is not None else _date_of_writing(text, _plain_dates(text, None, words))
    mentions = _plain_dates(text, anchor or _some_year(text), words)
    if anchor is not None:
        covered = [(mention.start, mention.end) for mention in mentions]
        for mention in _relative(with_plain_letters(text), anchor, words):
            if not any(mention.start < end and start < mention.end for start, end in covered):
                covered.append((mention.start, mention.end))
                mentions.append(mention)
    return tuple(sorted(mentions, key=lambda mention: (mention.start, mention.end)))


def _plain_dates(text: str, anchor: date | None, words: DateWords) -> list[DateMention]:
    mentions: list[DateMention] = []
    covered = bytearray(len(text))
    for reading in _candidates(text, anchor):
        if any(covered[reading.start : reading.end]):
            continue
        covered[reading.start : reading.end] = b"\1" * (reading.end - reading.start)
        kind = _kind(text, reading.start, reading.end, words)
        day = _likeliest(reading.days, anchor, kind)
        until = last_of_month(day) if reading.whole_month else None
        mentions.append(DateMention(day=day, kind=kind, start=reading.start, end=reading.end, until=until))
    return sorted(mentions, key=lambda mention: mention.start)


def _date_of_writing(text: str, dates: Sequence[DateMention]) -> date | None:
    """When a text says that it was written: in a header line, else in its first or last lines.

    Days of events ("When: ...") and of beginnings do not count. A month is used where no day is named.
    """
    labelled = next((one.day for one in dates if one.kind == "issued"), None)
    if labelled is not None:
        return labelled
    head, foot = _edges(text)
    words = date_words(language_of(text).code)
    near = [one for one in dates if not _is_event(text, one, words)]
    first = [one for one in near if one.end <= head]
    last = [one for one in near if one.start >= foot and len(_line(text, one.start)) <= _SIGNATURE]
    for lines in (first, last):
        exact = next((one.day for one in lines if one.until is None), None)
        if exact is not None or lines:
            return exact if exact is not None else lines[0].day
    return None


def _line(text: str, at: int) -> str:
    end = text.find("\n", at)
    return text[text.rfind("\n", 0, at) + 1 : end if end >= 0 else len(text)]


def _some_year(text: str) -> date | None:
    """The middle of the first year that a text names, where nothing else tells in which year it was written."""
    match = re.search(rf"(?<![\d.]){YEAR}(?![\d.])", text)
    return date(int(match.group()), 7, 1) if match else None


def _is_event(text: str, mention: DateMention, words: DateWords) -> bool:
    line = text[text.rfind("\n", 0, mention.start) + 1 : mention.start]
    return mention.kind == "effective" or words.event.search(line) is not None


def _edges(text: str) -> tuple[int, int]:
    """Where the head of a text ends and its foot begins: some lines that hold words."""
    spans = [match.span() for match in re.finditer(r"[^\n]*\S[^\n]*(?:\n|$)", text)]
    return (spans[:_HEAD][-1][1], spans[-_FOOT:][0][0]) if spans else (0, 0)


def issue_date(name: str, dates: tuple[DateMention, ...], text: str = "") -> date | None:
    """When a document was issued: the date in its name, else the one its text says; None when neither is there."""
    from_name = date_in_name(name)
    if from_name is not None:
        return from_name
    return _date_of_writing(text, dates) if text else next((one.day for one in dates if one.kind == "issued"), None)


def _candidates(text: str, issued: date | None) -> Iterator[_Reading]:
    for match in _ISO.finditer(text):
        yield from _readings(match.span(), day_of(int(match[1]), int(match[2]), int(match[3])))
    for match in _NUMERIC.finditer(text):
        first, second, year = int(match[1]), int(match[3]), int(match[4])
        yield from _readings(match.span(), day_of(year, second, first), day_of(year, first, second))
    for match in _DAY_MONTH.finditer(text):
        yield from _worded(match, number=match[1], word=match[2], year=match[3], issued=issued)
    for match in _MONTH_DAY.finditer(text):
        yield from _worded(match, number=match[2], word=match[1], year=match[3], issued=issued)
    for match in _DOTTED.finditer(text):
        years = years_around(issued)
        yield from _readings(match.span(), *(day_of(year, int(match[2]), int(match[1])) for year in years))
    for match in _MONTH_YEAR.finditer(text):
        month = month_number(match[1])
        if month is not None:
            yield from _readings(match.span(), day_of(int(match[2]), month, 1), whole_month=True)


def _worded(
    match: re.Match[str], *, number: str, word: str, year: str | None, issued: date | None
) -> Iterator[_Reading]:
    month = month_number(word)
    if month is None:
        return
    years = [int(year)] if year is not None else years_around(issued)
    yield from _readings(match.span(), *(day_of(each, month, int(number)) for each in years))


def _readings(span: tuple[int, int], *readings: date | None, whole_month: bool = False) -> Iterator[_Reading]:
    days = tuple(dict.fromkeys(day for day in readings if day is not None))
    if days:
        yield _Reading(days, *span, whole_month)


def _likeliest(days: tuple[date, ...], anchor: date | None, kind: DateKind) -> date:
    """The reading nearest to the day of issue, and ahead of it rather than behind: the more so what takes effect."""
    if anchor is None:
        return days[0]
    behind = 3 if kind == "effective" else 2
    return min(days, key=lambda day: (day - anchor).days if day >= anchor else behind * (anchor - day).days)


def _kind(text: str, start: int, end: int, words: DateWords) -> DateKind:
    before, after = text[max(0, start - 70) : start], text[end : end + 80]
    header = words.header.search(before)
    if header and not words.no_issue.search(before[: header.start("label")]):
        return "issued"
    if words.not_a_start.search(before):
        return "mentioned"
    return "effective" if words.begins_before.search(before) or words.begins_after.search(after) else "mentioned"


def _relative(text: str, anchor: date, words: DateWords) -> Iterator[DateMention]:
    """Days given by their distance from the day of issue, or by their place in a month or a year."""

    def mention(match: re.Match[str], day: date, *, sure: bool = False, until: date | None = None) -> DateMention:
        kind = "effective" if sure else _kind(text, match.start(), match.end(), words)
        return DateMention(day=day, kind=kind, start=match.start(), end=match.end(), until=until)

    def first_of_month(match: re.Match[str]) -> date:
        year_text, month = match.groupdict().get("year"), MONTHS[match["month"].lower()]
        years = [int(year_text)] if year_text else years_around(anchor)
        return _likeliest(tuple(date(year, month, 1) for year in years), anchor, "effective")

    for match in words.immediately.finditer(text):
        yield mention(match, anchor, sure=True)
    for pattern in words.relative:
        for match in pattern.finditer(text):
            count = words.numbers.get(match["count"].lower()) or int(match["count"])
            unit = 1 if match["day"] else 7 if match["week"] else 30
            yield mention(match, anchor + timedelta(days=count * unit))
    for match in words.first_of_next.finditer(text):
        yield mention(match, last_of_month(anchor) + timedelta(days=1), sure=True)
    for match in words.nth_weekday.finditer(text):
        first = first_of_month(match)
        day = nth_weekday(first, words.weekdays[match["weekday"].lower()], words.ordinals[match["nth"].lower()])
        if day is not None:
            yield mention(match, day, sure=True)
    for match in words.nth_next_month.finditer(text):
        ordinal = match["nth"].lower()
        number = words.ordinals.get(ordinal) or int(re.sub(r"\D", "", ordinal))
        day = nth_day(last_of_month(anchor) + timedelta(days=1), number)
        if day is not None:
            yield mention(match, day, sure=True)
    for match in words.nth_of_month.finditer(text):
        day = nth_day(first_of_month(match), words.ordinals[match["nth"].lower()])
        if day is not None:
            yield mention(match, day)
    for match in words.next_weekday.finditer(text):
        ahead = (words.weekdays[(match["one"] or match["two"]).lower()] - anchor.weekday() - 1) % 7 + 1
        later = 7 if match["after"] and match["after"].lower() in ("week", "en huit") else 0
        yield mention(match, anchor + timedelta(days=ahead + later), sure=True)
    for match in words.week.finditer(text):
        number = int(match["one"] or match["two"])
        mondays = [monday_of(year, number) for year in years_around(anchor)]
        if days := tuple(day for day in mondays if day is not None):
            yield mention(match, _likeliest(days, anchor, "effective"))
    for ahead, pattern in enumerate(words.weeks):
        monday = anchor + timedelta(days=7 * ahead - anchor.weekday())
        for match in pattern.finditer(text):
            yield mention(match, monday, until=monday + timedelta(days=6))
    for match in words.feasts.finditer(text):
        rule = words.feast_days[match.group().lower()]
        days = tuple(feast_day(year, rule) for year in years_around(anchor))
        day = _likeliest(days, anchor, "effective")
        yield mention(match, day, until=day + timedelta(days=_FEAST))
    for match in words.new_year.finditer(text):
        yield mention(match, date(anchor.year + 1, 1, 1), until=date(anchor.year + 1, 1, 7), sure=True)
    for match in words.part.finditer(text):
        first = first_of_month(match)
        low, high = (1, 9) if match["early"] else (10, 20) if match["middle"] else (24, 31)
        day = first + timedelta(days=low - 1)
        until = first + timedelta(days=high - 1) if high < 31 else last_of_month(first) + timedelta(days=3)
        yield mention(match, day, until=until)
    for match in words.whole.finditer(text):
        first = first_of_month(match)
        yield mention(match, first, until=last_of_month(first))
