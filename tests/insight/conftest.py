"""What tests of computed columns and leaks share: one warm sandbox, and a small problem of loans."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.core import Problem
from assay.insight.answer.functions import FeatureFunction
from assay.insight.problem.task import InsightTask, InsightTruth, TableTime
from assay.sandbox import Sandbox

Loans = Problem[InsightTask, InsightTruth]


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox.start() as started:
        yield started


@pytest.fixture(scope="session")
def loans() -> Loans:
    """Ninety loans to train with, thirty to test; a table of calls, some of them after the day of the loan."""
    rng = np.random.default_rng(11)
    rows = 120
    days = rng.integers(10, 20, size=rows)
    base = pd.DataFrame(
        {
            "loan_id": 500 + rng.permutation(rows),
            "day": days,
            "city": rng.choice(["ulm", "bonn", "kiel"], size=rows),
            "amount": np.round(rng.uniform(1, 9, size=rows), 2),
        }
    )
    label = (rng.random(rows) < 0.3).astype(np.int64)
    who = np.repeat(np.arange(rows), 3)
    calls = pd.DataFrame(
        {
            "loan_id": base["loan_id"].to_numpy()[who],
            "at": days[who] + rng.integers(-8, 5, size=len(who)),
            "minutes": rng.integers(1, 60, size=len(who)),
        }
    )
    cities = pd.DataFrame({"city": ["ulm", "bonn", "kiel"], "size": [1, 3, 2]})
    split = 90
    task = InsightTask(
        name="loans",
        description="",
        domain="",
        target_column="default",
        problem_type="binary",
        train=base[:split].assign(default=label[:split]),
        test=base[split:].reset_index(drop=True),
        tables={"calls.csv": calls, "cities.csv": cities},
    )
    truth = InsightTruth(
        test_target=pd.Series(label[split:]),
        columns=("x",),
        descriptions=("x",),
        train=pd.DataFrame({"x": np.zeros(split)}),
        test=pd.DataFrame({"x": np.zeros(rows - split)}),
    )
    return Problem(id="loans", digest="0", task=task, truth=truth)


@pytest.fixture(scope="session")
def timed_loans(loans: Loans) -> Loans:
    """The same with declared times."""
    times = {"calls.csv": TableTime(time_column="at"), "cities.csv": TableTime(static=True)}
    return replace(loans, task=replace(loans.task, time_column="day", table_times=times))


@pytest.fixture(scope="session")
def feature() -> Callable[..., FeatureFunction]:
    """A feature function from the expression that it returns."""

    def make(returns: str, *, takes: str = "row", before: str = "", name: str = "f", **options: Any) -> FeatureFunction:
        lines = [*before.splitlines(), f"def {name}({takes}):", f"    return {returns}"]
        return FeatureFunction(name=name, code="\n".join(lines), **options)

    return make
