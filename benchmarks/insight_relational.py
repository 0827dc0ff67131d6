"""The agent ``relational`` on the golden problems: its scores beside those of the published agents' solutions.

Each problem is solved in a process of its own on one thread: CPU seconds and memory are the process's. The answer is
scored by the preset ``insight-eval``; its functions then run in the sandbox and must give its columns to the digit, and
every function gets a verdict; small sizes leave the verdicts out.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from assay.insight import check_leakage, evaluate, load
from assay.insight.answer.answer import InsightAnswer, decode
from assay.insight.columns.compute import compute_columns
from assay.insight.columns.sandbox_pool import shared_sandbox
from benchmarks.measure import QUICK, Rows, Unmeasured, beside, shown, sized

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
DRAWS = 10_000

_SOLVE = """
import json, resource, sys, time
from pathlib import Path
from assay.core import Budget
from assay.insight import load
from assay.insight.answer.answer import encode
from assay.insight.subjects.relational import Relational
task = load(Path(sys.argv[1])).task
before = time.process_time()
answer = Relational().solve(task, Budget())
spent = time.process_time() - before
Path(sys.argv[2]).write_bytes(encode(answer))
print("RESULT" + json.dumps([spent, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""


def main() -> Rows:
    root = Path(os.environ.get("ASSAY_BENCHMARKS", "")) / "insight"
    if not (root / "problems").is_dir():
        print("not measured: ASSAY_BENCHMARKS does not point at a folder with insight/problems")
        yield Unmeasured(name="", reason="ASSAY_BENCHMARKS does not point at the golden problems")
        return
    published = _published(root / "reference_scores")
    print(f"{'problem':44} {'CPU s':>6} {'MB':>6} {'score':>6} {'agent':>6}  columns equal, verdicts")
    ours: list[float] = []
    theirs: list[float] = []
    spent: list[float] = []
    for folder in sorted(path for path in (root / "problems").iterdir() if path.is_dir())[: sized(None, 1)]:
        answer, seconds, memory = _solve(folder)
        problem = load(folder)
        scores = evaluate(problem, answer, preset="insight-eval", trust_columns=True, check_leakage="never").scores
        ours.append(scores["combined_score"])
        theirs.append(published.get(folder.name, float("nan")))
        checked = _check(problem, answer, verdicts=QUICK not in os.environ)
        spent.append(seconds)
        name = folder.name[:44]
        print(f"{name:44} {seconds:6.1f} {memory:6.0f} {ours[-1]:6.3f} {theirs[-1]:6.3f}  {checked}", flush=True)
    print(f"relational: mean combined score {_interval(np.array(ours))} over {len(ours)} problems")
    print(f"published agents on the same problems: {_interval(np.array(theirs))}")
    print(f"difference: {_interval(np.array(ours) - np.array(theirs))}")
    # one minus the score: less is better, as everywhere beside a peer
    short, their_short = 1 - float(np.mean(ours)), 1 - float(np.mean(theirs))
    yield beside(
        "what is missing to a score of 1", short, "", peer="published agents", theirs=their_short, tolerance=0.1
    )
    yield shown("CPU per problem, mean", float(np.mean(spent)), "s")


def _solve(folder: Path) -> tuple[InsightAnswer, float, float]:
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "answer"
        command = [sys.executable, "-c", _SOLVE, str(folder), str(path)]
        process = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **ONE_THREAD})
        if process.returncode:
            raise SystemExit(f"{folder.name} was not solved:\n{process.stderr[-2000:]}")
        seconds, memory = json.loads(process.stdout.rpartition("RESULT")[2])
        return decode(path.read_bytes()), seconds, memory


def _check(problem: Any, answer: InsightAnswer, *, verdicts: bool) -> str:
    """How many columns the sandbox reproduces to the digit, and what the leak check says of the functions."""
    assert answer.train is not None
    assert answer.test is not None
    with shared_sandbox("strong") as sandbox:
        computed = compute_columns(problem, answer.functions, sandbox=sandbox)
        equal = 0
        for column in computed.columns:
            if column.train is None or column.test is None:
                continue
            same = np.array_equal(column.train.to_numpy(dtype=float), answer.train[column.name].to_numpy(dtype=float))
            equal += same and np.array_equal(
                column.test.to_numpy(dtype=float), answer.test[column.name].to_numpy(dtype=float)
            )
        summary = f"{equal} of {len(answer.functions)}"
        if not verdicts:
            return summary
        report = check_leakage(problem, answer.functions, sandbox=sandbox)
    verdicts_of = [verdict.verdict for verdict in report.functions]
    return summary + ", " + ", ".join(f"{verdicts_of.count(word)} {word}" for word in sorted(set(verdicts_of)))


def _published(folder: Path) -> dict[str, float]:
    """The best published combined score of each problem."""
    best: dict[str, float] = {}
    for path in sorted(folder.glob("*.json")):
        record = json.loads(path.read_text())
        score = record["results"]["combined_score"]
        value = float(score["combined_score"] if isinstance(score, dict) else score)
        best[record["problem"]] = max(best.get(record["problem"], -1.0), value)
    return best


def _interval(values: np.ndarray[Any, np.dtype[np.float64]]) -> str:
    rng = np.random.default_rng(0)
    means = values[rng.integers(len(values), size=(DRAWS, len(values)))].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return f"{values.mean():.3f} [{low:.3f}, {high:.3f}]"
