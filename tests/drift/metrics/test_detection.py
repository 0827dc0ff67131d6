import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from assay.core import InvalidInput
from assay.drift.metrics.detection import (
    always_fire,
    count_detections,
    detection_f1,
    detection_lag,
    detection_precision,
    detection_recall,
    match_points,
    pool_detections,
)

points = st.lists(st.integers(0, 400), max_size=8)


def reference(detected: list[int], true: list[int], lag: int) -> tuple[int, int]:
    """The most pairs, and their least sum of squares, by a general assignment."""
    distance = np.abs(np.subtract.outer(np.array(detected, dtype=int), np.array(true, dtype=int)))
    benefit = np.where(distance <= lag, 10**8 - distance.astype(np.int64) ** 2, 0)
    rows, columns = linear_sum_assignment(benefit, maximize=True)
    near = distance[rows, columns] <= lag
    return int(near.sum()), int((distance[rows, columns][near] ** 2).sum())


@given(points, points, st.integers(0, 120))
def test_the_matching_is_optimal(detected: list[int], true: list[int], lag: int) -> None:
    pairs = match_points(detected, true, lag=lag)
    cost = sum((point - target) ** 2 for point, target in pairs)
    assert (len(pairs), cost) == reference(detected, true, lag)
    for side, given_points in ((0, detected), (1, true)):
        used = [pair[side] for pair in pairs]
        assert all(used.count(point) <= given_points.count(point) for point in used)


@given(points, points, st.integers(0, 120))
def test_order_does_not_matter_and_sides_can_be_exchanged(detected: list[int], true: list[int], lag: int) -> None:
    counts = count_detections(detected, true, lag=lag)
    shuffled = sorted(detected, reverse=True)
    assert count_detections(shuffled, true[::-1], lag=lag) == counts
    back = count_detections(true, detected, lag=lag)
    assert (back.found, back.false, back.missed, back.total_lag) == (
        counts.found, counts.missed, counts.false, counts.total_lag,
    )  # fmt: skip


def test_a_second_detection_is_false_and_the_nearer_one_counts() -> None:
    counts = count_detections([480, 520, 900], [510, 1000])
    assert counts == (2, 1, 0, 110.0)
    assert detection_precision([480, 520, 900], [510, 1000]) == 2 / 3
    assert detection_recall([480, 520, 900], [510, 1000]) == 1.0
    assert detection_f1([480, 520, 900], [510, 1000]) == 0.8
    assert detection_lag([480, 520, 900], [510, 1000]) == 55.0


def test_the_lag_itself_is_inside() -> None:
    assert detection_f1([300], [500], lag=200) == 1.0
    assert detection_f1([299], [500], lag=200) == 0.0


def test_what_is_undefined_is_nan() -> None:
    assert math.isnan(detection_f1([], []))
    assert detection_f1([5], []) == 0.0
    assert detection_f1([], [5]) == 0.0
    assert math.isnan(detection_precision([], [5]))
    assert math.isnan(detection_recall([5], []))
    assert math.isnan(detection_lag([5], [900]))


def test_pooled_counts_add_up() -> None:
    pooled = pool_detections([count_detections([500], [510]), count_detections([1, 900], [910, 2000])])
    assert pooled == (2, 1, 1, 20.0)
    assert pooled.f1 == pytest.approx(2 / 3)
    assert math.isnan(pool_detections([]).f1)


@given(st.integers(1, 5000), st.integers(1, 400))
def test_firing_always_reaches_nearly_everything(cases: int, lag: int) -> None:
    fired = always_fire(cases, lag=lag)
    assert all(0 <= point < cases for point in fired)
    reachable = fired[-1] + lag
    assert all(any(abs(point - fire) <= lag for fire in fired) for point in range(0, min(cases, reachable), 7))


def test_wrong_input_is_refused() -> None:
    with pytest.raises(InvalidInput, match="lag must be a whole number"):
        match_points([1], [1], lag=-1)
    with pytest.raises(InvalidInput, match="detected must be a list of whole numbers"):
        match_points([1.5], [1], lag=2)  # type: ignore[list-item]
    with pytest.raises(InvalidInput, match="at least 1"):
        always_fire(0)
    with pytest.raises(InvalidInput, match=r"always_fire: cases must be a whole number of at least 1, got 10\.5"):
        always_fire(10.5)  # type: ignore[arg-type]


def test_whole_numbers_of_numpy_are_lags() -> None:
    assert detection_f1([480], [500], lag=np.int64(20)) == 1.0  # type: ignore[arg-type]
    assert always_fire(np.int64(1000), lag=np.int64(200)) == (200, 600)  # type: ignore[arg-type]
