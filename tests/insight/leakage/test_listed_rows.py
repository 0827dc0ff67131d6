"""Rows that the source knows by their id."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.core import Problem
from assay.insight.answer.functions import FeatureFunction
from assay.insight.leakage import listed_rows
from assay.insight.leakage.check import check_leakage
from assay.insight.leakage.perturbations import Scenario
from assay.insight.leakage.verdict import LeakVerdict
from assay.insight.problem.task import InsightTask, TableTime
from assay.insight.problem.truth import InsightTruth
from assay.sandbox import Sandbox


@pytest.mark.parametrize("dtype", ["int8", "uint8", "Int8", "int64", "uint64", "float32", "str"])
def test_unknown_ids_occur_nowhere_and_are_all_different_in_any_type(dtype: Any) -> None:
    ids = pd.Series(np.arange(100), name="id").astype(dtype)
    frame = ids.to_frame()
    scenario = Scenario(rows=frame, train=frame, tables={}, order=np.arange(100))
    strange = listed_rows._with_unknown_ids(scenario, "id").rows["id"]
    assert not strange.isin(ids).any()
    assert strange.is_unique


@pytest.fixture(scope="module")
def club() -> Problem[InsightTask, InsightTruth]:
    """Members of a club, most of whom leave; dated, the later ones are the test rows, as in a split by time."""
    rng = np.random.default_rng(1)
    count, split = 200, 145
    days = np.sort(rng.integers(0, 300, count))
    number = rng.permutation(count)
    frame = pd.DataFrame(
        {
            "member": [f"M{each:03d}" for each in number],
            "number": number,
            "age": rng.integers(18, 70, count),
            "reviewed": pd.Timestamp("2023-01-01") + pd.to_timedelta(days, unit="D"),
        }
    )
    left = pd.Series(np.where(rng.random(count) < 0.6, "yes", "no"), name="left")
    frame["paid"] = np.where(left == "yes", 2.0, 0.0) + rng.normal(size=count).round(3)
    frame["income"] = 40_000 + 40 * days + 7 * rng.permutation(count)  # rises with time, and no two are equal
    visits = pd.DataFrame({"number": rng.choice(count, 400), "minutes": rng.integers(5, 90, 400)})
    task = InsightTask(
        name="club",
        description="",
        domain="",
        target_column="left",
        problem_type="binary",
        train=frame[:split].assign(left=left[:split]),
        test=frame[split:].reset_index(drop=True),
        tables={"visits.csv": visits},
        time_column="reviewed",
        table_times={"visits.csv": TableTime(static=True)},
    )
    experts = frame[["age"]]
    truth = InsightTruth(
        test_target=left[split:].reset_index(drop=True),
        columns=("age",),
        descriptions=("age",),
        train=experts[:split],
        test=experts[split:].reset_index(drop=True),
    )
    return Problem(id="club", digest="0", task=task, truth=truth)


def judge(problem: Problem[InsightTask, InsightTruth], sandbox: Sandbox, code: str) -> LeakVerdict:
    return check_leakage(problem, [FeatureFunction(name="f", code=code)], sandbox=sandbox).functions[0]


def ids(problem: Problem[InsightTask, InsightTruth], column: str, label: str) -> list[Any]:
    train = problem.task.train
    return train.loc[train["left"] == label, column].tolist()


@pytest.mark.parametrize(
    "code",
    [
        "def f(row):\n    '''{words}'''\n    return float(row['member'] in f.__doc__)",
        "def f(row):\n    def names({names}):\n        pass\n    return row['member'] in names.__code__.co_varnames",
        "def f(row):\n    return row['member'] in dict({keywords})",
        "def f(row):\n    return 0.3 * (row['member'] in {members}) + 0.02 * row['age']",
        "def f(row):\n    return row['number'] in {noisy}",
        "_BY_ID = {blurred}\ndef f(row):\n    return _BY_ID.get(row['number'], 0.0) + 0.001 * row['age']",
        "def f(row, aux):\n    own = aux['visits.csv'].query('number == @row.number')\n"
        "    return 50 * (row['number'] in {numbers}) + own['minutes'].sum()",
    ],
    ids=["docstring", "parameters", "keywords", "mixed", "noisy list", "noisy labels", "beside a table"],
)
def test_rows_that_the_source_knows_by_id_are_memorised_however_they_are_written(
    club: Problem[InsightTask, InsightTruth], sandbox: Sandbox, code: str
) -> None:
    members, numbers = ids(club, "member", "yes"), ids(club, "number", "yes")
    assert len(members) > len(club.task.train) / 2
    noise = np.random.default_rng(2).normal(0, 0.7, len(club.task.train))
    train = club.task.train
    written = code.format(
        words=" ".join(members),
        names=", ".join(members),
        keywords=", ".join(f"{member}=()" for member in members),
        members=set(members),
        numbers=set(numbers),
        noisy=set(numbers[:-10] + ids(club, "number", "no")[:8]),
        blurred=dict(zip(train["number"], ((train["left"] == "yes") + noise).round(3), strict=True)),
    )
    verdict = judge(club, sandbox, written)
    assert (verdict.verdict, verdict.kind) == ("leak", "memorised")


@pytest.mark.parametrize(
    "code",
    [
        "_TESTERS = {few}\n_AREAS = ['North of the river', 'South of the river', 'the islands']\n"
        "def f(row):\n    return float(row['number'] in _TESTERS) + len(_AREAS)",
        "def f(row):\n    'Members such as {words} were asked.'\n"
        "    return float(row.__class__.__name__ == 'x') + row['age']",
        "def f(row):\n    'How long the visits were.'\n    limits = [1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000]\n"
        "    return float(row['number'] < 150) + sum(row['age'] > each for each in limits)",
        "_NAMES = ['North of the river', 'South of the river', 'the islands']\n"
        "def f(row):\n    return row['paid'] if row['income'] < 51_500 else len(_NAMES)",
        "_NAMES = ['North of the river', 'South of the river', 'the islands']\n"
        "def f(row):\n    return 1e4 * row['paid'] / row['income'] if row['income'] < 51_500 else len(_NAMES)",
        "_PRICES = {other}\ndef f(row):\n    return _PRICES.get(row['number'], -1)",
        "_WEIGHTS = {{'North of the river': 1.25, 'South of the river': 2.5, 'the islands': 7}}\n"
        "def f(row, aux):\n    own = aux['visits.csv'].query('number == @row.number')\n"
        "    return own['minutes'].mean()",
    ],
    ids=["test accounts", "documentation", "early numbers", "gated", "gated ratio", "prices", "table"],
)
def test_ids_that_do_not_follow_the_labels_are_honest(
    club: Problem[InsightTask, InsightTruth], sandbox: Sandbox, code: str
) -> None:
    train = club.task.train
    other = dict(zip(train["number"], (train["number"] * 37 % 101).tolist(), strict=True))
    few = train["number"].tolist()[:12]
    assert judge(club, sandbox, code.format(few=few, other=other, words=" ".join(train["member"]))).verdict == "clean"
