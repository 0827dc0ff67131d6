from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.conformal import (
    METHODS,
    Calibration,
    PredictionSets,
    calibrate,
    conformal_quantile,
    count_sets,
    evaluate_stream,
)
from assay.conformal.calibration import calibration
from assay.conformal.calibration.calibration import lowest_probabilities
from assay.core import InvalidInput

CLASSES = (5, 3, 2)
# the others draw a part of the samples by position, and what they choose or cluster depends on the level
UNSTEADY = ("joint", "joint-combinations", "joint-threshold", "task-clusters", "global-clusters")
STEADY = [method for method in METHODS if method not in UNSTEADY]


def options(method: str, samples: int) -> dict[str, Any]:
    if method == "mondrian":
        return {"groups": np.arange(samples) % 2}
    return {"weights": [3, 2, 1]} if method == "weighted-bonferroni" else {}


def predict(calibrated: Calibration, probabilities: Any) -> Any:
    groups = np.arange(len(probabilities[0])) % 2 if calibrated.groups else None
    return calibrated.predict_sets(probabilities, groups=groups)


@pytest.mark.parametrize("method", STEADY)
def test_sets_grow_when_more_coverage_is_promised(method: str, sample: Any) -> None:
    probabilities, labels = sample(300, CLASSES, seed=1)
    new, _ = sample(50, CLASSES, seed=2)
    sets = [
        predict(calibrate(probabilities, labels, alpha=a, method=method, **options(method, 300)), new)
        for a in (0.4, 0.2, 0.1, 0.03)
    ]
    for small, large in pairwise(sets):
        assert all((b | ~a).all() for a, b in zip(small.matrices(), large.matrices(), strict=True))


@pytest.mark.parametrize("method", STEADY)
def test_the_order_of_samples_does_not_matter(method: str, sample: Any) -> None:
    probabilities, labels = sample(200, CLASSES, seed=3, grid=16)
    order = np.random.default_rng(0).permutation(200)
    extra = options(method, 200)
    shuffled = {"groups": extra["groups"][order]} if "groups" in extra else extra
    first = calibrate(probabilities, labels, alpha=0.1, method=method, **extra)
    second = calibrate(
        [p[order] for p in probabilities], [y[order] for y in labels], alpha=0.1, method=method, **shuffled
    )
    assert all(np.array_equal(a, b) for a, b in zip(first.thresholds, second.thresholds, strict=True))


