"""Intervals against true numbers, computed again by plain loops."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from assay.conformal import TRACK, ConformalAnswer, ConformalTask, ConformalTruth, generate, load
from assay.conformal.regions import Intervals
from assay.core import Budget, Problem, SubjectFailed, find_problems

Given = Problem[ConformalTask, ConformalTruth]


@pytest.fixture(scope="module")
def problems(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Given]:
    folder = tmp_path_factory.mktemp("problems")
    generate(
        folder,
        problems=7,
        seed=5,
        families=("regression", "heteroscedastic", "mixed", "shifted-numbers"),
        calibration=200,
        test=150,
        missing=0.1,
    )
    problems = [load(path) for path in find_problems(folder)]
    return {f"{problem.tags['family']}-{problem.tags['guarantee']}": problem for problem in problems}


def scored(problem: Given, answer: ConformalAnswer) -> dict[str, float]:
    evidence = TRACK.examine(problem, TRACK.decode(TRACK.encode(answer)), TRACK.settings)
    return {metric.name: metric.function(evidence) for metric in TRACK.metrics}


def around(problem: Given, reach: float, *, classes: float = 0.02) -> ConformalAnswer:
    numbers = {
        entry.name: Intervals(entry.test.predicted - reach, entry.test.predicted + reach)
        for entry in problem.task.numbers
    }
    return ConformalAnswer(sets=[matrix > classes for matrix in problem.task.test_probabilities], intervals=numbers)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["heteroscedastic-taskwise", "mixed-taskwise", "mixed-joint"])
@pytest.mark.parametrize("reach", [0.4, 2.5])
def test_coverages_and_widths_are_those_of_plain_loops(problems: dict[str, Given], name: str, reach: float) -> None:
    problem = problems[name]
    truth = replace(
        problem.truth, numbers=tuple(np.where(np.arange(150) % 7, y, np.nan) for y in problem.truth.numbers)
    )
    problem = replace(problem, truth=truth)
    answer = around(problem, reach)
    hits: list[list[bool | None]] = []
    for rows, labels in zip(answer.sets, truth.labels, strict=True):
        hits.append([int(label) in row for row, label in zip(rows, labels, strict=True)])
    for task, numbers in zip(problem.task.numbers, truth.numbers, strict=True):
        low, high = answer.intervals[task.name]["low"], answer.intervals[task.name]["high"]
        hits.append([None if math.isnan(y) else a <= y <= b for a, b, y in zip(low, high, numbers, strict=True)])
    labelled = [[hit for hit in row if hit is not None] for row in hits]
    each = [sum(row) / len(row) for row in labelled]
    whole = [all(column) for column in zip(*hits, strict=True) if None not in column]
    values = scored(problem, answer)
    assert values["coverage"] == pytest.approx(sum(each) / len(each), abs=1e-12)
    assert values["worst_task_coverage"] == pytest.approx(min(each), abs=1e-12)
    assert values["joint_coverage"] == pytest.approx(sum(whole) / len(whole), abs=1e-12)
    shares = []
    for task in problem.task.numbers:
        ordered = sorted(y for y in task.truth if not math.isnan(y))
        first, last = math.floor((len(ordered) + 1) * 0.05), math.ceil((len(ordered) + 1) * 0.95)
        shares.append(2 * reach / (ordered[last - 1] - ordered[first - 1]))
    below = _p_below(problem, labelled, whole)
    expected = 1.0 if below < 0.01 else sum(shares) / len(shares)
    assert values["relative_width"] == pytest.approx(expected, abs=1e-9)
    assert (below < 0.01) == (reach < 1)
    if problem.task.classes:
        sizes = [[len(row) for row in rows] for rows in answer.sets]
        classes = problem.task.classes
        size = (
            np.mean([math.prod(column) for column in zip(*sizes, strict=True)]) / math.prod(classes)
            if problem.task.guarantee == "joint"
            else np.mean([np.mean(row) / count for row, count in zip(sizes, classes, strict=True)])
        )
        assert values["relative_size"] == pytest.approx(1.0 if below < 0.01 else size, abs=1e-12)
    else:
        assert all(math.isnan(values[metric]) for metric in ("relative_size", "efficiency", "coverage_gap"))


def _p_below(problem: Given, labelled: list[list[Any]], whole: list[bool]) -> float:
    """Beta-binomial tails, Bonferroni over tasks."""
    task = problem.task
    calibrated = [y != -1 for y in task.calibration_labels] + [~np.isnan(entry.truth) for entry in task.numbers]
    rows, sizes = labelled, [int(there.sum()) for there in calibrated]
    if task.guarantee == "joint":
        rows, sizes = [whole], [int(np.all(calibrated, axis=0).sum())]
    tails = []
    for row, size in zip(rows, sizes, strict=True):
        rank = math.ceil((size + 1) * 0.9)
        tails.append(float(stats.betabinom(len(row), rank, size + 1 - rank).cdf(sum(row))))
    return min(1.0, len(tails) * min(tails))


def test_what_says_nothing_gets_the_floor_and_the_truth_scores_best(problems: dict[str, Given]) -> None:
    for problem in problems.values():
        everything = TRACK.subjects["full-set"]().solve(problem.task, Budget())
        nothing = TRACK.subjects["likeliest-class"]().solve(problem.task, Budget())
        best = scored(problem, TRACK.oracle(problem))
        assert scored(problem, everything)["relative_width"] == scored(problem, nothing)["relative_width"] == 1.0
        assert (best["relative_width"], best["coverage"], best["joint_coverage"]) == (0.0, 1.0, 1.0)
        assert TRACK.metric("relative_width").floor_for(problem) == 1.0
        floor = TRACK.metric("relative_size").floor_for(problem)
        assert floor == 1.0 if problem.task.classes else math.isnan(floor)


def test_empty_intervals_are_no_narrow_ones(problems: dict[str, Given]) -> None:
    problem = problems["regression-taskwise"]
    wide = around(problem, 3.0)
    low, high = (np.array(wide.intervals["price"][end]) for end in ("low", "high"))
    low[:5], high[:5] = 1.0, -1.0
    values = scored(problem, ConformalAnswer(intervals={"price": Intervals(low, high)}))
    assert scored(problem, wide)["relative_width"] < 1.0
    ordered = np.sort(problem.task.numbers[0].truth[~np.isnan(problem.task.numbers[0].truth)])
    first, last = math.floor((len(ordered) + 1) * 0.05), math.ceil((len(ordered) + 1) * 0.95)
    whole = ordered[last - 1] - ordered[first - 1]
    assert values["relative_width"] == pytest.approx((145 * 6.0 + 5 * whole) / 150 / whole)


def test_where_all_must_be_covered_nobody_gains_by_giving_up_one_kind(problems: dict[str, Given]) -> None:
    joint, apart = problems["mixed-joint"], problems["mixed-taskwise"]
    for problem, gains in ((joint, False), (apart, True)):
        no_numbers = scored(problem, around(problem, 1e300))
        no_classes = scored(problem, around(problem, 3.0, classes=-1.0))
        assert (no_numbers["relative_size"] < 1.0) is gains
        assert (no_classes["relative_width"] < 1.0) is gains
        assert no_numbers["relative_width"] == no_classes["relative_size"] == 1.0


def test_combinations_stand_beside_intervals(problems: dict[str, Given]) -> None:
    problem = problems["mixed-joint"]
    pairs: Any = [[[int(a), int(b)]] for a, b in zip(*problem.truth.labels, strict=True)]
    pairs[0] = [[(pairs[0][0][0] + 1) % 5, pairs[0][0][1]]]
    values = scored(problem, ConformalAnswer(combinations=pairs, intervals=around(problem, 1e3).intervals))
    assert values["joint_coverage"] == pytest.approx(149 / 150)
    assert values["product_size"] == 1.0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"intervals": {}}, "intervals were given for none; the tasks of numbers are 'price', 'delay'"),
        ({"intervals": {"price": [[0, 1]], "delay": [[0, 1]]}}, "1 intervals were given for 150 samples"),
        ({"sets": ()}, "give one boolean matrix per task"),
    ],
)
def test_answers_that_do_not_fit_are_malformed(
    problems: dict[str, Given], changes: dict[str, Any], message: str
) -> None:
    problem = problems["mixed-joint"]
    with pytest.raises(SubjectFailed, match=message):
        scored(problem, replace(around(problem, 1.0), **changes))


def test_intervals_of_a_problem_without_numbers_are_malformed(tmp_path: Path) -> None:
    generate(tmp_path, problems=1, seed=1, calibration=40, test=20)
    problem = load(find_problems(tmp_path)[0])
    with pytest.raises(SubjectFailed, match="the tasks of numbers are none"):
        scored(problem, replace(TRACK.oracle(problem), intervals={"price": [[0, 1]]}))


def test_details_tell_widths_and_coverages_of_both_kinds(problems: dict[str, Given]) -> None:
    problem = problems["mixed-taskwise"]
    evidence = TRACK.examine(problem, around(problem, 2.0), TRACK.settings)
    details: Any = TRACK.details(evidence)
    assert [task["name"] for task in details["intervals"]] == ["price", "delay"]
    assert [task["name"] for task in details["tasks"]] == ["task 0", "task 1"]
    assert details["intervals"][0]["width"] == pytest.approx(4.0)
    values = [task["coverage"][0] for task in (*details["tasks"], *details["intervals"])]
    assert details["mean_coverage"] == pytest.approx(sum(values) / 4)
    assert TRACK.metric("coverage@0.95").function(evidence) == sum(value >= 0.95 for value in values) / 4
    assert TRACK.metric("joint_coverage@0.5").function(evidence) == float(details["joint_coverage"][0] >= 0.5)
