from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.chat.waiting import own_wait, requested_wait

NOW = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("", None),
        ("soon", None),
        ("nan", None),
        ("inf", None),
        ("0", 0.0),
        ("1.5", 1.5),
        ("-3", 0.0),
        ("Mon, 05 Jan 2026 12:00:30 GMT", 30.0),
        ("Mon, 05 Jan 2026 11:00:00 GMT", 0.0),
        ("Mon, 99 Jan 2026 11:00:00 GMT", None),
        ("Mon, 05 Jan 99999999999999999999 11:00:00 GMT", None),
        ("Mon, 05 Jan 2026 11:00:00 +99999999999999999", None),
    ],
)
def test_a_header_is_a_number_or_a_date_or_nothing(header: str | None, seconds: float | None) -> None:
    assert requested_wait(header, now=NOW) == seconds


@given(st.text(max_size=40))
def test_no_header_whatsoever_is_an_error(header: str) -> None:
    wait = requested_wait(header, now=NOW)
    assert wait is None or wait >= 0


@given(st.integers(1, 200), st.binary(max_size=30))
def test_waits_double_up_to_the_longest_and_repeat_for_the_same_request(attempt: int, request: bytes) -> None:
    wait = own_wait(attempt, request, first=0.5, longest=20.0)
    full = min(0.5 * 2.0 ** (attempt - 1), 20.0)
    assert full / 2 <= wait <= full
    assert wait == own_wait(attempt, request, first=0.5, longest=20.0)


def test_different_requests_do_not_come_back_together() -> None:
    waits = {own_wait(1, bytes([number]), first=1.0, longest=20.0) for number in range(50)}
    assert len(waits) == 50
