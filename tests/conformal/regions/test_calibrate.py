"""Regions of tasks of any kind: the guarantee by simulation, nested levels, groups, weights, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy import stats

from assay.conformal.regions import (
    Classes,
    Intervals,
    Labels,
    Quantiles,
    Regions,
    Values,
    calibrate_regions,
    draw_regions,
)
from assay.core import InvalidInput

TASKS = ("kind", "spam", "tags", "price", "delay")


def least_hits(trials: int, alpha: float, *, level: float = 1e-6) -> int:
    """What a method that keeps 1 - alpha falls short of once in a million times."""
    return int(stats.binom.ppf(level, trials, 1 - alpha))


def simulated(trials: int, *, samples: int, tasks: tuple[str, ...] = TASKS, seed: int = 0, **options: Any) -> Any:
    """Hits [tasks + 1, trials] of one new sample after each calibration: independent trials; the last row is all."""
    alpha = options.pop("alpha", 0.1)
    grouped, weighted = options.pop("grouped", False), options.pop("weighted", False)
    hits, groups = [], []
    many = draw_regions(trials * samples, seed=seed)
    new = draw_regions(trials, seed=seed + 1, drift="shift" if weighted else "none").only(*tasks)
    for trial in range(trials):
        rows = slice(trial * samples, (trial + 1) * samples)
        calibration = calibrate_regions(
            {name: cut(many.predictions[name], rows) for name in tasks},
            {name: many.truth[name][rows] for name in tasks},
            alpha=alpha,
            groups=many.groups[rows] if grouped else None,
            weights=many.ratios[rows] if weighted else None,
            **options,
        )
        one = slice(trial, trial + 1)
        regions = calibration.predict(
            {name: cut(new.predictions[name], one) for name in tasks},
            groups=new.groups[one] if grouped else None,
            weights=new.ratios[one] if weighted else None,
        )
        truth = {name: new.truth[name][one] for name in tasks}
        hits.append([*(hit[0] for hit in regions.hits(truth).values()), regions.covered(truth)[0]])
        groups.append(new.groups[trial])
    return np.asarray(hits).T, np.asarray(groups)


def cut(prediction: Any, rows: slice) -> Any:
    """A prediction of some of the samples."""
    if isinstance(prediction, Values):
        return Values(
            prediction.predicted[rows],
            None if prediction.scale is None else prediction.scale[rows],
            prediction.symmetric,
        )
    if isinstance(prediction, Quantiles):
        return Quantiles(prediction.low[rows], prediction.high[rows], prediction.symmetric)
    if isinstance(prediction, Labels):
        return Labels(prediction.probabilities[rows])
    return Classes(prediction.probabilities[rows], prediction.score)


def test_every_task_of_every_kind_is_covered_as_promised() -> None:
    hits, _ = simulated(400, samples=39)
    assert (hits[:-1].sum(axis=1) >= least_hits(400, 0.1)).all()
    assert hits[:-1].mean() < 0.94  # and not by regions that hold everything
    assert hits[-1].sum() < least_hits(400, 0.1)  # all at once is another promise


@pytest.mark.parametrize("method", ["auto", "max-rank", "bonferroni"])
def test_mixed_tasks_are_covered_all_at_once(method: Any) -> None:
    hits, _ = simulated(250, samples=99, tasks=("kind", "price", "tags"), guarantee="joint", method=method)
    assert hits[-1].sum() >= least_hits(250, 0.1)
    assert hits[-1].mean() < 0.97


def test_all_tasks_are_covered_at_once_in_every_group() -> None:
    hits, groups = simulated(300, samples=200, tasks=("kind", "price"), guarantee="joint", grouped=True)
    for group in (0, 1):
        inside = hits[-1][groups == group]
        assert inside.sum() >= least_hits(len(inside), 0.1)


def test_weights_keep_the_promise_under_a_shift_that_breaks_it_without_them() -> None:
    pair = ("price", "delay")
    coverage, _ = simulated(300, samples=100, tasks=pair, weighted=True)
    assert (coverage[:-1].sum(axis=1) >= least_hits(300, 0.1)).all()
    jointly, _ = simulated(300, samples=150, tasks=pair, weighted=True, guarantee="joint")
    assert jointly[-1].sum() >= least_hits(300, 0.1)


def test_without_weights_the_shift_breaks_the_promise() -> None:
    old, new = draw_regions(4000, seed=3), draw_regions(4000, seed=4, drift="shift")
    bare = {"price": Values(old.predictions["price"].predicted)}  # type: ignore[attr-defined]
    after = {"price": Values(new.predictions["price"].predicted)}  # type: ignore[attr-defined]
    truth, later = {"price": old.truth["price"]}, {"price": new.truth["price"]}
    plain = calibrate_regions(bare, truth, alpha=0.1).predict(after)
    weighed = calibrate_regions(bare, truth, alpha=0.1, weights=old.ratios).predict(after, weights=new.ratios)
    assert plain.covered(later).sum() < least_hits(4000, 0.1)
    assert weighed.covered(later).mean() == pytest.approx(0.9, abs=0.03)


@pytest.mark.soak
@pytest.mark.parametrize("samples", [19, 99, 300])
@pytest.mark.parametrize(
    "options", [{}, {"guarantee": "joint"}, {"guarantee": "joint", "grouped": True}, {"weighted": True}]
)
def test_the_promise_holds_in_three_thousand_trials(
    samples: int, options: dict[str, Any], record_property: Callable[[str, object], None]
) -> None:
    hits, groups = simulated(3000, samples=samples, seed=samples, **options)
    rows = hits[-1:] if options.get("guarantee") else hits[:-1]
    record_property("coverage", rows.mean(axis=1).tolist())  # the table of docs/tracks/conformal.md
    assert (rows.sum(axis=1) >= least_hits(3000, 0.1)).all()
    for group in (0, 1) if options.get("grouped") else ():
        inside = hits[-1][groups == group]
        record_property(f"coverage of group {group}", inside.mean())
        assert inside.sum() >= least_hits(len(inside), 0.1)


@pytest.mark.parametrize("guarantee", ["taskwise", "joint"])
@pytest.mark.parametrize("samples", [60, 400])
def test_regions_of_several_levels_are_nested_and_those_of_each_level_alone(guarantee: Any, samples: int) -> None:
    old, new = draw_regions(samples, seed=1), draw_regions(50, seed=2)
    levels = [0.05, 0.3, 0.1]
    calibration = calibrate_regions(old.predictions, old.truth, alpha=levels, guarantee=guarantee)
    by_level = [calibration.predict(new.predictions, alpha=alpha) for alpha in sorted(levels, reverse=True)]
    for smaller, larger in pairwise(by_level):
        for name in TASKS:
            inner, outer = smaller[name], larger[name]
            if isinstance(inner, Intervals):
                assert isinstance(outer, Intervals)
                assert (outer.low <= inner.low).all()
                assert (inner.high <= outer.high).all()
            else:
                assert not isinstance(outer, Intervals)
                assert not (inner & ~outer).any()
    alone = calibrate_regions(old.predictions, old.truth, alpha=0.3).predict(new.predictions)
    if guarantee == "taskwise":
        for name in TASKS:
            np.testing.assert_array_equal(np.asarray(alone[name]), np.asarray(by_level[0][name]))


def test_equal_weights_give_exactly_the_regions_without_weights() -> None:
    old, new = draw_regions(137, seed=1), draw_regions(20, seed=2)
    for options in ({}, {"guarantee": "joint", "method": "max-rank"}, {"guarantee": "joint", "method": "bonferroni"}):
        plain = calibrate_regions(old.predictions, old.truth, alpha=0.1, **options)  # type: ignore[arg-type]
        weighed = calibrate_regions(
            old.predictions,
            old.truth,
            alpha=0.1,
            weights=np.full(137, 0.1),
            **options,  # type: ignore[arg-type]
        )
        one, other = plain.predict(new.predictions), weighed.predict(new.predictions, weights=np.full(20, 0.1))
        for name in TASKS:
            np.testing.assert_array_equal(np.asarray(one[name]), np.asarray(other[name]))


def test_groups_are_calibrated_apart_and_an_unknown_one_gets_the_common_thresholds() -> None:
    truth = np.concatenate([np.full(50, 1.0), np.full(50, 10.0)])
    groups = np.repeat(["easy", "hard"], 50)
    calibration = calibrate_regions(Values(np.zeros(100)), truth, alpha=0.1, groups=groups)
    regions = calibration.predict(Values(np.zeros(3)), groups=["hard", "easy", "new"])
    assert isinstance(regions["task"], Intervals)
    assert regions["task"].high.round(9).tolist() == [10.0, 1.0, 10.0]


def test_too_few_samples_leave_everything_open_and_say_so() -> None:
    calibration = calibrate_regions(
        {"price": Values([0.0, 0.0]), "kind": Classes([0.5, 0.6])}, {"price": [1, 2], "kind": [0, 1]}, alpha=[0.5, 0.1]
    )
    assert calibration.notes == (
        "alpha 0.1: too few samples for a finite threshold; regions of price, kind will be everything.",
    )
    regions = calibration.predict({"price": Values([0.0]), "kind": Classes([0.5])}, alpha=0.1)
    assert regions["price"] == Intervals(np.array([-np.inf]), np.array([np.inf]))
    assert np.asarray(regions["kind"]).all()


def test_missing_truths_leave_their_task_and_jointly_their_sample() -> None:
    predictions = {"price": Values(np.zeros(6)), "kind": Classes(np.full(6, 0.25))}
    truth = {"price": [1.0, 2.0, 3.0, 4.0, np.nan, np.nan], "kind": [0, 0, 0, -1, -1, 0]}
    calibration = calibrate_regions(predictions, truth, alpha=Fraction(1, 4))
    one = {"price": Values([0.0]), "kind": Classes([0.25])}
    assert np.asarray(calibration.predict(one)["price"])[1] == pytest.approx([4.0])
    complete = calibrate_regions(predictions, truth, alpha=0.5, guarantee="joint", method="bonferroni")
    assert np.asarray(complete.predict(one)["price"])[1] == pytest.approx([3.0])
    regions = calibration.predict(predictions)
    assert np.isnan(regions.covered(truth)).tolist() == [False, False, False, True, True, True]


def test_sets_and_intervals_come_apart_and_labels_are_tasks_of_two_classes() -> None:
    old = draw_regions(100, seed=1)
    regions = calibrate_regions(old.predictions, old.truth, alpha=0.1).predict(old.predictions)
    assert sorted(regions.intervals) == ["delay", "price"]
    assert {name: matrix.shape for name, matrix in regions.sets.items()} == {
        "kind": (100, 5),
        "spam": (100, 2),
        **{f"tags[{label}]": (100, 2) for label in range(4)},
    }
    assert repr(regions) == "Regions(100 samples, tasks kind, spam, tags, price, delay, alpha 0.1, taskwise)"
    with pytest.raises(InvalidInput, match="Did you mean 'price'"):
        regions["prise"]


PAIR = {"price": Values([0.0, 1.0]), "kind": Classes([0.5, 0.6])}
RIGHT = {"price": [0.5, 1.0], "kind": [0, 1]}


@pytest.mark.parametrize(
    ("predictions", "truth", "options", "message"),
    [
        (PAIR, {"cost": [1, 2], "kind": [0, 1]}, {}, "tasks are 'cost', 'kind', expected 'price', 'kind'"),
        ({}, {}, {}, "there is no task"),
        ({"price": [1.0, 2.0]}, {"price": [1, 2]}, {}, r"say what the numbers are: Values\(predicted\)"),
        ({**PAIR, "more": Values([1.0])}, {**RIGHT, "more": [1]}, {}, "different numbers of samples: 'price' 2"),
        (PAIR, {**RIGHT, "price": [1.0]}, {}, "task 'price': truth: 1 numbers were given for 2 samples"),
        (PAIR, {**RIGHT, "kind": [0, 2]}, {}, "task 'kind': truth, task 0: 2 at sample 1 is outside the 2 classes"),
        (PAIR, {**RIGHT, "price": [np.nan, np.nan]}, {}, "task 'price': there is no truth at all"),
        (
            PAIR,
            {"price": [np.nan, 1], "kind": [0, -1]},
            {"guarantee": "joint"},
            "no sample has the truth of all tasks",
        ),
        (PAIR, RIGHT, {"alpha": []}, "there is no level"),
        (PAIR, RIGHT, {"alpha": [0.1, 1.0]}, "strictly between 0 and 1"),
        (PAIR, RIGHT, {"guarantee": "jiont"}, "Did you mean 'joint'"),
        (PAIR, RIGHT, {"method": "bonferoni"}, "Did you mean 'bonferroni'"),
        (PAIR, RIGHT, {"groups": [1]}, "groups: give one for each of the 2 samples"),
        (PAIR, RIGHT, {"weights": [1.0, -1.0]}, "must be finite and not negative, got -1 at sample 1"),
        (PAIR, RIGHT, {"weights": [1.0]}, "one number for each of the 2 samples"),
    ],
)
def test_what_does_not_fit_is_named_with_the_way_out(
    predictions: Any, truth: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        calibrate_regions(predictions, truth, **{"alpha": 0.1, **options})


@pytest.mark.parametrize(
    ("options", "inputs", "message"),
    [
        ({}, {"alpha": 0.2}, "0.2 was not calibrated; the levels are 0.1"),
        ({"alpha": [0.1, 0.2]}, {}, "say which of the calibrated levels 0.2, 0.1"),
        ({}, {"groups": [1, 1]}, "groups: were given, but the calibration knows none"),
        ({"groups": [1, 2]}, {}, "groups: are missing"),
        ({}, {"weights": [1, 1]}, "were given, but calibration had none"),
        ({"weights": [1, 2]}, {}, "calibration had weights, so new samples need theirs"),
        ({}, {"predictions": {"price": Values([1.0])}}, "the tasks are 'price', expected 'price', 'kind'"),
        (
            {},
            {"predictions": {**PAIR, "price": Values([1.0, 2.0], symmetric=False)}},
            "task 'price': was calibrated with another setting of symmetric",
        ),
    ],
)
def test_what_does_not_fit_the_calibration_is_named(
    options: dict[str, Any], inputs: dict[str, Any], message: str
) -> None:
    calibration = calibrate_regions(PAIR, RIGHT, **{"alpha": 0.1, **options})
    with pytest.raises(InvalidInput, match=message):
        calibration.predict(inputs.pop("predictions", PAIR), **inputs)


def test_order_of_tasks_does_not_matter() -> None:
    calibration = calibrate_regions(PAIR, dict(reversed(RIGHT.items())), alpha=0.5)
    one: Regions = calibration.predict(PAIR)
    other = calibration.predict(dict(reversed(PAIR.items())))
    assert list(one) == list(other) == ["price", "kind"]
    assert np.array_equal(np.asarray(one["price"]), np.asarray(other["price"]))


@pytest.mark.parametrize(
    ("calibrated", "new", "message"),
    [
        (Classes(np.full((4, 3), 1 / 3)), Classes(np.full((1, 4), 1 / 4)), "Classes of 4 classes, score hinge"),
        (Classes(np.full((4, 2), 1 / 2)), Classes(np.full((1, 2), 1 / 2), score="aps"), "score aps"),
        (Classes(np.full((4, 2), 1 / 2)), Labels(np.full((1, 2), 1 / 2)), "are Labels of 2 labels"),
        (Labels(np.full((4, 2), 1 / 2)), Labels(np.full((1, 3), 1 / 2)), "are Labels of 3 labels"),
        (Values(np.zeros(4), scale=np.ones(4)), Values([0.0]), "Values without a scale; calibrated were Values with"),
        (Values(np.zeros(4)), Quantiles([0.0], [1.0]), "are Quantiles"),
    ],
)
def test_new_predictions_must_be_of_the_kind_that_was_calibrated(calibrated: Any, new: Any, message: str) -> None:
    truth = np.zeros((4, 2), dtype=int) if isinstance(calibrated, Labels) else np.zeros(4, dtype=int)
    with pytest.raises(InvalidInput, match=f"predictions, task 'task': .*{message}"):
        calibrate_regions(calibrated, truth, alpha=0.5).predict(new)


def test_tasks_may_be_called_by_numbers() -> None:
    calibration = calibrate_regions({0: Values(np.zeros(4))}, {0: [1.0, 2.0, 3.0, 4.0]}, alpha=0.5)
    assert calibration.predict({0: Values([0.0])}).covered({0: [2.5]}).tolist() == [1.0]
