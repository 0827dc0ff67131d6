"""Properties of all metrics of sets: order, merging, ranges, and what is undefined."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.conformal import (
    PredictionSets,
    SetCounts,
    class_coverage,
    count_sets,
    coverage,
    coverage_gap,
    efficiency,
    informativeness,
    metrics,
    size_stratified_coverage,
    taskwise_coverage,
)
from assay.conformal.metrics import (
    empty_rate,
    hardest_tasks,
    relative_size,
    singleton_accuracy,
    size_coverage,
    size_histogram,
    taskwise_coverage_gap,
    taskwise_efficiency,
    taskwise_empty_rate,
    taskwise_informativeness,
    taskwise_singleton_accuracy,
    weighted_efficiency,
    weighted_informativeness,
)
from assay.core import InvalidInput

CLASSES = (4, 2, 7)
OF_SIZES: dict[str, Callable[[Any], Any]] = {
    "efficiency": efficiency,
    "product": lambda s: efficiency(s, overall="joint"),
    "informativeness": informativeness,
    "joint informativeness": lambda s: informativeness(s, overall="joint"),
    "empty rate": empty_rate,
    "joint empty rate": lambda s: empty_rate(s, overall="joint"),
    "relative size": relative_size,
    "joint relative size": lambda s: relative_size(s, overall="joint"),
}
OF_LABELS: dict[str, Callable[..., Any]] = {
    "coverage": coverage,
    "joint coverage": lambda *inputs: coverage(*inputs, overall="joint"),
    "gap": lambda *inputs: coverage_gap(*inputs, alpha=0.1),
    "gap by classes": lambda *inputs: coverage_gap(*inputs, alpha=0.1, overall="classes"),
    "pooled gap": lambda *inputs: coverage_gap(*inputs, alpha=0.1, overall="pooled"),
    "singleton accuracy": singleton_accuracy,
    "size-stratified": size_stratified_coverage,
}
PER_TASK: list[Callable[..., Any]] = [taskwise_efficiency, taskwise_informativeness, taskwise_empty_rate]


def draw(seed: int, samples: int = 40) -> tuple[list[Any], list[Any]]:
    rng = np.random.default_rng(seed)
    sets = [rng.uniform(size=(samples, c)) < rng.uniform(0.2, 0.9) for c in CLASSES]
    return sets, [rng.integers(-1, c, samples) for c in CLASSES]


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_samples_tasks_and_classes_may_come_in_any_order(seed: int) -> None:
    sets, labels = draw(seed)
    rng = np.random.default_rng(seed)
    rows, tasks, classes = rng.permutation(40), rng.permutation(3), [rng.permutation(c) for c in CLASSES]
    moved = [sets[t][rows][:, classes[t]] for t in tasks]
    named = [np.where(labels[t] < 0, -1, np.argsort(classes[t])[labels[t]])[rows] for t in tasks]
    for name, metric in OF_SIZES.items():
        assert metric(moved) == pytest.approx(metric(sets), abs=1e-12), name
    for name, metric in OF_LABELS.items():
        assert metric(moved, named) == pytest.approx(metric(sets, labels), abs=1e-12, nan_ok=True), name
    np.testing.assert_allclose(taskwise_coverage(moved, named), taskwise_coverage(sets, labels)[tasks])


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.integers(1, 39))
def test_counts_of_merged_parts_give_the_metrics_of_the_whole(seed: int, cut: int) -> None:
    sets, labels = draw(seed)
    parts = [count_sets([m[p] for m in sets], [y[p] for y in labels]) for p in (slice(0, cut), slice(cut, None))]
    merged = SetCounts.merge(parts)
    packed = PredictionSets.from_matrices(sets)
    for metric in OF_SIZES.values():
        assert metric(merged) == metric(sets) == metric(packed)
    for metric in OF_LABELS.values():
        assert metric(merged) == pytest.approx(metric(sets, labels), nan_ok=True)


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_metrics_follow_their_definitions_sample_by_sample(seed: int) -> None:
    sets, labels = draw(seed)
    sizes = np.stack([m.sum(axis=1) for m in sets])
    hits = [[bool(m[i, y[i]]) for i in range(40) if y[i] >= 0] for m, y in zip(sets, labels, strict=True)]
    complete = [i for i in range(40) if all(y[i] >= 0 for y in labels)]
    assert coverage(sets, labels) == pytest.approx(np.mean([np.mean(h) for h in hits]))
    joint = [all(m[i, y[i]] for m, y in zip(sets, labels, strict=True)) for i in complete]
    assert coverage(sets, labels, overall="joint") == pytest.approx(np.mean(joint))
    assert efficiency(sets) == pytest.approx(sizes.mean())
    assert efficiency(sets, overall="joint") == pytest.approx(sizes.prod(axis=0).mean())
    assert informativeness(sets) == pytest.approx((sizes == 1).mean())
    assert informativeness(sets, overall="joint") == pytest.approx((sizes == 1).all(axis=0).mean())
    full = np.where(sizes == 0, np.array(CLASSES)[:, None], sizes) / np.array(CLASSES)[:, None]
    assert relative_size(sets) == pytest.approx(full.mean())
    share = np.where((sizes == 0).any(axis=0), 1.0, (sizes / np.array(CLASSES)[:, None]).prod(axis=0))
    assert relative_size(sets, overall="joint") == pytest.approx(share.mean())
    assert [counts.tolist() for counts in size_histogram(sets)] == [
        np.bincount(row, minlength=c + 1).tolist() for row, c in zip(sizes, CLASSES, strict=True)
    ]
    for task, (matrix, y) in enumerate(zip(sets, labels, strict=True)):
        for c in range(CLASSES[task]):
            mine = [bool(matrix[i, c]) for i in range(40) if y[i] == c]
            expected = np.mean(mine) if mine else math.nan
            assert class_coverage(sets, labels)[task][c] == pytest.approx(expected, nan_ok=True)
        for k in range(CLASSES[task] + 1):
            mine = [bool(matrix[i, y[i]]) for i in range(40) if y[i] >= 0 and sizes[task, i] == k]
            expected = np.mean(mine) if mine else math.nan
            assert size_coverage(sets, labels)[task][k] == pytest.approx(expected, nan_ok=True)
        ones = size_coverage(sets, labels)[task][1]
        assert taskwise_singleton_accuracy(sets, labels)[task] == pytest.approx(ones, nan_ok=True)


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_joint_coverage_is_never_above_the_worst_task_and_larger_sets_never_cover_less(seed: int) -> None:
    sets, labels = draw(seed)
    labelled = [np.maximum(y, 0) for y in labels]
    tasks = taskwise_coverage(sets, labelled)
    assert coverage(sets, labelled, overall="joint") <= tasks.min() + 1e-12
    larger = [m | (np.random.default_rng(seed + 1).uniform(size=m.shape) < 0.3) for m in sets]
    assert (taskwise_coverage(larger, labelled) >= tasks).all()
    assert efficiency(larger) >= efficiency(sets)
    assert relative_size(PredictionSets.full(3, CLASSES)) == 1


def test_weighted_metrics_are_weighted_means_of_the_tasks_own() -> None:
    sets, _ = draw(1)
    for weights in ([1, 1, 1], [3, 0, 1], [0.2, 0.3, 0.5]):
        w = np.asarray(weights) / np.sum(weights)
        assert weighted_efficiency(sets, weights) == pytest.approx(w @ taskwise_efficiency(sets))
        assert weighted_informativeness(sets, weights) == pytest.approx(w @ taskwise_informativeness(sets))
    assert weighted_efficiency(sets, [1, 1, 1]) == pytest.approx(efficiency(sets))


@pytest.mark.parametrize("weighted", [weighted_efficiency, weighted_informativeness])
@pytest.mark.parametrize("weights", [[1, -1, 1], [0, 0, 0], [1, 1], [math.nan, 1, 1]])
def test_weights_that_cannot_weigh_are_refused(weighted: Callable[..., float], weights: list[float]) -> None:
    with pytest.raises(InvalidInput, match="weights"):
        weighted(draw(0)[0], weights)


def test_zero_samples_leave_everything_undefined_and_nothing_crashes() -> None:
    sets = [np.zeros((0, 3), dtype=bool), np.zeros((0, 2), dtype=bool)]
    labels: list[list[int]] = [[], []]
    for metric in OF_SIZES.values():
        assert math.isnan(metric(sets))
    for metric in OF_LABELS.values():
        assert math.isnan(metric(sets, labels))
    for metric in PER_TASK:
        assert np.isnan(metric(sets)).all()
    assert np.isnan(taskwise_coverage_gap(sets, labels, alpha=0.1)).all()
    assert [counts.sum() for counts in size_histogram(sets)] == [0, 0]


def test_one_task_and_one_class_are_no_special_cases() -> None:
    sets, labels = [np.ones((5, 1), dtype=bool)], [[0, 0, 0, -1, 0]]
    assert coverage(sets, labels) == coverage(sets, labels, overall="joint") == 1
    assert efficiency(sets) == informativeness(sets, overall="joint") == relative_size(sets) == 1
    assert coverage_gap(sets, labels, alpha=0.1) == pytest.approx(0.1)


def test_shapes_and_labels_that_disagree_are_refused() -> None:
    sets, labels = draw(2)
    with pytest.raises(InvalidInput, match="39 labels were given for 40 samples"):
        coverage(sets, [y[:39] for y in labels])
    with pytest.raises(InvalidInput, match="2 tasks were given where 3"):
        coverage(sets, labels[:2])
    with pytest.raises(InvalidInput, match="is outside the 4 classes"):
        coverage(sets, [np.full(40, 4), *labels[1:]])
    with pytest.raises(InvalidInput, match="labels: are missing"):
        coverage(sets)
    with pytest.raises(InvalidInput, match="counts already hold them"):
        coverage(count_sets(sets, labels), labels)
    with pytest.raises(InvalidInput, match="Did you mean 'joint'"):
        coverage(sets, labels, overall="jiont")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="strictly between"):
        coverage_gap(sets, labels, alpha=1.0)
    with pytest.raises(InvalidInput, match="counts hold no combinations"):
        coverage_gap(count_sets(sets, labels), alpha=0.1, overall="joint")
    with pytest.raises(InvalidInput, match="smallest must be"):
        size_stratified_coverage(sets, labels, smallest=0)


def test_the_hardest_task_decides_least() -> None:
    decided, open_, wide = np.eye(3, dtype=bool), np.ones((3, 2), dtype=bool), np.ones((3, 5), dtype=bool)
    assert hardest_tasks([decided, open_, wide]).tolist() == [2, 1, 0]


def test_no_metric_is_left_without_a_formula_and_an_example() -> None:
    for name in metrics.__all__:
        value = getattr(metrics, name)
        if callable(value) and not isinstance(value, type):
            assert "$$" in (value.__doc__ or ""), name
            assert ">>>" in (value.__doc__ or ""), name
