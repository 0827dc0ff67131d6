"""Times as texts: every usual spelling is read, and no order of day and month is guessed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from assay.intake.table.values.times import Times, read_times


def read(*texts: str) -> Times | None:
    return read_times(pd.Series(texts, dtype="str"))


@pytest.mark.parametrize(
    ("texts", "time_format", "moment"),
    [
        (["2020-01-31"], "%Y-%m-%d", "2020-01-31"),
        (["2020-01-31T12:00:00Z"], "%Y-%m-%dT%H:%M:%SZ", "2020-01-31T12:00"),
        (["2020-01-31 12:00:00+02:00"], "%Y-%m-%d %H:%M:%S%z", "2020-01-31T10:00"),
        (["2020/01/01 00:00:00.250"], "%Y/%m/%d %H:%M:%S.%f", "2020-01-01T00:00:00.250"),
        (["31.01.2020 13:45"], "%d.%m.%Y %H:%M", "2020-01-31T13:45"),
        (["1/31/2023 12:05 AM"], "%m/%d/%Y %I:%M %p", "2023-01-31T00:05"),
        (["3. März 2021"], "%d. %B %Y", "2021-03-03"),
        (["05-Mar-21"], "%d-%b-%y", "2021-03-05"),
        (["March 5, 2021"], "%B %d, %Y", "2021-03-05"),
        (["Mon, 01 Mar 2021 10:00:00 +0100"], "%a, %d %b %Y %H:%M:%S %z", "2021-03-01T09:00"),
        (["12 janvier 2023 10h45"], "%d %B %Y %Hh%M", "2023-01-12T10:45"),
        (["20230131"], "%Y%m%d", "2023-01-31"),
        (["20230131T104500Z"], "%Y%m%dT%H%M%SZ", "2023-01-31T10:45"),
        (["2020-W53"], "%G-W%V", "2020-12-28"),
        (["31.12.2020 24:00"], "%d.%m.%Y %H:%M", "2021-01-01"),
        (["2020-11"], "%Y-%m", "2020-11-01"),
        (["15.03.69", "16.04.70"], "%d.%m.%y", "1969-03-15"),
    ],
)
def test_the_usual_spellings_are_read(texts: list[str], time_format: str, moment: str) -> None:
    times = read(*texts)
    assert times is not None
    assert times.values is not None
    assert (times.format, times.values[0]) == (time_format, np.datetime64(moment))


@pytest.mark.parametrize(
    "texts",
    [
        ["02/01/2023 05:00", "03/04/2023 06:00"],
        ["02.01.2023", "03.04.2023"],
        ["02-01-2023", "03-04-2023"],
        ["03/04/05", "12/11/10"],
        ["14/02/2022", "02/15/2022"],
        ["02/01/2023", "15-01-2023"],  # another hand proves nothing
        ["15-01-2023", "02/01/2023"],
        ["15-01-2023", "01/15/2023"],
    ],
)
def test_an_order_that_no_row_proves_stays_open(texts: list[str]) -> None:
    times = read(*texts)
    assert times is not None
    assert times.ambiguous
    assert times.values is None


def test_one_row_proves_the_order_for_its_column() -> None:
    times = read("02/01/2023", "03/04/2023", "13/04/2023")
    assert times is not None
    assert times.values is not None
    assert times.values[0] == np.datetime64("2023-01-02")


@pytest.mark.parametrize("text", ["1.2.3", "192.168.1.1", "31.02.2020", "2020-13-01", "foo 12", "12", "May be 12 2020"])
def test_other_texts_are_no_times(text: str) -> None:
    assert read(text) is None


def test_offsets_that_differ_are_one_line_of_time() -> None:
    times = read("2023-10-29T02:30:00+02:00", "2023-10-29T02:30:00+01:00")
    assert times is not None
    assert times.values is not None
    assert times.zones == ("+02:00", "+01:00")
    assert times.values[1] - times.values[0] == np.timedelta64(1, "h")


def test_the_dates_of_git_and_ctime_are_read() -> None:
    times = read("Tue Mar 2 10:11:12 2021 +0200")
    assert times is not None
    assert times.values is not None
    assert times.values[0] == np.datetime64("2021-03-02T08:11:12")


@pytest.mark.parametrize("texts", [("31.01.2020", "28.02.21"), ("31 Jan 2020", "28 Feb 21"), ("Jan 2020", "Feb 21")])
def test_years_of_two_digits_are_read_the_same_wherever_they_stand(texts: tuple[str, str]) -> None:
    times, turned = read(*texts), read(*reversed(texts))
    assert times is not None
    assert turned is not None
    assert times.values is not None
    assert turned.values is not None
    assert times.values.astype("datetime64[Y]").tolist() == turned.values[::-1].astype("datetime64[Y]").tolist()
    assert times.values[1].astype("datetime64[Y]") == np.datetime64("2021")


def test_a_week_that_its_year_does_not_have_is_no_time() -> None:
    times = read("2020-W53", "2021-W53", "2021-W52")
    assert times is not None
    assert times.wrong == (1,)


@pytest.mark.parametrize(("zone", "hour"), [("EST", 15), ("UTC", 10), ("CET", 9)])
def test_the_zone_before_the_year_counts(zone: str, hour: int) -> None:
    times = read(f"Mon Jan 6 10:00:00 {zone} 2020")
    assert times is not None
    assert times.values is not None
    assert times.zoned.all()
    assert times.values[0] == np.datetime64(f"2020-01-06T{hour:02}:00")
