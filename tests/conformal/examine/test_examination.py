from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from assay.conformal import TRACK, ConformalAnswer, ConformalTask, ConformalTruth, PredictionSets
from assay.conformal.answer.answer import decode, encode
from assay.conformal.generate import draw
from assay.core import Budget, InvalidInput, Problem, SubjectFailed, plain


def problem(guarantee: Any = "taskwise", *, groups: bool = False) -> Problem[ConformalTask, ConformalTruth]:
    known, new = draw("correlated", 200, seed=1), draw("correlated", 400, seed=2)
    task = ConformalTask(
        calibration_probabilities=known.probabilities,
        calibration_labels=known.labels,
        test_probabilities=new.probabilities,
        alpha=0.1,
        guarantee=guarantee,
        task_names=("a", "b", "c"),
        calibration_groups=known.groups if groups else None,
        test_groups=new.groups if groups else None,
    )
    return Problem(id="p", digest="d", task=task, truth=ConformalTruth(labels=new.labels))


def scores(problem_here: Problem[Any, Any], answer: ConformalAnswer, **settings: Any) -> dict[str, float]:
    evidence = TRACK.examine(problem_here, answer, {**TRACK.settings, **settings})
    return {metric.name: metric.function(evidence) for metric in TRACK.metrics}


def hitting(problem_here: Problem[Any, Any], share: float, *, size: int = 1) -> ConformalAnswer:
    """The truth in that share of samples, a wrong class in the others; ``size`` classes more or less."""
    rows = []
    for labels, count in zip(problem_here.truth.labels, problem_here.task.classes, strict=True):
        right = np.arange(len(labels)) < share * len(labels)
        first = np.where(right, labels, (labels + 1) % count)
        rows.append([[int(c)] for c in first])
    return ConformalAnswer(sets=rows)  # type: ignore[arg-type]


@pytest.mark.parametrize("guarantee", ["taskwise", "joint"])
def test_the_truth_reaches_the_smallest_size_and_covers_all(guarantee: str) -> None:
    problem_here = problem(guarantee)
    values = scores(problem_here, TRACK.oracle(problem_here))
    expected = np.mean([1 / c for c in problem_here.task.classes]) if guarantee == "taskwise" else 1 / (8 * 4 * 3)
    assert values["relative_size"] == pytest.approx(expected)
    assert values["coverage"] == values["joint_coverage"] == values["informativeness"] == 1


@pytest.mark.parametrize("guarantee", ["taskwise", "joint"])
def test_small_sets_that_cover_too_little_get_the_floor(guarantee: str) -> None:
    problem_here = problem(guarantee)
    assert scores(problem_here, hitting(problem_here, 0.7))["relative_size"] == 1.0
    assert (
        scores(problem_here, hitting(problem_here, 0.89))["relative_size"] < 1.0
    )  # within what calibration's luck explains


def test_how_much_is_significant_can_be_set() -> None:
    problem_here = problem()
    low = hitting(problem_here, 0.85)
    assert scores(problem_here, low, significance=1e-9)["relative_size"] < 1.0
    assert scores(problem_here, low, significance=0.2)["relative_size"] == 1.0
    with pytest.raises(InvalidInput, match="significance"):
        scores(problem_here, low, significance=0.0)


def test_empty_sets_count_as_full_ones_in_the_headline_and_as_nothing_in_the_mean_size() -> None:
    problem_here = problem()
    sets = [list(map(list, rows)) for rows in TRACK.oracle(problem_here).sets]
    for rows in sets:
        rows[:20] = [[] for _ in range(20)]  # 5 % of 400
    values = scores(problem_here, ConformalAnswer(sets=sets))  # type: ignore[arg-type]
    assert values["empty_rate"] == pytest.approx(0.05)
    assert values["efficiency"] == pytest.approx(0.95)
    assert values["relative_size"] == pytest.approx(np.mean([0.95 / c + 0.05 for c in problem_here.task.classes]))


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        ([[[0]] * 400] * 2, "sets of 2 tasks were given; give one boolean matrix per task, 3 in all"),
        ([], r"an empty list was given; give one boolean matrix per task, 3 in all, of shape \(400, "),
        ([[[0]] * 399] * 3, "task 0: 399 sets were given for 400 samples"),
        ([[[0]] * 400, [[9]] * 400, [[0]] * 400], "9 is outside the 4 classes"),
    ],
)
def test_answers_that_do_not_fit_the_task_fail(sets: Any, message: str) -> None:
    with pytest.raises(SubjectFailed, match=message):
        scores(problem(), decode(encode(sets)))


