from __future__ import annotations

import calendar
from datetime import date, timedelta
from importlib import import_module

import pytest

from assay.drift.documents.calendar_days import day_of, feast_day, last_of_month, monday_of, nth_day, nth_weekday


def test_feasts_that_move_follow_easter() -> None:
    easter = import_module("dateutil.easter").easter
    for year in range(1900, 2100):
        assert feast_day(year, "+0") == easter(year)
        assert feast_day(year, "-2") == easter(year) - timedelta(days=2)
    assert feast_day(2021, "12-25") == date(2021, 12, 25)


@pytest.mark.parametrize("first", [date(2020, 2, 1), date(2021, 2, 1), date(2021, 12, 1), date(2026, 11, 1)])
def test_days_of_a_month_are_those_of_the_calendar(first: date) -> None:
    weeks = calendar.monthcalendar(first.year, first.month)
    for weekday in range(7):
        days = [date(first.year, first.month, week[weekday]) for week in weeks if week[weekday]]
        assert [nth_weekday(first, weekday, nth) for nth in range(1, 5)] == days[:4]
        assert nth_weekday(first, weekday, 5) == (days[4] if len(days) > 4 else None)
        assert nth_weekday(first, weekday, -1) == days[-1]
    last = first.replace(day=calendar.monthrange(first.year, first.month)[1])
    assert last_of_month(first) == last_of_month(last) == nth_day(first, -1) == last
    assert nth_day(first, 28) == first.replace(day=28)
    assert nth_day(first, 32) is None


def test_days_and_weeks_that_a_year_does_not_have_are_none() -> None:
    assert day_of(2021, 2, 29) is None
    assert monday_of(2021, 53) is None
    assert monday_of(2020, 53) == date(2020, 12, 28)
