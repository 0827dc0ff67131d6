"""The words that dates are written in: names of months, and the patterns of a language."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache

from assay.drift.documents.language import DEFAULT, all_languages

__all__ = ["MONTHS", "ORDINAL", "YEAR", "DateWords", "date_words", "is_month", "month_number"]

MONTHS = {
    **{word: number for entry in all_languages().values() for word, number in entry.months.items()},
    **dict(zip(["januari", "februari", "maart", "mei", "augustus"], (1, 2, 3, 5, 8), strict=True)),  # Dutch
}
_LONG_MONTHS = [name for name in MONTHS if len(name) > 4]
YEAR = r"(?:19|20)\d\d"
ORDINAL = r"(?:st|nd|rd|th|er|º|°)?"


class DateWords:
    """The patterns of one language, with the English ones beside them: many documents mix the two."""

    def __init__(self, code: str) -> None:
        entries = [all_languages()[name] for name in dict.fromkeys((code, DEFAULT))]
        lists = {name: [word for entry in entries for word in entry.dates.get(name, ())] for name in entries[0].dates}
        self.months = "|".join(sorted({m for entry in entries for m in entry.months}, key=len, reverse=True))
        self.weekdays = {word: day for entry in reversed(entries) for word, day in entry.weekdays.items()}
        self.ordinals = {word: n for entry in reversed(entries) for word, n in entry.ordinals.items()}
        self.numbers = {word: n for entry in reversed(entries) for word, n in entry.numbers.items()}
        weekday, ordinal = "|".join(self.weekdays), "|".join(self.ordinals)
        joined = {name: "|".join(words) for name, words in lists.items()}
        label = rf"(?P<label>[>*_|]*(?:{joined['header']})[ \t*_|]*(?::|(?<=issued )on\b|(?<=published )on\b))"
        self.header = _compiled(rf"(?:^|\s){label}[ \t*_|]*(?:[^\W\d_]+,?[ \t]+)?(?:den[ \t]+)?$")
        self.no_issue = _compiled(
            r"(?:effective|start|starting|implementation|commencement|live|launch|due|end|expiry|closing|entry)\s+$"
        )
        self.event = _compiled(rf"(?<!\w)(?:{joined['event']})(?!\w)[^\n]{{0,40}}\Z")
        self.begins_before = _compiled(rf"(?<!\w)(?:{joined['begins_before']})(?!\w)[^.!?\n]{{0,24}}\Z")
        self.begins_after = _compiled(rf"^[^.!?\n]{{0,60}}?(?<!\w)(?:{joined['begins_after']})")
        self.not_a_start = _compiled(
            rf"(?<!\w)(?:{joined['not_a_start']})\W*(?:(?:{weekday}),?\s+)?(?:den\s+|the\s+|le\s+|el\s+)?\Z"
        )
        self.immediately = _compiled(rf"(?<!\w)(?:{joined['immediately']})(?!\w)")
        spans = [entry.dates["ago"] for entry in entries]
        count = "|".join(sorted(self.numbers, key=len, reverse=True))
        self.relative = [
            _compiled(
                rf"\b(?:{lead}) (?P<count>\d{{1,2}}|{count}) (?:(?P<day>{day})|(?P<week>{week})|(?P<month>{month}))\b"
            )
            for lead, day, week, month in spans
        ]
        self.first_of_next = _compiled(
            r"\b(?:on |from )?the first (?:day )?of next month\b|\bbeginning of next month\b"
        )
        of = r"(?:in|of|im|des|de|del|du|d['’]|en)?\s*"
        self.nth_weekday = _compiled(
            rf"\b(?P<nth>{ordinal})\s+(?P<weekday>{weekday})\s+{of}(?P<month>{self.months})\b(?:\s+(?:de\s+)?(?P<year>{YEAR}))?"
        )
        self.nth_next_month = _compiled(
            rf"\b(?P<nth>{ordinal}|\d{{1,2}}{ORDINAL})\.?\s+(?:of |de |du )?(?:{joined['next_month']})\b"
        )
        self.nth_of_month = _compiled(
            rf"\b(?:the|zum|am|ab|le|el)\s+(?P<nth>{ordinal})\s+(?:of\s+|de\s+)(?P<month>{self.months})\b"
        )
        self.next_weekday = _compiled(
            rf"\b(?:(?:{joined['next']})\s+(?P<one>{weekday})|(?P<two>{weekday})\s+(?P<after>{joined['after_weekday']}))\b"
        )
        parts = "|".join(rf"(?P<{name}>{joined[name]})" for name in ("early", "middle", "late"))
        self.part = _compiled(rf"(?<!\w)(?:{parts})[\s-]*(?P<month>{self.months})\b(?:\s+(?:de\s+)?(?P<year>{YEAR}))?")
        self.whole = _compiled(rf"(?<!\w)(?:{joined['whole']})\s*(?P<month>{self.months})\b(?!\s+\d)")
        self.week = _compiled(
            rf"(?<!\w)(?:(?:{joined['week']})\s+(?P<one>\d{{1,2}})|(?P<two>\d{{1,2}})\.\s*(?:{joined['week']}))(?!\w)"
        )
        self.feast_days = {word: day for entry in reversed(entries) for word, day in entry.feasts.items()}
        self.feasts = _compiled(rf"(?<!\w)(?:{'|'.join(self.feast_days)})(?!\w)")
        self.weeks = [_compiled(rf"(?<!\w)(?:{joined[name]})(?!\w)") for name in ("this_week", "next_week")]
        self.new_year = _compiled(rf"(?<!\w)(?:{joined['new_year']})(?!\w)")


@cache
def date_words(code: str) -> DateWords:
    """The patterns of a language, built once."""
    return DateWords(code)


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def is_month(word: str) -> bool:
    """Whether a word is the name of a month, in any language.

    >>> is_month("März"), is_month("Mars"), is_month("Sitzung")
    (True, True, False)
    """
    return word.lower() in MONTHS


def month_number(word: str) -> int | None:
    """The month that a word names, small slips allowed; None where it names none."""
    folded = word.lower()
    if folded in MONTHS:
        return MONTHS[folded]
    # "Febuary" and "Spetember" stand in real headers
    close = get_close_matches(folded, _LONG_MONTHS, n=1, cutoff=0.85) if len(folded) > 5 else []
    return MONTHS[close[0]] if close else None
