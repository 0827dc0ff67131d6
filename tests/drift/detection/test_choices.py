"""Steps by case and by time, slopes and returns in the choices of a log, on logs of the other simulator."""

import numpy as np
import pytest
from benchmarks.drift_manners import streams
from benchmarks.drift_streams import make_stream

from assay.drift.detection.choices import Choices, all_choices
from assay.drift.detection.detect import change_points, detect
from assay.drift.detection.drift import DriftType
from assay.drift.detection.profile import change_profile


def test_a_change_that_reaches_running_cases_is_one_sudden_drift_at_its_moment() -> None:
    stream = make_stream(105, "sudden", in_flight=80, cases=800, noise=0.05)
    (drift,) = detect(stream.log)
    assert drift.type == "sudden"
    assert stream.log.place_of(drift.start_case) == pytest.approx(stream.points[0], abs=10)
    stretch = all_choices(stream.log, ("flow",)).stretch(0, len(stream.log))
    kinds = stretch.changed(stream.points[0] - 100, stream.points[0] + 20)
    by_case, by_time = (stretch.only(kinds).step(stream.points[0], by_time=by_time) for by_time in (False, True))
    assert by_time.likelihood > by_case.likelihood + 10
    assert abs(by_time.first - stream.points[0]) < abs(by_case.first - stream.points[0])


@pytest.mark.parametrize(("kind", "seed"), [("gradual", 26), ("incremental", 22), ("recurring", 7)])
def test_the_other_manners_are_told_in_long_running_cases(kind: DriftType, seed: int) -> None:
    stream = make_stream(seed, kind, in_flight=60, cases=900, noise=0.05)
    (drift,) = detect(stream.log)
    assert drift.type == kind
    course = [point.case for point in change_points(stream.log)]
    assert len(course) == len(stream.points)
    np.testing.assert_allclose(course, stream.points, atol=80 if kind == "gradual" else 35)


def test_every_alarm_shows_a_change_that_is_certain() -> None:
    for seed in range(3):
        stream = make_stream(seed, "sudden", perspective="resource", cases=600, in_flight=20)
        (drift,) = detect(stream.log, perspectives=("resource",))
        profile = change_profile(stream.log, drift, window=None)
        assert profile.changed(kind="resource")
    assert detect(make_stream(1, None, cases=600, in_flight=60, open_end=True).log) == ()


def _choices(changes: dict[int, int], cases: int = 120) -> Choices:
    """Every case makes one choice of each kind: mostly the first outcome, from its place on mostly the second."""
    rng = np.random.default_rng(4)
    rows = [
        (case, 2 * kind + int((case >= place) ^ (rng.random() < 0.2)))
        for case in range(cases)
        for kind, place in changes.items()
    ]
    owners, pairs = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    kinds = np.arange(2 * len(changes)) // 2
    return Choices(pairs, kinds, owners, owners * 10 + 5, np.arange(cases, dtype=np.int64) * 10)


def test_a_step_between_two_others_is_found_and_none_where_nothing_else_changes() -> None:
    gain, place = _choices({0: 40, 1: 60, 2: 80}).stretch(0, 120).between(40, 80, 8, by_time=False)
    assert gain > 3.0
    assert abs(place - 60) <= 5
    gain, _ = _choices({0: 40, 1: 40, 2: 80}).stretch(0, 120).between(40, 80, 8, by_time=False)
    assert gain == 0.0
    assert _choices({0: 40}).stretch(0, 120).between(40, 50, 8, by_time=False) == (0.0, 40)


def test_cases_in_flight_are_those_that_began_before_and_end_after() -> None:
    starts = np.array([0, 10, 20, 30], dtype=np.int64)
    owners, times = np.array([0, 0, 1, 2, 3, 3]), np.array([0, 100, 12, 35, 30, 90])
    choices = Choices(np.zeros(6, np.int64), np.zeros(1, np.int64), owners, times, starts)
    assert [choices.in_flight(case) for case in range(4)] == [0, 1, 1, 2]


def test_a_weak_step_in_the_middle_keeps_an_incremental_drift_in_one() -> None:
    _, _, stream = next(streams(32000, 1, "incremental"))
    drifts = detect(stream.log, perspectives=("flow", "time", "resource"))
    assert [drift.type for drift in drifts] == ["incremental"]


def test_a_narrow_slope_that_fits_a_little_better_is_a_sudden_drift() -> None:
    _, _, stream = next(streams(50001, 1, "sudden"))
    assert [drift.type for drift in detect(stream.log, perspectives=("flow", "time", "resource"))] == ["sudden"]
