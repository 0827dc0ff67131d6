from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from assay.core import InvalidInput, UnknownName
from assay.drift.detection.drift import Drift, drift_id

GOOD: dict[str, Any] = {
    "id": "d",
    "process": "P",
    "type": "gradual",
    "start_case": "1",
    "end_case": "9",
    "start": datetime(2020, 3, 1, tzinfo=UTC),
    "end": datetime(2020, 3, 4, tzinfo=UTC),
    "confidence": 0.7,
}


def test_a_drift_knows_how_long_it_takes() -> None:
    assert Drift(**GOOD).duration == timedelta(days=3)
    assert drift_id("permits", 2, 1) == "permits_drift_2_1"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"start": datetime(2020, 3, 1)}, "start 2020-03-01 00:00:00 has no time zone"),
        ({"start": date(2020, 3, 1)}, "start must be a datetime with a time zone, got datetime.date"),
        ({"end": datetime(2020, 2, 1, tzinfo=UTC)}, "ends .* before it starts"),
        ({"confidence": 1.2}, r"confidence must lie in \[0, 1\], got 1.2"),
        ({"confidence": float("nan")}, "confidence must lie"),
    ],
)
def test_an_impossible_drift_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Drift(**{**GOOD, **change})


def test_a_mistyped_manner_gets_a_suggestion() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'sudden'"):
        Drift(**{**GOOD, "type": "suden"})


def test_a_drift_within_a_day_is_told_as_one_day() -> None:
    assert Drift(**GOOD).days == "2020-03-01 to 2020-03-04"
    within = Drift(**{**GOOD, "end": datetime(2020, 3, 1, 17, tzinfo=UTC)})
    assert repr(within) == "Drift('d': gradual in 'P', 2020-03-01, confidence 0.70)"
