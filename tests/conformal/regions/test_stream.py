"""Streams: long-run coverage for drifting and hostile streams, regions that know only the past, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from assay.conformal.metrics import rolling_coverage
from assay.conformal.regions import Classes, Intervals, StreamCalibration, Values, calibrate_regions, draw_regions
from assay.core import InvalidInput

METHODS: Any = ("aci", "dtaci", "pid")


def allowed(method: str, samples: int, alpha: float = 0.1, step: float = 0.01) -> float:
    """By how much the share of misses may exceed alpha, for any stream at all."""
    if method == "aci":
        return (max(alpha, 1 - alpha) + step) / (step * samples)
    return 1 / math.sqrt(samples) + 1 / samples


class Adversary:
    """Puts each truth just outside the interval that it has just seen, as long as there is an outside."""

    def __init__(self, stream: StreamCalibration, samples: int) -> None:
        self.misses = 0
        zero = Values([0.0])
        for _ in range(samples):
            region = stream.predict(zero)["task"]
            assert isinstance(region, Intervals)
            high = float(region.high[0])
            truth = [0.0] if np.isinf(high) and high > 0 else [max(high, 0.0) + 1.0]
            self.misses += not region.contains(truth)[0]
            stream.update(zero, truth)


@pytest.mark.parametrize("method", METHODS)
def test_misses_stay_within_the_bound_even_against_an_adversary(method: Any) -> None:
    for samples in (50, 1500):
        adversary = Adversary(StreamCalibration(alpha=0.1, method=method, window=200), samples)
        assert adversary.misses / samples <= 0.1 + allowed(method, samples)
        assert adversary.misses > 0


@pytest.mark.parametrize("drift", ["none", "sudden", "gradual"])
@pytest.mark.parametrize("method", METHODS)
def test_coverage_is_kept_in_the_long_run_and_nearly_in_every_stretch(method: Any, drift: Any) -> None:
    data = draw_regions(2500, seed=5, drift=drift).only("price")
    covered = StreamCalibration(alpha=0.1, method=method).run(data.predictions, data.truth).covered(data.truth)
    assert abs(covered.mean() - 0.9) <= (0.01 if method != "aci" else min(0.01, allowed("aci", 2500)))
    assert rolling_coverage(covered, 250).min() > 0.8


def test_a_calibration_that_stands_still_loses_its_coverage_where_a_stream_keeps_it() -> None:
    data = draw_regions(2500, seed=5, drift="gradual").only("price")
    prediction, truth = data.predictions["price"], data.truth["price"]
    assert isinstance(prediction, Values)
    fixed = calibrate_regions(Values(prediction.predicted[:500], prediction.scale[:500]), truth[:500], alpha=0.1)
    assert fixed.predict(Values(prediction.predicted, prediction.scale)).covered(truth)[500:].mean() < 0.75


@pytest.mark.parametrize("method", METHODS)
def test_tasks_of_different_kinds_are_covered_jointly_over_a_stream(method: Any) -> None:
    data = draw_regions(500, seed=5, drift="sudden").only("kind", "price")
    stream = StreamCalibration(alpha=0.2, method=method, guarantee="joint", window=100)
    covered = stream.run(data.predictions, data.truth).covered(data.truth)
    assert 1 - covered.mean() <= 0.2 + allowed(method, 500, 0.2)
    assert covered.mean() < 0.9


@pytest.mark.soak
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(3))
def test_coverage_is_kept_over_long_streams(
    method: Any, seed: int, record_property: Callable[[str, object], None]
) -> None:
    data = draw_regions(20_000, seed=seed, drift=("none", "sudden", "gradual")[seed % 3])
    for guarantee, tasks in (("taskwise", ("price",)), ("taskwise", ("kind",)), ("joint", ("kind", "price"))):
        part = data.only(*tasks)
        stream = StreamCalibration(alpha=0.1, method=method, guarantee=guarantee)  # type: ignore[arg-type]
        covered = stream.run(part.predictions, part.truth).covered(part.truth)
        record_property(f"{guarantee} coverage of {' and '.join(tasks)}", covered.mean())
        assert abs(covered.mean() - 0.9) < 0.005
        assert 1 - covered.mean() <= 0.1 + allowed(method, 20_000)
    misses = Adversary(StreamCalibration(method=method), 5000).misses
    record_property("coverage against an adversary", 1 - misses / 5000)
    assert misses <= 5000 * (0.1 + allowed(method, 5000))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("guarantee", ["taskwise", "joint"])
def test_a_region_knows_only_the_truths_before_it_and_run_is_predict_and_update(method: Any, guarantee: Any) -> None:
    data = draw_regions(120, seed=1).only("kind", "price")
    prediction = data.predictions["price"]
    assert isinstance(prediction, Values)
    whole = StreamCalibration(alpha=0.2, method=method, guarantee=guarantee).run(data.predictions, data.truth)
    changed = {name: np.where(np.arange(120) < 80, column, 1) for name, column in data.truth.items()}
    other = StreamCalibration(alpha=0.2, method=method, guarantee=guarantee).run(data.predictions, changed)
    assert np.array_equal(np.asarray(whole["price"])[:, :81], np.asarray(other["price"])[:, :81])
    single = StreamCalibration(alpha=0.2, method=method, guarantee="taskwise")
    alone = StreamCalibration(alpha=0.2, method=method).run({"price": prediction}, {"price": data.truth["price"]})
    for sample in range(120):
        one = {"price": Values(prediction.predicted[sample : sample + 1], prediction.scale[sample : sample + 1])}
        regions = single.predict(one)
        assert np.array_equal(np.asarray(regions["price"])[:, 0], np.asarray(alone["price"])[:, sample])
        single.update(one, {"price": data.truth["price"][sample : sample + 1]})


def test_a_table_fills_the_window_before_the_stream_begins() -> None:
    table = draw_regions(300, seed=1).only("price")
    stream = StreamCalibration(alpha=0.1, method="aci").start(table.predictions, table.truth)
    region = stream.predict(table.predictions)["price"]
    plain = calibrate_regions(table.predictions, table.truth, alpha=0.1).predict(table.predictions)["price"]
    np.testing.assert_allclose(np.asarray(region), np.asarray(plain))
    assert repr(stream) == "StreamCalibration('aci', alpha 0.1, taskwise, 0 samples seen)"


def test_a_missing_truth_teaches_nothing() -> None:
    data = draw_regions(100, seed=1).only("price")
    stream = StreamCalibration(alpha=0.1, method="dtaci").start(data.predictions, data.truth)
    before = stream.predict(data.predictions)["price"]
    stream.update(data.predictions, {"price": np.full(100, np.nan)})
    assert np.array_equal(np.asarray(stream.predict(data.predictions)["price"]), np.asarray(before))


def test_the_window_forgets() -> None:
    stream = StreamCalibration(alpha=0.5, method="aci", window=10, step=1e-9)
    stream.update(Values(np.zeros(60)), np.concatenate([np.full(50, 100.0), np.full(10, 1.0)]))
    region = stream.predict(Values([0.0]))["task"]
    assert isinstance(region, Intervals)
    assert region.high[0] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "acii"}, "Did you mean 'aci'"),
        ({"alpha": 2}, "strictly between 0 and 1"),
        ({"alpha": [0.1, 0.2]}, "is one level"),
        ({"window": 0}, "window must be a whole number of at least 1"),
        ({"step": -1.0, "method": "aci"}, "step must be a positive number"),
        ({"step": 0.1}, "takes none; give it to"),
        ({"guarantee": "both"}, "No guarantee named"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        StreamCalibration(**options)


def test_tasks_may_not_change_on_the_way() -> None:
    stream = StreamCalibration().update({"price": Values([1.0])}, {"price": [1.0]})
    with pytest.raises(InvalidInput, match="the tasks are 'cost', expected 'price'. Tasks are matched by name"):
        stream.predict({"cost": Values([1.0])})
    with pytest.raises(InvalidInput, match="truth: the tasks are 'cost'"):
        stream.update({"price": Values([1.0])}, {"cost": [1.0]})


def test_the_ends_of_an_interval_may_not_become_one_score_on_the_way() -> None:
    stream = StreamCalibration().start(Values([1.0, 2.0, 3.0]), [1.0, 2.5, 2.0])
    for learn in (stream.update, stream.run):
        with pytest.raises(InvalidInput, match="task 'task': was calibrated with another setting of symmetric"):
            learn(Values([1.0], symmetric=False), [9.0])
    with pytest.raises(InvalidInput, match="another setting of symmetric"):
        stream.predict(Values([1.0], symmetric=False))


@pytest.mark.parametrize("guarantee", ["taskwise", "joint"])
@pytest.mark.parametrize("places", [[100], [0, 1, 100], list(range(40))])
@pytest.mark.parametrize("method", METHODS)
def test_infinite_truths_leave_the_thresholds_usable(method: Any, places: list[int], guarantee: Any) -> None:
    truth = {name: np.random.default_rng(seed).normal(size=600) for seed, name in enumerate("ab")}
    truth["a"][places] = np.inf
    stream = StreamCalibration(alpha=0.1, method=method, guarantee=guarantee, window=100)
    regions = stream.run({name: Values(np.zeros(600)) for name in "ab"}, truth)
    for name in "ab":
        low, high = regions[name]
        assert not np.isnan([low, high]).any()
        assert np.isfinite(high[-200:]).any()
    assert regions.covered(truth)[-300:].mean() > 0.7


def test_a_stream_takes_the_same_kind_of_predictions_throughout() -> None:
    stream = StreamCalibration().start(Classes(np.full((9, 3), 1 / 3)), np.zeros(9, dtype=int))
    with pytest.raises(InvalidInput, match="are Classes of 4 classes, score hinge; calibrated were Classes of 3"):
        stream.predict(Classes(np.full((1, 4), 1 / 4)))
