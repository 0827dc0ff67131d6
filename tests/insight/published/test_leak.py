from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from assay.core import Problem
from assay.insight.answer.functions import FeatureFunction
from assay.insight.problem.task import InsightTask, InsightTruth
from assay.insight.published.leak import published_leak, spells_target
from assay.sandbox import Sandbox

Feature = Callable[..., FeatureFunction]


@pytest.fixture(scope="module")
def churn(loans: Problem[InsightTask, InsightTruth]) -> Problem[InsightTask, InsightTruth]:
    """The five rows that are looked at have both labels."""
    train = loans.task.train.rename(columns={"default": "churn"})
    train.loc[9:13, "churn"] = [0, 1, 0, 1, 1]
    return replace(loans, task=replace(loans.task, target_column="churn", train=train))


@pytest.mark.parametrize(
    ("code", "leaks"),
    [
        ("def f(row, aux): return row['churn']", True),
        ('def f(row, aux): return row.get("churn")', True),
        ("def f(row, aux): return 1  # never row['churn']", True),
        ("def f(row, aux): return 1\ndef g(row): return row['churn']", False),
        ("def f(row, aux): return prev_row['churn']", True),
        ("def f(row, aux): return getattr(row, 'chu' + 'rn')", True),
        ("def f(row, aux): return row.get('churn', 0)", True),
        ("def f(row, aux): return row.values[-1]", True),
        ("def f(row, aux): return row.to_dict()['chu' + 'rn']", True),
        ("def f(row, aux): return 1 if row.values[-1] == 1 else 0", True),
        ("def f(row, aux): return int(row.isna().sum())", True),
        ("def f(row, aux): return float(getattr(row, 'churn')) * 10", False),
        ("def f(row, aux): return row.values[-1] * 2 + 1", False),
        ("def f(row): return row.get('churn', 0)", False),
        ("D = {1: 2}\ndef f(row, aux): return D.get(row.values[-1], row.values[-1])", False),
        ("def _h(row): return row.values[-1]\ndef f(row, aux): return _h(row)", False),
        ("import numpy as np\ndef f(row, aux): return np.array(row.values)[-1]", False),
        ("def f(row, df_train, aux): return row.values[-1]", False),
        ("def f(row, aux): return 'x' * 10 + str(row.values[-1])", False),
        ("def f(row, aux): return aux['t.csv']", False),
        ("def f(row, aux): return row['amount']", False),
        ("def f(row, aux) return 1", False),
        ("import os\nos._exit(3)", False),
    ],
)
def test_the_published_check_sees_what_it_sees_and_misses_what_it_misses(
    churn: Problem[InsightTask, Any], sandbox: Sandbox, code: str, leaks: bool
) -> None:
    assert published_leak(churn, [FeatureFunction(name="f", code=code)], sandbox=sandbox) is leaks


def test_one_leak_is_enough_unless_another_function_exits(
    churn: Problem[InsightTask, Any], sandbox: Sandbox, feature: Feature
) -> None:
    honest, leaking = feature("1", takes="row, aux"), feature("row['churn']", takes="row, aux")
    leaving = FeatureFunction(name="f", code="import sys\nsys.exit()\ndef f(row, aux): return 1")
    assert published_leak(churn, [honest, leaking], sandbox=sandbox)
    assert not published_leak(churn, [honest, leaking, leaving], sandbox=sandbox)
    assert not published_leak(churn, [], sandbox=sandbox)


def test_ten_characters_decide_and_no_more(churn: Problem[InsightTask, Any], sandbox: Sandbox) -> None:
    for count, leaks in ((9, True), (10, False)):
        code = f"def f(row, aux): return '{'x' * count}' + str(row.values[-1])"
        assert published_leak(churn, [FeatureFunction(name="f", code=code)], sandbox=sandbox) is leaks


def test_a_name_that_only_begins_with_the_target_is_not_spelled(feature: Feature) -> None:
    assert not spells_target(feature("row['churn_risk']"), "churn")
    assert not spells_target(feature("1", name="g"), "churn")