def test_missing_labels_leave_the_counts() -> None:
    problem_here = problem("joint")
    labels = tuple(np.where(np.arange(400) % 4 == t, -1, y) for t, y in enumerate(problem_here.truth.labels))
    gaps = Problem(id="p", digest="d", task=problem_here.task, truth=ConformalTruth(labels=labels))
    evidence = TRACK.examine(gaps, TRACK.oracle(gaps), TRACK.settings)
    assert evidence.counts.known == 100
    assert [task.labelled for task in evidence.counts.tasks] == [300, 300, 300]
    assert scores(gaps, TRACK.oracle(gaps))["joint_coverage"] == 1


def test_details_say_what_a_report_draws() -> None:
    problem_here = problem(groups=True)
    full = ConformalAnswer.of(PredictionSets.full(400, problem_here.task.classes))
    evidence = TRACK.examine(problem_here, full, TRACK.settings)
    details: Any = TRACK.details(evidence)
    plain(details)
    assert details["joint_coverage"][0] == 1.0
    assert [task["name"] for task in details["tasks"]] == ["a", "b", "c"]
    accuracy = [
        float((p.argmax(axis=1) == y).mean())
        for p, y in zip(problem_here.task.test_probabilities, problem_here.truth.labels, strict=True)
    ]
    assert [task["low_level_accuracy"] for task in details["tasks"]] == pytest.approx(accuracy)
    assert details["high_level_accuracy"] <= min(accuracy)
    assert scores(problem_here, full)["worst_slice_coverage"] == 1


def test_slices_without_groups_or_with_small_ones_are_undefined() -> None:
    problem_here = problem()
    values = scores(problem_here, TRACK.oracle(problem_here))
    assert np.isnan(values["worst_slice_coverage"])
    assert np.isnan(TRACK.metric("worst_slice_coverage").floor_for(problem_here))
    few = replace(problem_here.task, calibration_groups=np.zeros(200, dtype=int), test_groups=np.arange(400))
    tiny = Problem(id="p", digest="d", task=few, truth=problem_here.truth)
    assert np.isnan(scores(tiny, TRACK.oracle(tiny))["worst_slice_coverage"])
    assert np.isnan(TRACK.metric("worst_slice_coverage").floor_for(tiny))


@pytest.mark.parametrize("guarantee", ["taskwise", "joint"])
def test_combinations_are_examined_by_their_number_together_and_by_what_they_leave_open_alone(guarantee: str) -> None:
    problem_here = problem(guarantee)
    right = np.stack(problem_here.truth.labels, axis=1)
    other = (right + 1) % np.asarray(problem_here.task.classes)
    rows = [[list(map(int, a)), list(map(int, b))] for a, b in zip(right, other, strict=True)]
    values = scores(problem_here, ConformalAnswer(combinations=rows))  # type: ignore[arg-type]
    assert values["joint_coverage"] == values["coverage"] == 1.0
    assert values["product_size"] == values["efficiency"] == 2.0  # the product of the tasks' sets would have 8
    assert values["relative_size"] == pytest.approx(2 / 96 if guarantee == "joint" else np.mean([2 / 8, 2 / 4, 2 / 3]))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[[0, 0, 0]]], "1 samples were given for 400"),
        ([[[0, 9, 0]]] * 400, "outside"),
        ([[[0]]] * 400, "one per task"),
    ],
)
def test_combinations_that_do_not_fit_the_task_fail(rows: Any, message: str) -> None:
    with pytest.raises(SubjectFailed, match=message):
        scores(problem(), ConformalAnswer(combinations=rows))


def test_the_default_answers_a_joint_problem_with_combinations_that_are_smaller_than_products() -> None:
    problem_here = problem("joint")
    values = {
        name: scores(problem_here, TRACK.subjects[name]().solve(problem_here.task, Budget()))
        for name in ("auto", "bonferroni")
    }
    assert values["auto"]["relative_size"] < values["bonferroni"]["relative_size"]
    assert values["auto"]["joint_coverage"] > 0.85