@pytest.mark.parametrize("method", ["taskwise", "classwise", "bonferroni", "max-score", "max-rank"])
@settings(max_examples=20)
@given(st.integers(0, 200))
def test_thresholds_follow_a_permutation_of_tasks_and_classes(method: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    probabilities = [np.stack([rng.multinomial(16, np.full(c, 1 / c)) for _ in range(60)]) / 16 for c in CLASSES]
    labels = [rng.integers(0, c, 60) for c in CLASSES]
    base = calibrate(probabilities, labels, alpha=0.2, method=method)
    turned = calibrate(probabilities[::-1], labels[::-1], alpha=0.2, method=method)
    assert all(np.array_equal(a, b) for a, b in zip(base.thresholds, turned.thresholds[::-1], strict=True))
    order = rng.permutation(5)  # column j is class order[j]
    places = np.argsort(order)
    mixed = calibrate(
        [probabilities[0][:, order], *probabilities[1:]], [places[labels[0]], *labels[1:]], alpha=0.2, method=method
    )
    np.testing.assert_array_equal(mixed.thresholds[0], base.thresholds[0][:, order])


def test_thresholds_are_the_quantiles_of_what_was_pooled(sample: Any) -> None:
    probabilities, labels = sample(100, CLASSES, seed=4)
    true = [1 - p[np.arange(100), y] for p, y in zip(probabilities, labels, strict=True)]
    taskwise = calibrate(probabilities, labels, alpha=0.1)
    pooled = calibrate(probabilities, labels, alpha=0.1, method="global")
    classwise = calibrate(probabilities, labels, alpha=0.1, method="classwise")
    for task in range(3):
        assert (taskwise.thresholds[task] == conformal_quantile(true[task], 0.1)).all()
        assert (pooled.thresholds[task] == conformal_quantile(np.concatenate(true), 0.1)).all()
        for label in range(CLASSES[task]):
            mine = true[task][labels[task] == label]
            assert classwise.thresholds[task][0, label] == conformal_quantile(mine, 0.1)


def test_groups_have_thresholds_of_their_own_and_strangers_the_common_one(sample: Any) -> None:
    probabilities, labels = sample(200, CLASSES, seed=5)
    groups = np.array(["north", "south"])[np.arange(200) % 2]
    calibrated = calibrate(probabilities, labels, alpha=0.1, method="mondrian", groups=groups)
    common = calibrate(probabilities, labels, alpha=0.1)
    south = calibrate([p[1::2] for p in probabilities], [y[1::2] for y in labels], alpha=0.1)
    new, _ = sample(9, CLASSES, seed=6)
    assert calibrated.predict_sets(new, groups=["south"] * 9) == south.predict_sets(new)
    assert calibrated.predict_sets(new, groups=["east"] * 9) == common.predict_sets(new)


def test_classes_absent_from_calibration_get_the_pooled_threshold_and_are_listed(sample: Any) -> None:
    (p,), (y,) = sample(200, (5,), seed=7)
    frequent = (y != 2) & (y != 4)
    common = calibrate([p[frequent]], [y[frequent]], alpha=0.1).thresholds[0][0, 0]
    for method in ("classwise", "task-clusters", "global-clusters"):
        calibrated = calibrate([p[frequent]], [y[frequent]], alpha=0.1, method=method)
        assert calibrated.pooled == ((2, 4),)
        assert any("classes 2, 4 got the pooled threshold" in note for note in calibrated.notes)
        assert calibrated.predict_sets([p]).classes == (5,)
        if method == "classwise":
            assert (calibrated.thresholds[0][0, [2, 4]] == common).all()


def test_a_missing_label_leaves_its_task_and_joint_methods_use_complete_samples(sample: Any) -> None:
    probabilities, labels = sample(120, CLASSES, seed=8)
    gaps = [y.copy() for y in labels]
    gaps[0][:40] = -1
    rest = calibrate([p[40:] for p in probabilities], [y[40:] for y in labels], alpha=0.1)
    calibrated = calibrate(probabilities, gaps, alpha=0.1)
    np.testing.assert_array_equal(calibrated.thresholds[0], rest.thresholds[0])
    np.testing.assert_array_equal(calibrated.thresholds[1], calibrate(probabilities, labels, alpha=0.1).thresholds[1])
    joint = calibrate(probabilities, gaps, alpha=0.1, method="max-rank")
    assert joint.samples == 80
    np.testing.assert_array_equal(
        joint.thresholds[1],
        calibrate([p[40:] for p in probabilities], [y[40:] for y in labels], alpha=0.1, method="max-rank").thresholds[
            1
        ],
    )


def test_too_few_samples_give_full_sets_and_a_note(sample: Any) -> None:
    probabilities, labels = sample(5, CLASSES, seed=9)
    calibrated = calibrate(probabilities, labels, alpha=0.1)
    assert (calibrated.predict_sets(probabilities).sizes() == CLASSES).all()
    assert "too few samples for a finite threshold" in calibrated.notes[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alpha": 0.0}, "strictly between"),
        ({"method": "taskwse"}, "Did you mean 'taskwise'"),
        ({"score": "hing"}, "Did you mean 'hinge'"),
        ({"method": "mondrian"}, "needs one group per sample"),
        ({"groups": [0] * 20}, "belong to method"),
        ({"method": "weighted-bonferroni"}, "needs one weight per task"),
        ({"weights": [1, 1, 1]}, "belong to method"),
        ({"method": "weighted-bonferroni", "weights": [1, -1, 1]}, "not negative"),
        ({"method": "mondrian", "groups": [0, 1]}, "each of the 20 samples"),
        ({"method": "joint", "share": 1.0}, "share must lie"),
        ({"method": "task-clusters", "clusters": 0}, "clusters must be"),
    ],
)
def test_options_that_do_not_fit_are_named(change: dict[str, Any], message: str, sample: Any) -> None:
    probabilities, labels = sample(20, CLASSES)
    with pytest.raises(InvalidInput, match=message):
        calibrate(probabilities, labels, **{"alpha": 0.2, **change})


