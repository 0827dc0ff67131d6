"""What an insight solution costs: columns of timed problems, sandboxed scoring, and scoring as one command.

Columns of a problem with many dates are computed twice, in one process for all states of the tables and in a process
for every state. Golden pairs are scored with their functions in the sandbox, verdicts included, beside what the
functions take when they are run once and unprotected, and beside the columns they ship. One command is measured as a
whole process, beside an interpreter that only loads pandas and beside the published package as a whole process. Of the
scoring itself the share of predictive coverage is told. Fits of 200,000 rows are in insight_growth.
"""

from __future__ import annotations

import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import typing
import warnings
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd

from assay.core import Problem
from assay.insight import FeatureFunction, InsightTask, InsightTruth, evaluate, load, read_solution
from assay.insight.columns import compute
from assay.insight.columns.sandbox_pool import close_sandboxes, shared_sandbox
from assay.insight.fits.forest import engine
from assay.insight.fits.measure import shared_fits
from assay.insight.problem.task import TableTime
from assay.sandbox import Sandbox
from assay.sandbox.guest.call import plan_call
from assay.sandbox.guest.rows import RowSource
from benchmarks.insight_golden import ONE_THREAD, PEER, THEIRS, peer_python
from benchmarks.measure import Cpu, Rows, Unmeasured, beside, counted, shown, sized
from benchmarks.sandbox import sandbox_cpu

DATES = sized(500, 12)
PAIRS = sized(("P60", "P68", "P69", "P70"), ("P60",))  # of the others the functions alone take minutes
TURNS = sized(5, 1)
_TOTAL = """def total(row, aux):
    events = aux['events.csv']
    return float(events.loc[events['who'] == row['who'], 'amount'].sum())
"""


def main() -> Rows:
    yield from _timed_columns()
    root = Path(os.environ.get("ASSAY_BENCHMARKS", "")) / "insight"
    pairs = [pair for start in PAIRS for pair in root.glob(f"agents/single step agent/{start}-*")]
    if not pairs:
        yield Unmeasured(name="golden pair", reason="ASSAY_BENCHMARKS does not point at them")
        return
    yield from _sandboxed(pairs)
    yield from _predictive(pairs)
    yield from _one_command(pairs[0])


def timed_problem(dates: int) -> Problem[InsightTask, InsightTruth]:
    """Three rows for every date, two of them to train with; a table of events with forty for every date."""
    rng = np.random.default_rng(5)
    rows, events, people, first = 3 * dates, 40 * dates, 300, np.datetime64("2020-01-01")
    days = rng.permutation(np.arange(rows) % dates)
    base = pd.DataFrame({"day": (first + days).astype(str), "who": rng.integers(0, people, rows)})
    table = pd.DataFrame(
        {
            "who": rng.integers(0, people, events),
            "at": (first + np.sort(rng.integers(0, dates, events))).astype(str),
            "amount": rng.gamma(2, 9, events).round(2),
        }
    )
    label = (rng.random(rows) < 0.3).astype(np.int64)
    split = 2 * dates
    task = InsightTask(
        name="events",
        description="",
        domain="",
        target_column="y",
        problem_type="binary",
        train=base[:split].assign(y=label[:split]),
        test=base[split:].reset_index(drop=True),
        tables={"events.csv": table},
        time_column="day",
        table_times={"events.csv": TableTime(time_column="at")},
    )
    truth = InsightTruth(
        test_target=pd.Series(label[split:]),
        columns=("x",),
        descriptions=("x",),
        train=pd.DataFrame({"x": np.zeros(split)}),
        test=pd.DataFrame({"x": np.zeros(rows - split)}),
    )
    return Problem(id="events", digest="", task=task, truth=truth)


def _timed_columns() -> Rows:
    problem, function = timed_problem(DATES), FeatureFunction(name="total", code=_TOTAL)
    spent, columns = [], []
    for chained in (True, False):
        with Sandbox.start() as started, mock.patch.object(compute, "leaves_nothing", return_value=chained):
            start = sandbox_cpu(started)  # counted when the server has ended, with all that it did
            with Cpu() as cpu:
                computed = compute.compute_columns(problem, [function], sandbox=started)
                started.close()
        spent.append(cpu.seconds - start)
        columns.append([part.tolist() for part in computed.ok["total"]])
    print(f"{DATES} dates, one function: {spent[0]:.2f} s CPU, {spent[1]:.2f} s with a process for every state")
    yield beside(f"columns over {DATES} dates: CPU", spent[0], "s", peer="a process for every state", theirs=spent[1])
    yield counted("columns that differ", float(columns[0] != columns[1]), "")


