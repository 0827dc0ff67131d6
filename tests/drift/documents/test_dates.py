"""Dates in names and texts."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.drift.documents.dates import date_in_name, find_dates, issue_date

ISSUED = date(2020, 2, 24)


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("2020-03-02_New_Rule.pdf", date(2020, 3, 2)),
        ("New_Rule_2020_03_02.pdf", date(2020, 3, 2)),
        ("20200302 rule.txt", date(2020, 3, 2)),
        ("folder/2020-03-02.txt", date(2020, 3, 2)),
        ("2020-13-02_rule.txt", None),
        ("2020-02-30_rule.txt", None),
        ("invoice_120200302.txt", None),
        ("rule.txt", None),
    ],
)
def test_names_carry_dates(name: str, day: date | None) -> None:
    assert date_in_name(name) == day


@pytest.mark.parametrize(
    "words",
    [
        "2020-03-02",
        "2020/03/02",
        "02.03.2020",
        "2 March 2020",
        "2nd of March 2020",
        "2nd of March, 2020",
        "March 2, 2020",
        "Mar. 2nd 2020",
        "2. März 2020",
        "2 maart 2020",
        "2 de marzo de 2020",
        "2 mars 2020",
    ],
)
def test_usual_ways_of_writing_a_day_are_read(words: str) -> None:
    text = f"We met on {words} again."
    (mentions,) = find_dates(text)
    assert mentions.day == date(2020, 3, 2)
    assert text[mentions.start : mentions.end].strip() == words


@given(st.dates(min_value=date(1990, 1, 1), max_value=date(2060, 12, 31)))
def test_every_day_is_read_back_from_three_forms(day: date) -> None:
    for text in (day.isoformat(), f"{day.day} {day:%B %Y}", f"{day:%B} {day.day}, {day:%Y}"):
        assert [mentions.day for mentions in find_dates(f"see {text} there")] == [day]


@given(st.text(max_size=300))
def test_offsets_always_lie_inside_the_text(text: str) -> None:
    for mentions in find_dates(text, issued=ISSUED):
        assert 0 <= mentions.start < mentions.end <= len(text)


def test_unclear_order_of_numbers_is_settled_by_the_day_of_issue() -> None:
    assert find_dates("on 04/03/2020", issued=ISSUED)[0].day == date(2020, 3, 4)
    assert find_dates("on 04/03/2020", issued=date(2020, 4, 1))[0].day == date(2020, 4, 3)
    assert find_dates("on 25/03/2020", issued=date(2020, 12, 1))[0].day == date(2020, 3, 25)


def test_days_without_a_year_take_the_one_near_the_issue_and_rather_ahead_of_it() -> None:
    assert find_dates("from 1 March", issued=ISSUED)[0].day == date(2020, 3, 1)
    assert find_dates("from 5 January", issued=date(2019, 12, 20))[0].day == date(2020, 1, 5)
    assert find_dates("applies from 2 February", issued=date(2019, 6, 1))[0].day == date(2020, 2, 2)
    assert find_dates("from 1 March") == ()


def test_the_header_date_serves_where_the_name_has_none() -> None:
    mentions = find_dates("Subject: Rule\nDate: 24 February 2020\n\nIt applies from 9 March.")
    assert [(mention.day, mention.kind) for mention in mentions] == [
        (ISSUED, "issued"),
        (date(2020, 3, 9), "effective"),
    ]
    assert issue_date("rule.txt", mentions) == ISSUED
    assert issue_date("2020-02-20_rule.txt", mentions) == date(2020, 2, 20)
    assert issue_date("rule.txt", ()) is None


@pytest.mark.parametrize("month", ["Febuary", "Februrary"])
def test_misspelled_months_are_understood(month: str) -> None:
    assert find_dates(f"Date: 24 {month} 2020")[0].day == ISSUED


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The rule takes effect on 9 March 2020.", "effective"),
        ("With effect from 9 March 2020 it is binding.", "effective"),
        ("Starting on 9 March 2020, we change.", "effective"),
        ("On 9 March 2020 the new form becomes mandatory.", "effective"),
        ("Issued: 9 March 2020", "issued"),
        ("Sent: Monday, 9 March 2020", "issued"),
        ("Subject: Rule From: Board Date: 9 March 2020 To: all", "issued"),
        ("This rule, issued on 9 March 2020, is long.", "issued"),
        ("Effective date: 9 March 2020", "effective"),
        ("Start date: 9 March 2020", "effective"),
        ("Hand it in by 9 March 2020.", "mentioned"),
        ("The offer is valid until 9 March 2020.", "mentioned"),
        ("The party was on 9 March 2020.", "mentioned"),
    ],
)
def test_kinds_of_dates_follow_from_the_words_around_them(text: str, kind: str) -> None:
    (mentions,) = find_dates(text)
    assert mentions.kind == kind


def test_relative_days_count_from_the_issue() -> None:
    def days(text: str) -> list[date]:
        return [mentions.day for mentions in find_dates(text, issued=ISSUED)]

    assert days("This holds with immediate effect.") == [ISSUED]
    assert days("It starts in two weeks.") == [ISSUED + timedelta(days=14)]
    assert days("It applies from the first of next month.") == [date(2020, 3, 1)]
    assert [mentions.day for mentions in find_dates("from the first of next month", issued=date(2019, 12, 5))] == [
        date(2020, 1, 1)
    ]
    assert find_dates("This holds with immediate effect.") == ()


@pytest.mark.parametrize(
    ("text", "ahead"),
    [("active since this week", 0), ("ab nächster Woche", 7), ("à partir de la semaine prochaine", 7)],
)
def test_a_week_may_be_told_by_its_distance(text: str, ahead: int) -> None:
    (mentions,) = find_dates(text, issued=date(2020, 2, 19), language={"ab": "de", "à ": "fr"}.get(text[:2], "en"))
    assert (mentions.day, mentions.until) == (date(2020, 2, 17 + ahead), date(2020, 2, 23) + timedelta(days=ahead))


@pytest.mark.parametrize(
    "text", ["Room 12.03", "version 3.2.1", "call 2020 0302", "1,200 euro", "May we ask?", "30 people"]
)
def test_other_numbers_are_no_dates(text: str) -> None:
    assert find_dates(text, issued=ISSUED) == ()


def test_a_day_below_a_sender_is_no_beginning() -> None:
    text = "To: attendants\nFrom: Front of House\n12 April 2022\n\nThe rota applies from 25 April."
    assert [(str(one.day), one.kind) for one in find_dates(text)] == [
        ("2022-04-12", "mentioned"),
        ("2022-04-25", "effective"),
    ]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("The second Monday in APRİL.", date(2020, 4, 13)),
        ("It starts mid-Auguſt.", date(2020, 8, 10)),
        ("It starts in ſix weeks.", date(2020, 4, 6)),
    ],
)
def test_letters_of_other_scripts_name_the_same_days(text: str, day: date) -> None:
    assert [mentions.day for mentions in find_dates(text, issued=ISSUED, language="en")] == [day]


def test_the_53rd_week_is_that_of_a_year_which_has_one() -> None:
    (mention,) = find_dates("It starts in week 53.", issued=date(2021, 6, 1))
    assert mention.day == date(2020, 12, 28)
    assert not find_dates("It starts in week 53.", issued=date(2023, 6, 1))
    assert not find_dates("It starts in week 54.", issued=date(2020, 12, 1))
