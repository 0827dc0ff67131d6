"""What a verdict costs: checking one function for leaks as a multiple of one execution over all rows, wall time.

Functions of a generated problem (600 training rows) and of the shapes that agents write.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from assay.core import Problem
from assay.insight import FeatureFunction, InsightTask, InsightTruth, check_leakage, generate, load
from assay.sandbox import FunctionSource, Sandbox, Tables
from benchmarks.measure import Rows, counted, sized

_TEMPLATES = {
    "one column": ("clean", "def f(row):\n    return len(str(row['{base}']))\n"),
    "own label read": ("leak", "def f(row):\n    return row['{target}'] * 2\n"),
    "own row in a mean": ("leak", "def f(row, df_train):\n    return df_train['{target}'].mean() + row.name * 0\n"),
}


def main() -> Rows:
    with tempfile.TemporaryDirectory() as name:
        problem = load(generate(Path(name), seed=1, rows=sized(900, 200), difficulty="easy"))
        cases = {
            shape: (expected, FeatureFunction(name="f", code=_filled(code, problem)))
            for shape, (expected, code) in _TEMPLATES.items()
        }
        for function in problem.truth.functions:
            cases[f"table scan: {function.name}"] = ("clean", function)
        with Sandbox.start() as sandbox:
            outcomes = [_measure(shape, *case, problem, sandbox) for shape, case in cases.items()]
        yield counted("wrong verdicts", sum(not right for right, _ in outcomes), "")
        times = sorted(multiple for _, multiple in outcomes)
        yield counted("a verdict, median", times[len(times) // 2], "executions", tolerance=0.5)


def _filled(code: str, problem: Problem[InsightTask, InsightTruth]) -> str:
    return code.replace("{base}", problem.task.base_columns[0]).replace("{target}", problem.task.target_column)


def _measure(
    shape: str,
    expected: str,
    function: FeatureFunction,
    problem: Problem[InsightTask, InsightTruth],
    sandbox: Sandbox,
) -> tuple[bool, float]:
    """Whether the verdict is right, and what it cost in executions of the function."""
    task = problem.task
    tables = Tables(rows=task.train, train=task.train, auxiliary=dict(task.tables))
    source = FunctionSource(function.name, function.code)
    sandbox.run([source], tables)
    start = time.monotonic()
    sandbox.run([source], tables)
    once = time.monotonic() - start
    start, used = time.monotonic(), sum(os.times()[:4])
    (verdict,) = check_leakage(problem, [function], sandbox=sandbox).functions
    seconds = time.monotonic() - start
    print(
        f"{shape[:48]:48} {verdict.verdict:8} (expected {expected}) one run {once:6.3f} s, verdict {seconds:6.3f} s, "
        f"{seconds / once:5.1f} times; host CPU {sum(os.times()[:4]) - used:.2f} s"
    )
    return verdict.verdict == expected, seconds / once
