"""Insight scoring as tables grow: preset spec beside plain scikit-learn fits, one core, CPU seconds, memory peaks.

2,000 and 20,000 rows in full (every fit of one solution); 200,000 rows for one fit of each kind.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from benchmarks.measure import Rows, beside, shown, sized

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
COLUMNS, EXPERTS = 6, 4
LARGE = sized(200_000, 2_000)

_COMMON = """
import json, resource, sys, time
import numpy as np, pandas as pd
from assay.core import Problem
from assay.insight import InsightAnswer, InsightConfig, InsightTask, InsightTruth
from assay.insight.fits.forest import ForestSettings, predict
from assay.insight.fits.forest.sklearn_engine import predict_with_sklearn
from assay.insight.fits import fits
from assay.insight.fits.measure import shared_fits
from assay.insight.answer.solution import gather
from assay.insight.examine.spec_rules import examine_by_spec
def peak():  # of this program: ru_maxrss also counts the process that started it
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) / 1024
def made(rows, columns, experts):
    rng = np.random.default_rng(3)
    both = rows + rows // 2
    truth = np.round(rng.normal(size=(both, experts)), 2)
    insights = np.round(truth[:, rng.integers(0, experts, columns)] + 0.5 * rng.normal(size=(both, columns)), 2)
    base = pd.DataFrame({"a": rng.normal(size=both), "b": rng.integers(0, 9, both)})
    base["c"] = rng.choice(list("uvwxyz"), both)
    y = pd.Series((truth.sum(axis=1) + rng.normal(size=both) > 0).astype(int))
    T = pd.DataFrame(truth, columns=[f"t{i}" for i in range(experts)])
    S = pd.DataFrame(insights, columns=[f"s{i}" for i in range(columns)])
    part = lambda frame, test: (frame[rows:] if test else frame[:rows]).reset_index(drop=True)
    task = InsightTask(name="", description="", domain="", target_column="y", problem_type="binary",
                       train=part(base, False).assign(y=y[:rows]), test=part(base, True))
    names = tuple(T.columns)
    hidden = InsightTruth(test_target=part(y, True), columns=names, descriptions=names,
                          train=part(T, False), test=part(T, True))
    answer = InsightAnswer(solved_by="", columns=tuple(S.columns), train=part(S, False), test=part(S, True))
    return Problem(id="p", digest="p", task=task, truth=hidden), answer
"""

_WHOLE = """
engine, rows, columns, experts = sys.argv[1], *map(int, sys.argv[2:5])
if engine == "scikit-learn":
    def plain(train, target, test, *, task, classes, settings):
        from assay.insight.fits.forest import Prediction
        values = predict_with_sklearn(train, target, test, task=task, classes=classes, settings=settings)
        return Prediction(values, engine, "")
    fits.predict = plain
config = InsightConfig(trust_columns=True)
def score(problem, answer):
    return examine_by_spec(problem, gather(problem, answer, answer.columns, config), config)
score(*made(60, columns, experts)); shared_fits().clear()
idle = peak()
problem, answer = made(rows, columns, experts)
start = time.process_time(); found = score(problem, answer); seconds = time.process_time() - start
print("RESULT" + json.dumps([seconds, peak() - idle, found.inclusive, found.single.tolist()]))
"""

_FIT = """
engine, rows, kind, width = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
rng = np.random.default_rng(5)
def data(rows):
    X = np.round(rng.normal(size=(rows, width)), 2)
    return X, X[:, 0] + rng.normal(size=rows)
settings = ForestSettings(max_depth=10)
def fit(rows):
    X, y = data(rows)
    target, classes = ((y > 0).astype(np.int64), 2) if kind == "classification" else (y, 0)
    half = rows // 2
    call = predict_with_sklearn if engine == "scikit-learn" else predict
    start = time.process_time()
    call(X, target, X[:half], task=kind, classes=classes, settings=settings)
    return time.process_time() - start
fit(80)
idle = peak()
print("RESULT" + json.dumps([fit(rows), peak() - idle]))
"""


def main() -> Rows:
    for rows in sized((2_000, 20_000), (200,)):
        args = [str(rows), str(COLUMNS), str(EXPERTS)]
        theirs, ours = (_run(_COMMON + _WHOLE, engine, *args) for engine in ("scikit-learn", "assay"))
        same = theirs[2] == ours[2] and _largest(theirs[3], ours[3]) < 1e-12
        print(
            f"{rows:7,} rows, one solution of {COLUMNS} columns, {EXPERTS} experts' columns, preset spec: plain fits "
            f"{theirs[0]:.2f} s, {theirs[1]:.0f} MB; ours {ours[0]:.2f} s, {ours[1]:.0f} MB; {theirs[0] / ours[0]:.1f} "
            f"times less CPU, {'equal scores' if same else 'SCORES DIFFER'}"
        )
        yield beside(f"one solution of {rows:,} rows: CPU", ours[0], "s", peer="scikit-learn's fits", theirs=theirs[0])
        yield shown(f"one solution of {rows:,} rows: memory", ours[1], "MB")
    for kind in ("classification", "regression"):
        for width in (1, 8):
            theirs, ours = (
                _run(_COMMON + _FIT, engine, str(LARGE), kind, str(width)) for engine in ("scikit-learn", "assay")
            )
            print(
                f"{LARGE:,} rows, one {kind} fit of {width} columns: {theirs[0]:.1f} s, {theirs[1]:.0f} MB; ours "
                f"{ours[0]:.1f} s, {ours[1]:.0f} MB; {theirs[0] / ours[0]:.1f} times less CPU"
            )
            what = f"{LARGE:,} rows, one {kind} of {width} column(s): CPU"
            yield beside(what, ours[0], "s", peer="scikit-learn", theirs=theirs[0])


def _largest(first: list[list[float]], second: list[list[float]]) -> float:
    return max(abs(a - b) for one, other in zip(first, second, strict=True) for a, b in zip(one, other, strict=True))


def _run(code: str, *arguments: str) -> list[Any]:
    process = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **ONE_THREAD},
    )
    if "RESULT" not in process.stdout:
        raise SystemExit(f"the measurement failed:\n{process.stderr[-2000:]}")
    result: list[Any] = json.loads(process.stdout.rpartition("RESULT")[2])
    return result