def test_no_calibration_samples_are_an_error() -> None:
    with pytest.raises(InvalidInput, match="task 0: there is no labelled sample"):
        calibrate([np.zeros((0, 3))], [[]], alpha=0.1)
    with pytest.raises(InvalidInput, match="task 1: there is no labelled sample"):
        calibrate([[[0.5, 0.5]], [[0.5, 0.5]]], [[0], [-1]], alpha=0.1)
    with pytest.raises(InvalidInput, match="no sample has labels in all tasks"):
        calibrate([[[0.5, 0.5]] * 2] * 2, [[0, -1], [-1, 0]], alpha=0.1, method="max-rank")


def test_one_class_and_one_task_are_no_special_cases() -> None:
    calibrated = calibrate([np.ones((20, 1))], [[0] * 20], alpha=0.1)
    assert calibrated.predict_sets([np.ones((3, 1))]).labels(0) == [[0]] * 3
    for method in ("bonferroni", "max-score", "joint"):
        p = np.tile([0.7, 0.3], (20, 1))
        assert calibrate([p], [[0] * 20], alpha=0.1, method=method).predict_sets([p]).labels(0) == [[0]] * 20


@pytest.mark.parametrize("method", ["classwise", "mondrian", "joint"])
def test_a_saved_calibration_comes_back_as_it_was(method: str, sample: Any, tmp_path: Path) -> None:
    probabilities, labels = sample(40, CLASSES, seed=10)  # rare classes have infinite thresholds
    calibrated = calibrate(probabilities, labels, alpha=0.1, method=method, **options(method, 40))
    calibrated.save(tmp_path / "calibration.json")
    again = Calibration.load(tmp_path / "calibration.json")
    assert "Infinity" not in (tmp_path / "calibration.json").read_text()
    assert again.to_json() == calibrated.to_json()
    assert predict(again, probabilities) == predict(calibrated, probabilities)


@pytest.mark.parametrize("text", ["{}", '{"format": 1}', '{"format": 9}', '{"format": 1, "thresholds": [["a"]]}'])
def test_a_damaged_calibration_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(text)
    with pytest.raises(InvalidInput, match="calibration"):
        Calibration.load(tmp_path / "c.json")


def test_groups_that_json_cannot_hold_are_named_when_the_calibration_is_saved(sample: Any, tmp_path: Path) -> None:
    probabilities, labels = sample(60, (3,), seed=3)
    days = np.array(["2026-01-01", "2026-01-02"], dtype="datetime64[D]")[np.arange(len(labels[0])) % 2]
    calibrated = calibrate(probabilities, labels, alpha=0.1, method="mondrian", groups=days)
    with pytest.raises(InvalidInput, match=r"its group datetime.date\(2026, 1, 1\) cannot be written"):
        calibrated.save(tmp_path / "calibration.json")
    assert not list(tmp_path.iterdir())


