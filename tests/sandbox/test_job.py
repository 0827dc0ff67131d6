"""Limits hold whatever a function does: measured from outside, on the wall clock."""

from __future__ import annotations

import time
from pathlib import Path

import pandas as pd
import pytest

from assay.sandbox import Allowance, FunctionSource, Limits, Sandbox, Tables

SECONDS = 0.3
LIMITS = Limits(function_seconds=SECONDS, solution_seconds=60, memory_mb=256, output_mb=4)
ROWS = Tables(rows=pd.DataFrame({"x": [1, 2, 3]}))
CONTROL = FunctionSource("control", "def control(row): return 2 * row['x']")

_COMMON, *_SECTIONS = (Path(__file__).parent / "endless.txt").read_text().split("# --- ")
HOSTILE = {name: f"{_COMMON}\n{code}" for name, code in (section.split("\n", 1) for section in _SECTIONS)}


@pytest.fixture(scope="module")
def idle(sandbox: Sandbox) -> float:
    """What a run costs that does nothing, on this machine as busy as it is."""
    costs = []
    for _ in range(5):
        started = time.monotonic()
        sandbox.run([CONTROL], ROWS)
        costs.append(time.monotonic() - started)
    return max(costs)


@pytest.mark.parametrize("name", list(HOSTILE)[::5])
def test_a_function_is_ended_whatever_it_does(sandbox: Sandbox, name: str) -> None:
    started = time.monotonic()
    sandbox.run([FunctionSource("f", HOSTILE[name])], ROWS, limits=LIMITS)
    assert time.monotonic() - started < 60 * SECONDS  # on a machine however busy


@pytest.mark.soak
@pytest.mark.parametrize("name", HOSTILE)
def test_a_function_has_its_seconds_whatever_it_does(sandbox: Sandbox, idle: float, name: str) -> None:
    started = time.monotonic()
    (result,) = sandbox.run([FunctionSource("f", HOSTILE[name])], ROWS, limits=LIMITS)
    took = time.monotonic() - started
    assert took < 1.3 * SECONDS + idle + 0.15, (result.status, result.message)
    assert result.status != "ok" or result.column.to_pylist() in ([1, 1, 1], [None, None, None]), result
    (control,) = sandbox.run([CONTROL], ROWS)
    assert control.column.to_pylist() == [2, 4, 6]


def test_seconds_of_several_runs_count_together(sandbox: Sandbox) -> None:
    solution = Allowance(20)
    allowance = Allowance(SECONDS, whole=solution)
    nap = FunctionSource("nap", "import time\ntime.sleep(0.12)\ndef nap(row): return 1", allowance)
    results = [sandbox.run([nap], ROWS)[0] for _ in range(8)]
    statuses = [result.status for result in results]
    assert statuses == sorted(statuses)  # ok, then timeout
    assert statuses[0] == "ok"
    assert results[-1].message == "timeout: its 0.3 s for all runs were used up by its earlier runs"
    assert results[-1].seconds == 0
    assert allowance.left <= 0 < solution.left


def test_a_solution_has_its_seconds_however_many_functions_it_has(sandbox: Sandbox) -> None:
    loop = "def f(row):\n    while True: pass"
    whole = Allowance(2 * SECONDS)
    functions = [FunctionSource("f", loop, Allowance(SECONDS, whole=whole)) for _ in range(50)]
    results = [sandbox.run([function], ROWS)[0] for function in functions]
    assert sum(result.seconds > 0 for result in results) <= 3
    assert {result.status for result in results} == {"timeout"}
    assert results[-1].message == "timeout: the solution's 0.6 s for all runs were used up before it started"
