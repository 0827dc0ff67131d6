"""The golden pairs: ours beside the published implementation, in the same run, on one core, in CPU seconds.

The published package needs Python 3.12; it runs in an environment of its own, made below build/. Where that cannot be
had, the CPU seconds recorded with the golden scores stand in, and the output says so. The package's own example pairs
are measured too: scores that no golden file holds.

Both sides read a problem and a solution, and compute the three performances and the four coverages of the solution.
Left out on both sides: the leak check, and scores of the ground truth as a solution.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.measure import Rows, Unmeasured, beside, counted, sized

PEER = "insight-eval==0.1.2"
FOLDER = Path(__file__).parents[1] / "build" / "insight-eval"
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
AGENTS = 3  # in the case of several agents on one problem

Pair = tuple[str, str, str]  # folder of problems, folder of the solution, name of the problem

_OURS = """
import json, resource, sys, time
from dataclasses import replace
from pathlib import Path
from assay.insight import InsightConfig, load, read_solution
from assay.insight.published import rules
from assay.insight.fits.measure import shared_fits
from assay.insight.metrics import METRICS
pairs, agents = json.loads(sys.argv[1]), int(sys.argv[2])
config = InsightConfig(preset="insight-eval", MAX_DEPTH=0, COVERAGE_CORRELATION_THRESHOLD=0.0, trust_columns=True)
spent = {"diagnostic": 0.0}
def timed(function, counts=lambda *arguments: True):
    def call(*arguments):
        start = time.process_time()
        try:
            return function(*arguments)
        finally:
            if counts(*arguments):
                spent["diagnostic"] += time.process_time() - start
    return call
labels = set()
rules._Models.measure = timed(rules._Models.measure, lambda models, predictors, wanted: predictors[-1].name in labels)
rules.correlations = timed(rules.correlations)
def one(problems, solution, problem, agent=0):
    made, answer = load(Path(problems) / problem), read_solution(Path(solution))
    labels.add(made.task.target_column)
    if agent:  # another agent: the same columns with other numbers, so that nothing of the solution is shared
        part = lambda table: table.assign(**{
            name: table[name] * (1 + 0.01 * agent) + agent for name in answer.columns if table[name].dtype.kind == "f"})
        answer = replace(answer, train=part(answer.train), test=part(answer.test))
    found = rules.examine_as_published(made, answer, config)
    return {metric.name: metric.function(found) for metric in METRICS}
for pair in pairs[:2]:
    one(*pair)  # kernels are compiled and loaded
out = []
for pair in pairs:
    shared_fits().clear()
    spent["diagnostic"] = 0.0
    start = time.process_time()
    for agent in range(agents):
        scores = one(*pair, agent)
    out.append([time.process_time() - start, spent["diagnostic"], scores])
