"""The checks go red when the thing they check is broken, one way at a time."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from assay.core import InvalidInput, Metric, Problem, UnknownName, get_track, track_names
from assay.core.track import AnyTrack
from assay.testing import CheckFailed, check_metric, check_track, find_truth_in_task

# those that stop by the clock, search for minutes, or need an endpoint have tests of their own
QUICK = {
    "conformal": ("auto", "full-set", "joint", "taskwise"),
    "cases": ("correspondence", "max-probability", "trust-score", "vote"),
    "drift": ("explainer", "bm25", "date-only", "named-dates", "random"),
    "formula": ("linear", "polynomial"),
    "insight": ("base-columns", "nothing"),
}


@pytest.mark.parametrize("name", track_names())
def test_every_built_in_track_keeps_the_contract(name: str) -> None:
    check_track(get_track(name), subjects=QUICK.get(name))


def test_an_unknown_subject_to_check_is_named(parity: AnyTrack) -> None:
    with pytest.raises(UnknownName, match="divid"):
        check_track(parity, subjects=["divid"])


def test_the_external_track_keeps_the_contract(parity: AnyTrack) -> None:
    check_track(parity)


def half_right(claimed: tuple[bool, ...], even: tuple[bool, ...]) -> float:
    return sum(c == e for c, e in zip(claimed, even, strict=True)) / len(even) / 2


# set by the test that wants it red, so that nobody else runs the wrong example
WRONG_EXAMPLE = r"""Share of right claims, halved by mistake.

$$\mathrm{accuracy} = \frac{1}{n} \sum_i [c_i = e_i]$$

