from __future__ import annotations

import math
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.drift.documents.document import make_document
from assay.drift.explanation.day_signals import date_signal, day_signal, fit_days

START = date(2020, 3, 10)


@given(st.integers(-400, 400))
def test_the_date_kernel_is_full_in_its_window_and_falls_outside(lead: int) -> None:
    value = date_signal(START - timedelta(days=lead), START)
    assert 0.0 < value <= 1.0
    assert (value == 1.0) == (-3 <= lead <= 30)
    outward = date_signal(START - timedelta(days=lead + (1 if lead > 5 else -1)), START)
    assert outward <= value


def test_an_unknown_date_is_unknown() -> None:
    assert math.isnan(date_signal(None, START))


def test_days_fit_fully_within_four_days() -> None:
    assert fit_days(0) == fit_days(4) == fit_days(-4) == 1.0
    assert fit_days(30) == fit_days(-30) < 0.05


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("It applies from 9 March 2020.", 1.0, 1.0),
        ("The contract runs until 9 March 2020.", 1.0, 1.0),
        ("It applies from 9 September 2020.", 0.0, 0.01),
        ("It applied from 9 March 2019, then from 11 March 2020.", 1.0, 1.0),
    ],
)
def test_the_best_day_that_a_text_names_counts(text: str, low: float, high: float) -> None:
    assert low <= day_signal(make_document("2020-03-01_a.txt", [text]), START, START) <= high


def test_the_day_of_issue_is_no_day_of_its_own() -> None:
    document = make_document("2020-03-09_a.txt", ["Date: 9 March 2020\n\nSent on 9 March 2020."])
    assert math.isnan(day_signal(document, START, START))


def test_the_end_of_a_drift_counts_less_than_its_start() -> None:
    document = make_document("2020-03-01_a.txt", ["It applies from 1 June 2020."])
    assert day_signal(document, START, date(2020, 6, 1)) == pytest.approx(0.6)
    assert day_signal(document, START, START) < 0.01


@pytest.mark.parametrize(
    "text",
    [
        "Ab dem zweiten Montag im März wird das Budget doppelt geprüft.",
        "À partir du deuxième lundi de mars le budget est vérifié deux fois.",
        "A partir del segundo lunes de marzo el presupuesto se revisa dos veces.",
        "From the second Monday in March the budget is verified twice.",
    ],
)
def test_days_are_found_in_every_language_that_has_a_file(text: str) -> None:
    document = make_document("2020-02-01_a.txt", [text])
    assert day_signal(document, date(2020, 3, 9), date(2020, 3, 9)) == 1.0