print("RESULT" + json.dumps([out, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""

THEIRS = """
import json, logging, os, resource, sys, time
from pathlib import Path
os.chdir(sys.argv[2])
from insight_eval.logging_config import loggers
loggers.set_logging_directory(Path(sys.argv[2]) / "logs", delete_existing_logs=True)
logging.disable(logging.CRITICAL)
from insight_eval.evaluation_framework import evaluators as e
from insight_eval.readers.read_curriculum_problems_and_solution import (
    read_problem_and_ground_truth_from_folder, read_solution)
spent = {"diagnostic": 0.0}
def timed(function):
    def call(*arguments, **options):
        start = time.process_time()
        try:
            return function(*arguments, **options)
        finally:
            spent["diagnostic"] += time.process_time() - start
    return call
for name in ("predictive_coverage", "correlation_coverage"):
    setattr(e, name, timed(getattr(e, name)))
out = []
for problems, solution, problem in json.loads(sys.argv[1]):
    spent["diagnostic"] = 0.0
    start = time.process_time()
    made, truth = read_problem_and_ground_truth_from_folder(problem, Path(problems))
    answer = read_solution(Path(solution), made)
    p = e.evaluate_performance_of_solution(answer)
    c = e.evaluate_coverage_of_solution(answer, truth.enriched_train_data, truth.enriched_test_data,
                                        truth.enriched_column_names, reference_name=truth.name())
    seconds = time.process_time() - start
    scores = {f"{name}_performance": getattr(p, f"{name}_performance") for name in ("inclusive", "exclusive", "naive")}
    scores["correlation_coverage"] = c.mean_correlation_coverage
    scores["incremental_performance_coverage"] = c.min_incremental_performance_coverage
    scores["predictive_coverage"] = c.mean_predictive_coverage
    scores["single_column_predictive_coverage"] = c.mean_single_column_predictive_coverage
    out.append([seconds, spent["diagnostic"], {name: float(value) for name, value in scores.items()}])
print("RESULT" + json.dumps([out, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""


def main() -> Rows:
    root = Path(os.environ.get("ASSAY_BENCHMARKS", "")) / "insight"
    python = peer_python()
    pairs: list[Pair] = []
    recorded: list[float] = []
    if (root / "reference_scores").is_dir():
        for path in sorted((root / "reference_scores").glob("*.json"))[: sized(None, 1)]:
            record = json.loads(path.read_text())
            pairs.append(
                (str(root / "problems"), str(root / "agents" / record["agent"] / record["problem"]), record["problem"])
            )
            recorded.append(record["timing"]["total_cpu_s"])
    else:
        print("without the golden pairs: ASSAY_BENCHMARKS does not point at a folder with insight/reference_scores")
        yield Unmeasured(name="golden pairs", reason="ASSAY_BENCHMARKS does not point at them")
    golden = len(pairs)
    if python is not None:
        pairs += _examples(python)[: sized(None, 0)]
    else:
        yield Unmeasured(name="", reason="the published package is not here")
    if not pairs:
        print("not measured: neither golden pairs nor the published package are here")
        return
    ours, our_peak = _run([sys.executable, "-c", _OURS, json.dumps(pairs), "1"])
    several, _ = _run([sys.executable, "-c", _OURS, json.dumps(pairs), str(AGENTS)])
    if python is None:
        print("the published package is not here: recorded CPU seconds of its whole evaluation stand in")
        theirs: list[Any] = [[seconds, math.nan, {}] for seconds in recorded]
        their_peak = math.nan
    else:
        with tempfile.TemporaryDirectory() as folder:
            theirs, their_peak = _run([str(python), "-c", THEIRS, json.dumps(pairs), folder])
    print(f"{'pair':44} {'theirs s':>9} {'ours s':>8} {'ratio':>6}   largest difference of a score")
    worst = 0.0
    for pair, their, our in zip(pairs, theirs, ours, strict=True):
        difference = max(
            (abs(their[2][name] - our[2][name]) for name in their[2] if not _both_undefined(their, our, name)),
            default=math.nan,
        )
        worst = max(worst, difference)
        print(f"{pair[2][:44]:44} {their[0]:9.2f} {our[0]:8.3f} {their[0] / our[0]:6.1f}   {difference:.1e}")
    for label, part in (("golden pairs", slice(0, golden)), ("example pairs", slice(golden, None))):
        if pairs[part]:
            yield from _totals(label, theirs[part], ours[part], several[part], compared=python is not None)
    print(f"largest difference of any score {worst:.1e}; peak memory {their_peak:.0f} MB against {our_peak:.0f} MB")
    if python is not None:
        # the exact difference depends on rounding; what counts is that it stays below a billionth
        yield counted("scores that differ by more than 1e-9", float(worst > 1e-9), "")
        yield beside("peak memory", our_peak, "MB", peer=PEER, theirs=their_peak)


def _totals(label: str, theirs: list[Any], ours: list[Any], several: list[Any], *, compared: bool) -> Rows:
    total, mine = sum(row[0] for row in theirs), sum(row[0] for row in ours)
    scored, my_scored = sum(row[0] - row[1] for row in theirs), sum(row[0] - row[1] for row in ours)
    many, my_many = AGENTS * total, sum(row[0] for row in several)
    for what, their, our in (
        ("everything", total, mine),
        ("what enters the combined score", scored, my_scored),
        (f"{AGENTS} agents per problem (theirs: {AGENTS} times one)", many, my_many),
    ):
        print(f"{label}, {what}: {their:.1f} s against {our:.2f} s, {their / our:.1f} times less CPU")
        if compared:
            yield beside(f"{label}, {what}: CPU", our, "s", peer=PEER, theirs=their)


def _both_undefined(first: list[Any], second: list[Any], name: str) -> bool:
    return math.isnan(first[2][name]) and math.isnan(second[2][name])


def _run(command: list[str]) -> tuple[list[Any], float]:
    environment = {**os.environ, **ONE_THREAD}
    process = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if process.returncode or "RESULT" not in process.stdout:
        raise SystemExit(f"the measurement failed:\n{process.stdout[-2000:]}\n{process.stderr[-2000:]}")
    rows, peak = json.loads(process.stdout.rpartition("RESULT")[2])
    return rows, peak


def peer_python() -> Path | None:
    """An interpreter that has the published package, made once; None with the reason printed."""
    python = FOLDER / "bin" / "python"
    if python.is_file():
        return python
    base = next((interpreter for interpreter in _candidates() if _runs(interpreter)), None)
    if base is None:
        print(f"{PEER}: not measured, it needs Python 3.12 or newer and there is none on the path")
        return None
    draft = FOLDER.with_suffix(".new")
    shutil.rmtree(draft, ignore_errors=True)
    for command in (
        [base, "-m", "venv", str(draft)],
        [str(draft / "bin" / "python"), "-m", "pip", "install", "--quiet", PEER],
    ):
        process = subprocess.run(command, capture_output=True, text=True, check=False)
        if process.returncode:
            print(f"{PEER}: not measured, it cannot be installed ({process.stderr.strip().splitlines()[-1]})")
            return None
    draft.rename(FOLDER)
    return python


def _candidates() -> list[str]:
    """Interpreters that may do: a named one, those on the path, those installed beside ours."""
    named = [os.environ.get("ASSAY_PEER_PYTHON"), *map(shutil.which, ("python3.12", "python3.13"))]
    beside = sorted(Path(sys.base_prefix).parent.glob("3.1[23]*/bin/python3"))
    return [*filter(None, named), *map(str, beside)]


def _runs(python: str) -> bool:
    """A name on the path may be a stand-in for an interpreter that is not there."""
    check = "import sys; sys.exit(sys.version_info < (3, 12))"
    return subprocess.run([python, "-c", check], capture_output=True, check=False).returncode == 0


def _examples(python: Path) -> list[Pair]:
    """The pairs that the published package ships."""
    code = "import insight_eval, pathlib; print(pathlib.Path(insight_eval.__file__).parent / 'batch_scripts' / 'data')"
    process = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=False)
    data = Path(process.stdout.strip())
    return [
        (str(data / "problems"), str(solution), solution.name)
        for solution in sorted(data.glob("agents_solutions/*/*"))
        if (solution / "solution_attributes.json").is_file()
    ]
