"""Days by their place in a month, a week or a year."""

from __future__ import annotations

from datetime import date, timedelta

__all__ = ["day_of", "feast_day", "last_of_month", "monday_of", "nth_day", "nth_weekday", "years_around"]


def years_around(day: date | None) -> list[int]:
    """The years that may be meant where none is named, the likeliest first."""
    return [] if day is None else [day.year, day.year + 1, day.year - 1]


def day_of(year: int, month: int, day: int) -> date | None:
    """A day; None where the month has no such day."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def monday_of(year: int, week: int) -> date | None:
    """The first day of a week; None where the year has no such week."""
    try:
        return date.fromisocalendar(year, week, 1)
    except ValueError:
        return None


def last_of_month(day: date) -> date:
    """The last day of the month that a day lies in."""
    return date(day.year + day.month // 12, day.month % 12 + 1, 1) - timedelta(days=1)


def feast_day(year: int, rule: str) -> date:
    """The day of a feast: a month and a day, or days after Easter."""
    if rule[0] not in "+-":
        month_and_day = rule.split("-")
        return date(year, int(month_and_day[0]), int(month_and_day[1]))
    golden, century = year % 19, year // 100
    epact = (century - century // 4 - (8 * century + 13) // 25 + 19 * golden + 15) % 30
    epact -= epact // 28 * (1 - epact // 28 * (29 // (epact + 1)) * ((21 - golden) // 11))
    weekday = (year + year // 4 + epact + 2 - century + century // 4) % 7
    shift = epact - weekday
    month = 3 + (shift + 40) // 44
    return date(year, month, shift + 28 - 31 * (month // 4)) + timedelta(days=int(rule))


def nth_day(first: date, nth: int) -> date | None:
    """The n-th day of the month that begins with ``first``; below 1 the last."""
    return day_of(first.year, first.month, nth) if nth > 0 else last_of_month(first)


def nth_weekday(first: date, weekday: int, nth: int) -> date | None:
    """The n-th Monday (0) to Sunday (6) of the month that begins with ``first``; below 0 the last."""
    if nth < 0:
        last = last_of_month(first)
        return last - timedelta(days=(last.weekday() - weekday) % 7)
    day = first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (nth - 1))
    return day if day.month == first.month else None
