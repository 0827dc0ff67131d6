# mypy: disable-error-code="no-untyped-def"
from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from assay.core import Budget, InvalidInput, get_track
from assay.core.track import AnyTrack
from assay.harness import SubjectRef
from assay.harness.callables import demand_subject, name_of
from assay.harness.subject_ref import _Function

BUDGET = Budget(seed=0, seconds=1.0, memory_mb=10)


def odd_names(problem, limits): return problem, limits  # fmt: skip


def task_only(task): return task, None  # fmt: skip


def with_default(task, depth=3): return task, depth  # fmt: skip


def optional_budget(task, budget=None): return task, budget  # fmt: skip


def keyword_budget(task, *, budget): return task, budget  # fmt: skip


def anything(*args): return args  # fmt: skip


def anything_more(task, *rest, **options): return task, *rest  # fmt: skip


def optional_task(task=None): return task, None  # fmt: skip


def three(task, budget, depth): return task, budget, depth  # fmt: skip


def keyword_only(task, *, depth): return task, depth  # fmt: skip


def nothing(): return None  # fmt: skip


async def later(task): return task  # fmt: skip


def yields(task): yield task  # fmt: skip


class OneArgument:
    def solve(self, task: object) -> object:
        return task


class Needs:
    def __init__(self, k: int) -> None:
        self.k = k

    def solve(self, task: object, budget: Budget) -> object:
        return task


class Async:
    async def solve(self, task: object, budget: Budget) -> object:
        return task


CALLED: list[tuple[Any, Any]] = [
    (odd_names, ("task", BUDGET)),
    (task_only, ("task", None)),
    (with_default, ("task", 3)),
    (optional_budget, ("task", BUDGET)),
    (keyword_budget, ("task", BUDGET)),
    (anything, ("task", BUDGET)),
    (anything_more, ("task", BUDGET)),
    (optional_task, ("task", None)),
    (partial(three, depth=2), ("task", BUDGET, 2)),
    (OneArgument().solve, "task"),
]


@pytest.mark.parametrize(("function", "answer"), CALLED)
def test_a_function_gets_the_budget_where_it_takes_one(function: Any, answer: Any) -> None:
    ref = SubjectRef(kind="file", name="f", digest="")
    assert _Function(ref, function).solve("task", BUDGET) == answer
    demand_subject(function, get_track("cases"), name="f")


REFUSED: list[tuple[Any, str]] = [
    (three, "subject 'it': it needs depth too. A subject is called as solve.*functools.partial"),
    (keyword_only, "it needs depth too"),
    (nothing, "it takes no task"),
    (later, r"it is async. Call it in a plain one: def solve\(task, budget\): return asyncio.run"),
    (partial(later), "it is async"),
    (Async, "it is async"),
    (Async(), "it is async"),
    (yields, "it yields. Return the answer"),
    (Needs, r"the class needs k. Give an instance: Needs\(...\)"),
    (3, r"int has no method solve\(task, budget\) and is not a function"),
    ({"a": 1}, "dict has no method solve"),
]


@pytest.mark.parametrize(("value", "message"), REFUSED)
def test_what_cannot_be_called_so_is_refused_before_anything_runs(value: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as error:
        demand_subject(value, get_track("cases"), name="it")
    assert "\n" not in str(error.value)


def test_an_estimator_is_a_subject_where_the_track_knows_what_to_do_with_it() -> None:
    from sklearn.linear_model import LinearRegression

    demand_subject(LinearRegression(), get_track("formula"), name="it")
    demand_subject(LinearRegression, get_track("formula"), name="it")
    demand_subject(Needs(2), get_track("formula"), name="it")
    for track in ("cases", "insight", "drift"):
        with pytest.raises(InvalidInput, match=r"LinearRegression has no method solve\(task, budget\)"):
            demand_subject(LinearRegression(), get_track(track), name="it")


def test_names_are_those_of_functions_classes_and_parameters(parity: AnyTrack) -> None:
    import numpy as np
    from sklearn.linear_model import Ridge

    assert name_of(Needs(2)) == name_of(Needs(2).solve) == "Needs(k=2)"
    assert name_of(Ridge(alpha=0.5, solver="svd")) == "Ridge(alpha=0.5, solver='svd')"
    assert name_of(np.sin) == "sin"
    assert name_of(pytest) == "pytest"
    assert name_of(parity.subjects["divide"](3)) == "divide(divisor=3)"
    assert name_of(partial(three, depth=(1, 2))) == "three"