>>> half_right((True, True), (True, True))
1.0
"""


def metric_of(parity: AnyTrack, **changes: Any) -> AnyTrack:
    return replace(parity, metrics=(replace(parity.metrics[0], **changes),))


def test_red_when_a_metric_gives_another_value_for_the_truth(parity: AnyTrack) -> None:
    broken = metric_of(parity, function=lambda e: half_right(e.claimed, e.even))
    with pytest.raises(CheckFailed, match="the truth itself scores accuracy = 0.5, declared is 1.0"):
        check_track(broken)


def test_red_when_an_example_of_a_metric_does_not_hold(parity: AnyTrack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(half_right, "__doc__", WRONG_EXAMPLE)
    with pytest.raises(CheckFailed, match="an example of its definition does not hold"):
        check_track(metric_of(parity, definition=half_right))


@dataclass(frozen=True)
class TellingTask:
    numbers: tuple[int, ...]
    hint: tuple[int, ...]


def test_red_when_the_task_contains_the_truth(parity: AnyTrack) -> None:
    def load(folder: Path) -> Problem[TellingTask, Any]:
        problem = parity.load(folder)
        hint = (9, *(int(even) for even in problem.truth.even))  # as whole numbers, behind another one
        return replace(problem, task=TellingTask(problem.task.numbers, hint))

    with pytest.raises(CheckFailed, match="the task contains the truth: truth 'even' stands in task 'hint'"):
        check_track(replace(parity, load=load))


def test_red_when_an_answer_does_not_round_trip(parity: AnyTrack) -> None:
    def forgetful(payload: bytes) -> tuple[bool, ...]:
        claims: tuple[bool, ...] = parity.decode(payload)
        return (*claims[:-1], not claims[-1]) if claims else claims

    with pytest.raises(CheckFailed, match="does not round-trip"):
        check_track(replace(parity, decode=forgetful))


def test_red_when_the_oracle_does_not_rank_first(parity: AnyTrack) -> None:
    broken = replace(
        metric_of(parity, oracle=None), oracle=lambda problem: tuple(not even for even in problem.truth.even)
    )
    with pytest.raises(CheckFailed, match="subject 'divide': scores accuracy = 1.0, better than the truth's 0.0"):
        check_track(broken)


def test_red_when_a_score_is_outside_of_the_metric_limits(parity: AnyTrack) -> None:
    check_track(metric_of(parity, limits=(0, 1)))
    with pytest.raises(CheckFailed, match=r"metric 'accuracy': scores 1.0 on '.*', outside of its limits 0 to 0.9"):
        check_track(metric_of(parity, limits=(0, 0.9)))


def test_red_when_examining_is_not_reproducible(parity: AnyTrack) -> None:
    scores = iter([1.0 - 1e-12 * step for step in range(1000)])
    broken = metric_of(parity, function=lambda e: next(scores))
    with pytest.raises(CheckFailed, match="examining the same answer twice gave two scores"):
        check_track(broken)


def test_red_when_built_in_problems_are_not_reproducible(parity: AnyTrack) -> None:
    counter = iter(range(10))

    def builtin(folder: Path) -> None:
        parity.builtin(folder)
        (folder / "numbers-0" / "extra.txt").write_text(str(next(counter)))

    with pytest.raises(CheckFailed, match="the built-in problems differ from one writing to the next"):
        check_track(replace(parity, builtin=builtin))


def test_red_when_the_floor_is_better_than_the_truth(parity: AnyTrack) -> None:
    with pytest.raises(CheckFailed, match="its floor 2.0 is better than the truth's 1.0"):
        check_track(metric_of(parity, floor=2.0))


def test_red_when_a_malformed_answer_crashes_decoding(parity: AnyTrack) -> None:
    with pytest.raises(CheckFailed, match=r"decode\(b''\) raised JSONDecodeError, not InvalidInput"):
        check_track(replace(parity, decode=json.loads))


def test_red_when_a_subject_is_not_reproducible(parity: AnyTrack) -> None:
    state = iter(range(1000))

    class Moody:
        name = digest = "moody"

        def solve(self, task: Any, budget: Any, /) -> tuple[bool, ...]:
            return tuple((number + next(state)) % 2 == 0 for number in task.numbers[:1]) + (False,) * (
                len(task.numbers) - 1
            )

    with pytest.raises(CheckFailed, match="the same seed gave two different answers"):
        check_track(replace(parity, subjects={"moody": Moody}))


def undocumented(x: float) -> float:
    return x


def formula_only(x: float) -> float:
    r"""The value. $$x$$"""
    return x


def example_only(x: float) -> float:
    """The value.

    >>> example_only(1.0)
    1.0
    """
    return x


@pytest.mark.parametrize(
    ("definition", "message"),
    [(undocumented, "has no docstring"), (formula_only, "has no example"), (example_only, "has no formula")],
)
def test_red_when_a_metric_lacks_words_formula_or_example(definition: Callable[..., float], message: str) -> None:
    with pytest.raises(CheckFailed, match=message):
        check_metric(Metric("m", float, definition))


@pytest.mark.parametrize(
    ("task", "truth", "expected"),
    [
        ({"text": "the law is y = 3*x + 2, they say"}, {"formula": "y = 3*x + 2"}, True),
        ({"text": "the law is unknown"}, {"formula": "y = 3*x + 2"}, False),
        ({"rows": [["a"], ["b"]]}, {"labels": ["a", "b"]}, False),  # two entries coincide by chance
        ({"labels": ("cat", "dog", "cat", "cow")}, {"truth": ["cat", "dog", "cat", "cow"]}, True),
        ({"x": [1, 1, 1, 1, 1]}, {"y": [1, 1, 1, 1]}, False),  # a constant tells nothing
        ({"x": [f"{'a' * 70}{n}" for n in range(5)]}, {"y": [f"{'a' * 70}{n}" for n in (9, 8, 7, 6)]}, False),
        ({"x": [f"{'a' * 70}{n}" for n in range(9)]}, {"y": [f"{'a' * 70}{n}" for n in (2, 3, 4, 5)]}, True),
    ],
)
def test_truth_is_found_in_texts_and_lists(task: object, truth: object, expected: bool) -> None:
    assert (find_truth_in_task(task, truth) is not None) == expected


def test_truth_is_found_in_a_column_of_an_array_or_frame() -> None:
    import numpy as np
    import pandas as pd

    labels = np.array([0, 1, 1, 0, 1, 0])
    data = np.column_stack([np.arange(6.0), labels])
    assert find_truth_in_task({"X": data}, {"labels": labels}) == "truth 'labels' stands in task 'X[:, 1]'"
    frame = pd.DataFrame({"a": np.arange(6.0), "b": labels.astype(bool)})
    assert find_truth_in_task({"X": frame}, {"labels": labels}) == "truth 'labels' stands in task 'X.b'"
    assert find_truth_in_task({"X": frame[["a"]]}, {"labels": labels}) is None


def test_arrays_of_lists_are_searched_too() -> None:
    import numpy as np

    rows = np.empty(5, dtype=object)
    rows[:] = [[0], [1], [2], [3], [4]]
    assert find_truth_in_task({"x": np.arange(5)}, {"y": rows}) is None
    assert find_truth_in_task({"x": rows}, {"y": rows[1:]}) == "truth 'y' stands in task 'x'"


def test_a_wrong_input_error_is_not_a_failed_check() -> None:
    assert not issubclass(CheckFailed, InvalidInput)
