"""Metrics of intervals against their definitions, in every form in which intervals are given."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.conformal.metrics import (
    interval_coverage,
    interval_score,
    interval_width,
    joint_volume,
    marginal_interval,
    relative_width,
    rolling_coverage,
    taskwise_interval_coverage,
    taskwise_interval_width,
    taskwise_relative_width,
    weighted_relative_width,
)
from assay.conformal.regions import Intervals
from assay.core import InvalidInput


def draw(seed: int, tasks: int = 2, samples: int = 30) -> tuple[list[Intervals], Any, Any]:
    rng = np.random.default_rng(seed)
    at, reach = rng.normal(size=(tasks, samples)), rng.exponential(size=(tasks, samples)) - 0.1  # some are empty
    truth = np.where(rng.uniform(size=(tasks, samples)) < 0.1, np.nan, rng.normal(size=(tasks, samples)))
    return [Intervals(a - r, a + r) for a, r in zip(at, reach, strict=True)], truth, rng.normal(size=(tasks, 99))


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_metrics_follow_their_definitions_sample_by_sample(seed: int) -> None:
    intervals, truth, known = draw(seed)
    inside = [
        [low <= y <= high for low, high, y in zip(*task, column, strict=True) if not math.isnan(y)]
        for task, column in zip(intervals, truth, strict=True)
    ]
    assert taskwise_interval_coverage(intervals, list(truth)) == pytest.approx([np.mean(row) for row in inside])
    assert interval_coverage(intervals, list(truth)) == pytest.approx(np.mean([np.mean(row) for row in inside]))
    whole = [i for i in range(30) if not np.isnan(truth[:, i]).any()]
    joint = [all(task.low[i] <= truth[t, i] <= task.high[i] for t, task in enumerate(intervals)) for i in whole]
    assert interval_coverage(intervals, list(truth), overall="joint") == pytest.approx(np.mean(joint))
    widths = np.array([[max(0.0, h - low) for low, h in zip(*task, strict=True)] for task in intervals])
    assert taskwise_interval_width(intervals) == pytest.approx(widths.mean(axis=1))
    assert joint_volume(intervals) == pytest.approx(widths.prod(axis=0).mean())
    marginal = [np.diff(marginal_interval(column, 0.1))[0] for column in known]
    filled = np.array([np.where(t.low > t.high, m, w) / m for t, m, w in zip(intervals, marginal, widths, strict=True)])
    assert taskwise_relative_width(intervals, list(known), 0.1) == pytest.approx(filled.mean(axis=1))
    assert weighted_relative_width(intervals, [3, 1], list(known), 0.1) == pytest.approx(
        filled.mean(axis=1) @ [0.75, 0.25]
    )
    share = joint_volume(intervals, known=list(known), alpha=0.1)
    assert share == pytest.approx((widths / np.array(marginal)[:, None]).prod(axis=0).mean())
    one, y = intervals[0], truth[0]
    scores = [
        (h - low) + 20 * max(low - v, 0) + 20 * max(v - h, 0)
        for low, h, v in zip(one.low, one.high, y, strict=True)
        if not math.isnan(v)
    ]
    assert interval_score(one, y, alpha=0.1) == pytest.approx(np.mean(scores))


def test_every_form_of_intervals_gives_the_same() -> None:
    intervals, truth, known = draw(1)
    names = ["b", "a"]
    pairs = [np.stack(task, axis=1) for task in intervals]
    for form, right, expected in (
        (pairs, list(truth), list(known)),
        (intervals, truth.T, known.T),
        (
            dict(zip(names, intervals, strict=True)),
            dict(zip(names, truth, strict=True)),
            dict(zip(names, known, strict=True)),
        ),
    ):
        assert interval_coverage(form, right) == interval_coverage(intervals, list(truth))
        assert relative_width(form, expected, 0.1) == relative_width(intervals, list(known), 0.1)
    assert interval_width(pairs[0]) == interval_width(pairs[0][:, :, None]) == interval_width(intervals[0])


def test_the_marginal_interval_covers_and_gives_a_relative_width_of_one() -> None:
    rng = np.random.default_rng(0)
    known, new = rng.exponential(size=2000), rng.exponential(size=2000)
    low, high = marginal_interval(known, 0.1)
    everywhere = Intervals(np.full(2000, low), np.full(2000, high))
    assert interval_coverage(everywhere, new) == pytest.approx(0.9, abs=0.03)
    assert relative_width(everywhere, known, 0.1) == pytest.approx(1.0)
    assert marginal_interval(range(1, 19), 0.1) == (-np.inf, np.inf)
    assert marginal_interval([3.0, np.nan, 1.0, 2.0], 0.5) == (1.0, 3.0)
    assert math.isnan(relative_width(everywhere, known[:5], 0.1))


def test_infinite_and_empty_intervals_are_no_special_cases() -> None:
    wild = Intervals(np.array([-np.inf, 1.0]), np.array([np.inf, 0.0]))
    assert interval_width(wild) == np.inf
    assert interval_coverage(wild, [5.0, 0.5]) == 0.5
    assert joint_volume([wild, Intervals(np.array([1.0, -np.inf]), np.array([0.0, np.inf]))]) == 0.0
    assert math.isnan(interval_width(Intervals(np.empty(0), np.empty(0))))
    assert math.isnan(interval_coverage([[0.0, 1.0]], [np.nan]))


def test_a_volume_is_no_share_of_what_is_infinite_or_a_point() -> None:
    two = [[[0.0, 9.0], [1.0, 1.0]], [[0.0, 1.0], [0.0, 3.0]]]
    enough = np.arange(1.0, 20.0)
    for known in ([1.0, 2.0, 3.0], [4.0] * 19):
        assert math.isnan(joint_volume(two, known=[enough, known], alpha=0.1))
        assert math.isnan(taskwise_relative_width(two, [enough, known], 0.1)[1])


def test_rolling_coverage_counts_what_is_known() -> None:
    assert rolling_coverage([1, np.nan, 0, np.nan, np.nan], 2).tolist()[:3] == [1.0, 0.0, 0.0]
    assert math.isnan(rolling_coverage([1, np.nan, 0, np.nan, np.nan], 2)[3])
    assert len(rolling_coverage([1, 0], 3)) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda i: interval_width(i), "no common unit; use relative_width"),
        (lambda i: interval_score(i, [[0.0], [0.0]], alpha=0.1), "score one at a time"),
        (lambda i: interval_coverage(i, [[0.0] * 30]), "1 tasks were given where 2 are expected"),
        (lambda i: interval_coverage(i, {"a": [0.0]}), "has names, the intervals have none"),
        (lambda i: interval_coverage({"a": i[0]}, {"b": [0.0]}), "truth: is missing for task 'a'"),
        (lambda i: interval_coverage(i[0], [0.0]), "1 numbers were given for 30 samples"),
        (lambda i: interval_coverage(i, [[0.0] * 30] * 2, overall="jiont"), "Did you mean 'joint'"),  # type: ignore[arg-type]
        (lambda _: interval_width([[1.0, 2.0, 3.0]]), r"\(n, 2\) array of low and high"),
        (lambda i: joint_volume(i, alpha=0.1), "known and alpha belong together"),
        (lambda i: weighted_relative_width(i, [1, -1], [[0.0] * 99] * 2, 0.1), "not negative"),
    ],
)
def test_what_does_not_fit_is_named(call: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        call(draw(0)[0])


def test_an_unbounded_or_infinitely_missed_sample_makes_the_score_infinite() -> None:
    for low, high, truth in ((0.0, np.inf, np.inf), (-np.inf, np.inf, np.inf), (np.inf, -np.inf, 1.0)):
        assert interval_score([[low, high], [0.0, 2.0]], [truth, 1.0], alpha=0.5) == np.inf
    assert interval_score([[0.0, np.inf], [0.0, 2.0]], [np.nan, 1.0], alpha=0.5) == 2.0


@pytest.mark.parametrize("truth", [[0.5], [0.5, 1.0, 2.0], []])
def test_an_interval_score_needs_a_truth_per_interval(truth: list[float]) -> None:
    with pytest.raises(InvalidInput, match="numbers were given for 2 samples"):
        interval_score([[0, 1], [0, 100]], truth, alpha=0.5)


def test_tasks_of_different_samples_are_named() -> None:
    tasks = [[[0, 1]], [[0, 1], [0, 1]]]
    with pytest.raises(InvalidInput, match="task 1 has 2 samples, task 0 has 1"):
        interval_coverage(tasks, [[0.5], [0.5, 0.5]], overall="joint")
    with pytest.raises(InvalidInput, match="task 1 has 2 samples, task 0 has 1"):
        joint_volume(tasks)


def test_the_largest_weights_keep_their_proportions() -> None:
    two, known = [[[0, 9]], [[0, 18]]], [range(1, 20), range(1, 20)]
    assert weighted_relative_width(two, [1.5e308, 0.5e308], known, 0.1) == pytest.approx(0.625)
