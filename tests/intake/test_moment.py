"""One date or time as a user types it."""

from __future__ import annotations

from datetime import UTC, datetime

import pandas as pd
import pytest

from assay.core import InvalidInput
from assay.intake.moment import parse_moment
from assay.intake.table.options import TableOptions


@pytest.mark.parametrize(
    ("moment", "timezone"),
    [("0001-01-01", "Europe/Berlin"), ("9999-12-31T23:30-05:00", None), (datetime(9999, 12, 31, 23), "Etc/GMT+3")],
)
def test_a_moment_that_utc_cannot_name_is_refused_with_its_place(moment: str | datetime, timezone: str | None) -> None:
    with pytest.raises(InvalidInput, match=r"--time: .* is outside of the years 1 to 9999 in UTC"):
        parse_moment(moment, TableOptions(timezone=timezone), place="--time")


def test_a_missing_time_of_pandas_is_no_moment() -> None:
    assert parse_moment(pd.NaT, TableOptions(), place="time") is None  # type: ignore[arg-type]


def test_a_zone_that_is_not_known_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"time zone 'Europe/Berlim' is not known\. Give an IANA name such as time"):
        parse_moment("2024-01-01", TableOptions(timezone="Europe/Berlim"), place="time")
    assert parse_moment("2024-01-01", TableOptions(), place="time") == datetime(2024, 1, 1, tzinfo=UTC)