def _sandboxed(pairs: Sequence[Path]) -> Rows:
    shipped, unprotected, sandboxed = 0.0, 0.0, 0.0
    begun = time.process_time()
    with shared_sandbox("strong") as sandbox:
        start = time.process_time() - begun + sandbox_cpu(sandbox)
        print(f"starting and testing the sandbox: {start:.2f} s CPU")
        for pair in pairs:
            problem, answer = load(pair.parents[2] / "problems" / pair.name), read_solution(pair)
            evaluate(problem, answer, trust_columns=True, check_leakage="never")  # kernels and tables are loaded
            shared_fits().clear()
            begun = time.process_time()
            evaluate(problem, answer, trust_columns=True, check_leakage="never")
            scored = time.process_time() - begun
            alone = sum(_once(function, problem.task) for function in answer.functions)
            shared_fits().clear()
            begun = time.process_time() + sandbox_cpu(sandbox)
            evaluate(problem, answer, check_leakage="always")
            checked = time.process_time() + sandbox_cpu(sandbox) - begun
            shipped, unprotected, sandboxed = shipped + scored, unprotected + scored + alone, sandboxed + checked
            print(f"{pair.name[:44]:44} {scored:6.2f} s CPU as shipped, {scored + alone:6.2f} s with its functions run")
            print(f"{'':44} once, unprotected, {checked:6.2f} s sandboxed with verdicts")
    close_sandboxes()
    name = f"{len(pairs)} golden pairs in the sandbox, verdicts included: CPU"
    yield beside(name, sandboxed, "s", peer="functions run once, unprotected", theirs=unprotected, tolerance=0.5)
    yield beside(
        f"{name} (columns as shipped)", sandboxed, "s", peer="columns as shipped", theirs=shipped, tolerance=0.5
    )
    yield shown("starting the sandbox: CPU", start, "s")


def _once(function: FeatureFunction, task: InsightTask) -> float:
    """Processor seconds of one function over the rows of both parts, called as the sandbox calls it."""
    names: dict[str, Any] = {**vars(typing), "pd": pd, "np": np, "datetime": datetime, "timedelta": timedelta}
    exec(function.code, names)
    plan = plan_call(names[function.name], task.base_columns)
    tables = {name: frame.copy() for name, frame in task.tables.items()}
    rest = [task.train.copy() if source == "train" else tables for source in plan.positional[1:]]
    begun = time.process_time()
    with warnings.catch_warnings(action="ignore"):
        for rows in (task.train[list(task.base_columns)], task.test[list(task.base_columns)]):
            for first in [rows.copy()] if plan.vectorised else RowSource(rows):
                with contextlib.suppress(Exception):
                    names[function.name](first, *rest)
    return time.process_time() - begun


def _predictive(pairs: Sequence[Path]) -> Rows:
    """What regressions on several columns take of the scoring: most of predictive coverage, and little else."""
    spent, whole = 0.0, 0.0
    answer_with = engine.answer_with

    def timed(name: engine.Engine, train: Any, target: Any, test: Any, task: Any, *rest: Any) -> Any:
        nonlocal spent
        begun = time.process_time()
        values = answer_with(name, train, target, test, task, *rest)
        spent += time.process_time() - begun if task == "regression" and train.shape[1] > 1 else 0.0
        return values

    with mock.patch.object(engine, "answer_with", timed):
        for pair in pairs:
            problem, answer = load(pair.parents[2] / "problems" / pair.name), read_solution(pair)
            shared_fits().clear()
            begun = time.process_time()
            evaluate(problem, answer, trust_columns=True, check_leakage="never")
            whole += time.process_time() - begun
    print(f"regressions on several columns, for predictive coverage: {spent:.2f} of {whole:.2f} s CPU of the scoring")
    yield shown("predictive coverage, share of the scoring", spent / whole, "")


def _one_command(pair: Path) -> Rows:
    problem = pair.parents[2] / "problems" / pair.name
    score = ["-m", "assay", "insight", "evaluate", "--problem", str(problem), "--solution", str(pair)]
    trusted = [*score, "--trust-columns", "--set", "check_leakage=never"]
    ours = [sys.executable]
    whole, checked, bare = (_median_cpu(ours + words) for words in (trusted, score, ["-c", "import pandas"]))
    print(
        f"assay insight evaluate, whole process: {whole:.2f} s CPU, {checked:.2f} s with its functions in the sandbox"
    )
    print(f"import pandas alone: {bare:.2f} s")
    yield beside("one command: CPU", whole, "s", peer="import pandas", theirs=bare)
    yield shown("one command with the sandbox and verdicts: CPU", checked, "s")
    python = peer_python()
    if python is None:
        yield Unmeasured(name="one command, preset insight-eval", reason="the published package is not here")
        return
    preset = ["--preset", "insight-eval", "--set", "MAX_DEPTH=0", "--set", "COVERAGE_CORRELATION_THRESHOLD=0.0"]
    with tempfile.TemporaryDirectory() as folder:
        described = json.dumps([(str(problem.parent), str(pair), pair.name)])
        theirs = _median_cpu([str(python), "-c", THEIRS, described, folder])
    whole = _median_cpu(ours + trusted + preset)
    print(
        f"the same rules as the published package: {whole:.2f} s CPU, theirs {theirs:.2f} s, {theirs / whole:.1f} times"
    )
    yield beside("one command, preset insight-eval: CPU", whole, "s", peer=PEER, theirs=theirs)


def _median_cpu(words: Sequence[str]) -> float:
    spent = []
    for _ in range(TURNS):
        with Cpu() as cpu:
            subprocess.run(words, check=True, capture_output=True, env={**os.environ, **ONE_THREAD})
        spent.append(cpu.seconds)
    return statistics.median(spent)
