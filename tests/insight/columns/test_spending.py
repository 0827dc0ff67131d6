"""All runs of a function in an examination share one limit."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from assay.core import Problem
from assay.insight.answer.answer import InsightAnswer
from assay.insight.answer.functions import FeatureFunction
from assay.insight.columns.run_functions import run_functions
from assay.insight.columns.spending import Spending, function_limits
from assay.insight.examine.config import InsightConfig
from assay.insight.examine.examination import examine
from assay.insight.problem.task import InsightTask

Loans = Problem[InsightTask, Any]
Feature = Callable[..., FeatureFunction]

SECONDS = 0.5
REPLACING = """
import sys
import sklearn.metrics, scipy.stats
for module in list(sys.modules.values()):
    for name in ("roc_auc_score", "accuracy_score", "r2_score", "spearmanr", "pearsonr"):
        try:
            setattr(module, name, lambda *_, **__: 1.0)
        except Exception:
            pass
"""
COSTLY = {
    "endless": "def f(row):\n    while True: pass",
    "endless where the label shows": "def f(row):\n    while 'default' in row: pass\n    return row['amount']",
    "slow to start": "import time\ntime.sleep(0.2)\ndef f(row, df_train, aux): return df_train['default'].mean()",
    "slow with the table": "import time\ndef f(df, aux):\n    time.sleep(0.2)\n    return df['amount']",
    "replaces what scores": f"{REPLACING}\ndef f(row, df_train, aux): return df_train['default'].mean()",
}


def cost(problem: Loans, code: str) -> tuple[float, str, str | None]:
    config = InsightConfig(function_seconds=SECONDS)
    started = time.monotonic()
    run = run_functions(problem, [FeatureFunction(name="f", code=code)], config, compute=True)
    return time.monotonic() - started, run.findings[0].status, run.findings[0].verdict


@pytest.fixture(scope="module")
def honest(loans: Loans) -> float:
    """What the examination of a function costs that takes no time."""
    cost(loans, "def f(row): return 1")  # starts the sandbox
    return cost(loans, "def f(row): return 1.0")[0]


@pytest.mark.soak
@pytest.mark.parametrize("name", COSTLY)
def test_a_function_costs_its_limit_once_however_often_it_is_run(loans: Loans, honest: float, name: str) -> None:
    took, status, verdict = cost(loans, COSTLY[name])
    assert took < 1.3 * SECONDS + honest
    assert verdict == "inconclusive"
    assert status.startswith("timeout") or name in ("endless where the label shows", "slow with the table")


@pytest.mark.soak
def test_the_published_check_shares_the_limit(loans: Loans) -> None:
    endless = [FeatureFunction(name=f"f{n}", code=f"def f{n}(row, _):\n    while True: pass") for n in range(2)]
    good = FeatureFunction(name="good", code="def good(row, _): return row['amount']")
    first, answer = (
        InsightAnswer(solved_by="x", columns=tuple(function.name for function in functions), functions=tuple(functions))
        for functions in ([good], [good, *endless])
    )
    settings: dict[str, str | float] = {
        "preset": "insight-eval",
        "function_seconds": SECONDS,
        "N_RF_ESTIMATORS": 2,
    }
    examine(loans, first, settings)  # starts what is needed
    started = time.monotonic()
    evidence = examine(loans, answer, settings)
    assert time.monotonic() - started < len(endless) * 1.3 * SECONDS + 1
    assert [finding.verdict for finding in evidence.functions] == ["clean", "inconclusive", "inconclusive"]


def test_the_allowance_of_a_function_is_one(feature: Feature) -> None:
    spending = Spending(function_limits(2.0))
    one, other = feature("1", name="one"), feature("1", name="other")
    spending.allowance(one).spend(1.5)
    assert spending.allowance(one).left == 0.5
    assert spending.allowance(other).left == 2.0
    spending.allowance(one).spend(119)
    assert spending.allowance(other).left < 0  # sixty times the limit of one
