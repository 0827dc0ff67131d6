import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core import InvalidInput, UnknownName
from assay.drift.generate.simulate import simulate
from assay.drift.logs.event_log import EventLog, arrange

HOUR = 3600 * 10**9


def make(events: list[tuple[int, int, int]], **options: Any) -> EventLog:
    """A log of (case, activity, hour); cases are numbered in the order of the file."""
    cases = [f"c{number}" for number in range(1 + max(case for case, _, _ in events))]
    codes, activities, hours = zip(*events, strict=True)
    names = [f"a{number}" for number in range(1 + max(activities))]
    return arrange(
        "test", cases=cases, activities=names, case_codes=codes, activity_codes=activities,
        times=np.array(hours) * HOUR, **options,
    )  # fmt: skip


def test_cases_are_sorted_by_start_and_the_disagreement_is_told() -> None:
    events = [(0, 0, 5), (0, 1, 6), (1, 0, 1), (2, 0, 3)]
    log = make(events)
    assert log.cases == ("c1", "c2", "c0")
    assert log.trace(2) == ("a0", "a1")
    assert "File order and start order disagree: 1 of 3 cases" in log.notes[0]
    assert "the order 'file' does the opposite" in log.notes[0]
    kept = make(events, order="file")
    assert kept.cases == ("c0", "c1", "c2")
    assert "stay in file order" in kept.notes[0]
    assert make([(0, 0, 1), (1, 0, 2)]).notes == ()


def test_cases_are_put_in_order_by_their_first_last_or_middle_event() -> None:
    events = [(0, 0, 1), (0, 0, 8), (0, 0, 9), (1, 0, 2), (1, 0, 3), (1, 0, 10), (2, 0, 4), (2, 0, 5), (2, 0, 6)]
    expected = {"start": "c0 c1 c2", "end": "c2 c0 c1", "event": "c1 c2 c0", "file": "c0 c1 c2"}
    for order, cases in expected.items():
        log = make(events, order=order)
        assert " ".join(log.cases) == cases
        times = {"end": log.ends, "event": log.middles}.get(order, log.starts)
        moments = log.moments()
        assert moments is not None
        assert np.array_equal(moments, times)
    assert make([(0, 0, 5), (0, 1, 6), (1, 0, 1), (1, 0, 3)], order="file").moments() is None


def test_a_part_of_a_log_is_a_log() -> None:
    log = make(
        [(0, 0, 1), (0, 1, 2), (1, 1, 3), (2, 0, 4), (2, 0, 5)], resources=["r"], resource_codes=[0, -1, 0, 0, 0]
    )
    part = log.part(1, 3)
    assert (part.cases, part.trace(0), part.trace(1), part.events) == (("c1", "c2"), ("a1",), ("a0", "a0"), 3)
    assert part.resource_codes is not None
    assert part.resource_codes.tolist() == [0, 0, 0]
    assert log.head(1).trace(0) == ("a0", "a1")
    assert log.head(3) is log


def test_events_of_a_case_are_sorted_by_time_and_ties_keep_their_order() -> None:
    log = make([(0, 2, 9), (0, 0, 1), (0, 1, 1)])
    assert log.trace(0) == ("a0", "a1", "a2")
    assert "1 events lie before their predecessor" in log.notes[0]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 50)), min_size=1, max_size=40))
def test_a_log_has_the_events_that_went_in(events: list[tuple[int, int, int]]) -> None:
    renumber = {case: at for at, case in enumerate(dict.fromkeys(case for case, _, _ in events))}
    events = [(renumber[case], activity, hour) for case, activity, hour in events]
    log = make(events)
    joined = [
        (int(log.cases[case][1:]), int(activity), int(time) // HOUR)
        for case, activity, time in zip(log.case_codes, log.activity_codes, log.times, strict=True)
    ]
    assert sorted(joined) == sorted(events)
    assert (np.diff(log.starts) >= 0).all()
    assert (log.starts <= log.ends).all()
    assert log.offsets[0] == 0
    assert log.offsets[-1] == log.events == len(events)
    assert all((np.diff(log.times[a:b]) >= 0).all() for a, b in zip(log.offsets[:-1], log.offsets[1:], strict=True))


def test_a_log_travels_to_another_process() -> None:
    log = simulate(seed=3, cases=30).log
    joined = pickle.loads(pickle.dumps(log))
    pd.testing.assert_frame_equal(joined.to_frame(), log.to_frame())


def test_cases_are_found_by_their_exact_id() -> None:
    log = simulate(seed=3, cases=30).log
    assert log.place_of("case 7") == 6
    assert log.start_of(6).timestamp() == pytest.approx(log.starts[6] / 1e9)
    with pytest.raises(UnknownName, match="case 777"):
        log.place_of("case 777")


def test_an_unknown_order_of_cases_is_refused() -> None:
    with pytest.raises(UnknownName, match="No order of cases named 'size'"):
        make([(0, 0, 1)], order="size")


def test_columns_that_do_not_fit_are_refused() -> None:
    good = make([(0, 0, 1), (1, 0, 2)])
    plain: dict[str, Any] = {
        "name": "x", "cases": good.cases, "activities": good.activities, "case_codes": good.case_codes,
        "activity_codes": good.activity_codes, "times": good.times,
    }  # fmt: skip
    with pytest.raises(InvalidInput, match="activity_codes has 1 values for 2 events"):
        EventLog(**{**plain, "activity_codes": good.activity_codes[:1]})
    with pytest.raises(InvalidInput, match="not grouped by case"):
        EventLog(**{**plain, "case_codes": good.case_codes[::-1].copy()})
    empty = np.zeros(0, np.int32)
    with pytest.raises(InvalidInput, match="has no events"):
        EventLog(**{**plain, "case_codes": empty, "activity_codes": empty, "times": np.zeros(0, np.int64)})