def test_groups_are_asked_for_exactly_where_they_are_known(sample: Any) -> None:
    probabilities, labels = sample(30, (3,), seed=11)
    with pytest.raises(InvalidInput, match="the calibration knows none"):
        calibrate(probabilities, labels, alpha=0.1).predict_sets(probabilities, groups=[0] * 30)
    calibrated = calibrate(probabilities, labels, alpha=0.1, method="mondrian", groups=[0] * 30)
    with pytest.raises(InvalidInput, match="groups: are missing"):
        calibrated.predict_sets(probabilities)
    with pytest.raises(InvalidInput, match="each of the 30 samples"):
        calibrated.predict_sets(probabilities, groups=[0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_kernel_finds_exactly_the_sets_that_the_score_finds(dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(12)
    p = rng.dirichlet(np.full(70, 0.3), size=400).astype(dtype)
    p /= p.sum(axis=1, keepdims=True)
    labels = [rng.integers(0, 70, 400)]
    for method in ("taskwise", "classwise"):
        calibrated = calibrate([p], labels, alpha=0.1, method=method)
        slow = calibrated.predict_sets([p])
        monkeypatch.setattr(calibration, "_WORTH_COMPILING", 0)
        assert calibrated.predict_sets([p]) == slow
        assert calibrated.count([p], labels) == count_sets(slow, labels)
        monkeypatch.undo()
    expected = 1.0 - p.astype(np.float64) <= calibrated.thresholds[0][0]
    assert isinstance(slow, PredictionSets)
    np.testing.assert_array_equal(slow.matrix(0), expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_lowest_probability_is_the_last_that_is_strange_enough(dtype: Any) -> None:
    rng = np.random.default_rng(13)
    thresholds = np.concatenate([rng.uniform(size=500), 1 - rng.uniform(size=50) * 1e-9, [0.0]])
    lowest = lowest_probabilities(thresholds, np.dtype(dtype))
    assert lowest.dtype == dtype
    assert (1.0 - lowest.astype(np.float64) <= thresholds).all()
    assert (1.0 - np.nextafter(lowest, dtype(-1)).astype(np.float64) > thresholds).all()
    everything, nothing = lowest_probabilities(np.array([1.0, -0.1]), np.dtype(dtype))
    assert everything <= 0
    assert nothing > 1


@pytest.mark.parametrize("bad", [np.nan, -0.5, 0.9])
def test_the_kernel_refuses_what_is_no_distribution(bad: float, monkeypatch: pytest.MonkeyPatch) -> None:
    p = np.full((300, 4), 0.25)
    calibrated = calibrate([p], [[0] * 300], alpha=0.1)
    monkeypatch.setattr(calibration, "_WORTH_COMPILING", 0)
    p[211, 1] = bad
    with pytest.raises(InvalidInput, match="task 0: row 211"):
        calibrated.predict_sets([p])


def test_a_stream_of_parts_gives_the_counts_of_the_whole(sample: Any) -> None:
    probabilities, labels = sample(300, CLASSES, seed=14)
    calibrated = calibrate(probabilities, labels, alpha=Fraction(1, 10), method="joint", seed=3)
    parts = (([p[a : a + 70] for p in probabilities], [y[a : a + 70] for y in labels]) for a in range(0, 300, 70))
    assert evaluate_stream(calibrated, parts) == calibrated.count(probabilities, labels)


def test_randomised_scores_depend_on_the_seed_alone(sample: Any) -> None:
    probabilities, labels = sample(100, CLASSES, seed=15)
    makes = [calibrate(probabilities, labels, alpha=0.1, score="aps(randomized=True)", seed=s) for s in (1, 1, 2)]
    sets = [calibrated.predict_sets(probabilities) for calibrated in makes]
    assert sets[0] == sets[1]
    assert sets[0] != sets[2]


def test_logits_are_softmaxed_on_request(sample: Any) -> None:
    probabilities, labels = sample(60, (3,), seed=16)
    logits = [np.log(np.maximum(p, 1e-12)) + 3 for p in probabilities]
    with pytest.raises(InvalidInput, match="logits=True"):
        calibrate(logits, labels, alpha=0.1)
    calibrated = calibrate(logits, labels, alpha=0.1, logits=True)
    assert calibrated.predict_sets(logits, logits=True) == calibrate(probabilities, labels, alpha=0.1).predict_sets(
        probabilities
    )


def test_seeds_are_whole_numbers_of_any_size() -> None:
    rng = np.random.default_rng(0)
    probabilities, labels = rng.dirichlet(np.ones(8), size=2000), rng.integers(0, 8, 2000)
    calibrate([probabilities], [labels], alpha=0.2, method="task-clusters", clusters=2, seed=2**40)
    with pytest.raises(InvalidInput, match="seed must be a whole number of at least 0, got -1"):
        calibrate([probabilities], [labels], alpha=0.2, seed=-1)
