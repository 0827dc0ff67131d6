"""Steps by case and by time, slopes and returns in the choices of a log, on logs of the other simulator."""

import numpy as np
import pytest
from benchmarks.drift_streams import make_stream

from assay.drift.detection.choices import all_choices
from assay.drift.detection.detect import change_points, detect
from assay.drift.detection.drift import DriftType
from assay.drift.detection.profile import change_profile


def test_a_change_that_reaches_running_cases_is_one_sudden_drift_at_its_moment() -> None:
    made = make_stream(105, "sudden", in_flight=80, cases=800, noise=0.05)
    (drift,) = detect(made.log)
    assert drift.type == "sudden"
    assert made.log.place_of(drift.start_case) == pytest.approx(made.points[0], abs=10)
    stretch = all_choices(made.log, ("flow",)).stretch(0, len(made.log))
    kinds = stretch.changed(made.points[0] - 100, made.points[0] + 20)
    by_case, by_time = (stretch.only(kinds).step(made.points[0], by_time=by_time) for by_time in (False, True))
    assert by_time.likelihood > by_case.likelihood + 10
    assert abs(by_time.first - made.points[0]) < abs(by_case.first - made.points[0])


@pytest.mark.parametrize(("kind", "seed"), [("gradual", 26), ("incremental", 22), ("recurring", 7)])
def test_the_other_manners_are_told_in_long_running_cases(kind: DriftType, seed: int) -> None:
    made = make_stream(seed, kind, in_flight=60, cases=900, noise=0.05)
    (drift,) = detect(made.log)
    assert drift.type == kind
    found = [point.case for point in change_points(made.log)]
    assert len(found) == len(made.points)
    np.testing.assert_allclose(found, made.points, atol=80 if kind == "gradual" else 35)


def test_every_alarm_shows_a_change_that_is_certain() -> None:
    for seed in range(3):
        made = make_stream(seed, "sudden", perspective="resource", cases=600, in_flight=20)
        (drift,) = detect(made.log, perspectives=("resource",))
        profile = change_profile(made.log, drift, window=None)
        assert profile.changed(kind="resource")
    assert detect(make_stream(1, None, cases=600, in_flight=60, open_end=True).log) == ()
