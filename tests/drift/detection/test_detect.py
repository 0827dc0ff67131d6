from typing import Any

import numpy as np
import pytest

from assay.core import InvalidInput
from assay.drift.detection.detect import change_points, detect
from assay.drift.detection.drift import Drift, DriftType
from assay.drift.generate.changes import CONTROL_FLOW
from assay.drift.generate.simulate import simulate
from assay.drift.logs.event_log import EventLog, arrange
from assay.drift.metrics.detection import count_detections, pool_detections


def places(log: EventLog, drift: Drift) -> tuple[int, int]:
    return log.place_of(drift.start_case), log.place_of(drift.end_case)


def test_every_pattern_is_found_at_its_place_under_noise() -> None:
    counts = []
    for seed, pattern in enumerate(CONTROL_FLOW):
        simulated = simulate(seed=300 + seed, patterns=[pattern], cases=600, noise=0.1)
        counts.append(
            count_detections([point.case for point in change_points(simulated.log)], simulated.points, lag=30)
        )
    pooled = pool_detections(counts)
    assert (pooled.found, pooled.false, pooled.missed) == (len(CONTROL_FLOW), 0, 0)
    assert pooled.lag < 6


@pytest.mark.parametrize("kind", ["sudden", "gradual", "incremental", "recurring"])
@pytest.mark.parametrize("seed", [21, 22])
def test_the_manner_of_a_drift_is_recognised(kind: DriftType, seed: int) -> None:
    simulated = simulate(seed=seed, drifts=[kind], patterns=["re", "rp", "sw", "cf", "pm"], cases=700, noise=0.05)
    (drift,) = detect(simulated.log)
    assert drift.type == kind
    first, last = places(simulated.log, drift)
    slack = 60 if kind == "gradual" else 5
    assert first == pytest.approx(simulated.points[0], abs=slack)
    assert last == pytest.approx(simulated.points[-1], abs=slack)
    assert drift.start == simulated.log.start_of(first)
    assert 0.5 < drift.confidence < 1
    assert drift.process == simulated.log.name


def test_a_quiet_log_has_no_drift() -> None:
    for seed in range(5):
        assert detect(simulate(seed=seed, drifts=[], cases=400, noise=0.1).log) == ()
    assert detect(simulate(seed=1, drifts=[], cases=20).log) == ()


def test_a_behaviour_that_returns_once_is_recurring_when_asked() -> None:
    simulated = simulate(seed=8, drifts=["recurring"], patterns=["rp"], cases=600)
    a, b, c = simulated.points
    keep = np.flatnonzero(simulated.log.case_codes < (b + c) // 2)  # old, new, old
    whole = simulated.log
    log = arrange(
        "once", cases=whole.cases[: (b + c) // 2], activities=whole.activities,
        case_codes=whole.case_codes[keep], activity_codes=whole.activity_codes[keep], times=whole.times[keep],
    )  # fmt: skip
    assert [drift.type for drift in detect(log)] == ["sudden", "sudden"]
    (once,) = detect(log, returns=1)
    assert once.type == "recurring"
    assert places(log, once) == pytest.approx((a, b), abs=3)


@pytest.mark.parametrize(("pattern", "perspective"), [("du", "time"), ("rs", "resource")])
def test_times_and_resources_are_another_perspective(pattern: str, perspective: Any) -> None:
    simulated = simulate(seed=14, patterns=[pattern], cases=600)
    assert detect(simulated.log) == ()
    (drift,) = detect(simulated.log, perspectives=["flow", perspective])
    assert places(simulated.log, drift)[0] == pytest.approx(simulated.points[0], abs=40)


def test_file_order_hides_what_start_order_shows() -> None:
    simulated = simulate(seed=31, patterns=["re"], cases=500)
    (point,) = simulated.points
    # as in files whose cases are listed as text: 1, 10, 100, 101, ...
    listed = sorted(range(500), key=lambda case: str(case + 1))
    place = {case: at for at, case in enumerate(listed)}
    options: dict[str, Any] = {
        "cases": [simulated.log.cases[case] for case in listed], "activities": simulated.log.activities,
        "case_codes": [place[int(case)] for case in simulated.log.case_codes],
        "activity_codes": simulated.log.activity_codes, "times": simulated.log.times,
    }  # fmt: skip
    log = arrange("listed", **options)
    assert "File order and start order disagree" in log.notes[0]
    assert [detected.case for detected in change_points(log)] == [point]
    in_file_order = [detected.case for detected in change_points(arrange("listed", **options, order="file"))]
    assert in_file_order != [point]


def test_long_logs_are_binned_and_still_located() -> None:
    simulated = simulate(seed=5, patterns=["cb"], cases=9000, days=1000)
    (point,) = change_points(simulated.log)
    assert point.case == pytest.approx(simulated.points[0], abs=12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0.0}, "alpha must lie between 0 and 1"),
        ({"min_effect": 1.0}, "min_effect must be a share"),
        ({"min_cases": 2}, "min_cases must be a whole number of at least 5"),
        ({"perspectives": ()}, "perspectives is empty"),
        ({"returns": 0}, "returns must be a whole number of at least 1"),
    ],
)
def test_impossible_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        detect(simulate(seed=1, cases=40).log, **options)
