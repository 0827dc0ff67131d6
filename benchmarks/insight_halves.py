"""The agent ``relational`` on further public problems, split by base problem in two halves (decision 34).

``ASSAY_FURTHER`` points at a folder of problems; ``ASSAY_HALF`` names the half (development unless told), and
``ASSAY_WITHOUT`` families of candidates that are left out, separated by commas, for ablations. ``ASSAY_FIRST`` takes
the first variation of each base problem only, ``ASSAY_PART`` a part of all (2/3: the second of three). Intervals
resample base problems, since variations of one are alike.
"""

from __future__ import annotations

import hashlib
import os
import resource
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

from assay.core import Budget
from assay.insight import evaluate, load
from assay.insight.search.candidates.gather import FIRST, LAST, THEN
from assay.insight.subjects.relational import Relational
from benchmarks.measure import Rows, Unmeasured, shown, sized

DRAWS = 10_000


def base_of(problem: str) -> str:
    """The base problem of a variation.

    >>> base_of("P1-Churn-variation_2-type_1b")
    'P1-Churn'
    """
    return problem.split("-variation")[0]


def half_of(problem: str) -> str:
    """Which half a problem belongs to: by the parity of the hash of its base problem's name.

    >>> half_of("P9-Diabetes-variation_1-type_2a"), half_of("P8-Churn Prediction-variation_1-type_1a")
    ('development', 'held out')
    """
    number = int(hashlib.sha256(base_of(problem).encode()).hexdigest(), 16)
    return "held out" if number % 2 else "development"


def interval(bases: list[str], scores: list[float]) -> tuple[float, float]:
    """A 95 % interval of the mean score, base problems drawn again with all their variations."""
    names = sorted(set(bases))
    sums = np.array([sum(s for b, s in zip(bases, scores, strict=True) if b == name) for name in names])
    counts = np.array([bases.count(name) for name in names])
    draws = np.random.default_rng(0).integers(len(names), size=(DRAWS, len(names)))
    means: npt.NDArray[np.float64] = sums[draws].sum(axis=1) / counts[draws].sum(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def main() -> Rows:
    folder = Path(os.environ.get("ASSAY_FURTHER", ""))
    half = os.environ.get("ASSAY_HALF", "development")
    without = tuple(filter(None, os.environ.get("ASSAY_WITHOUT", "").split(",")))
    named = [path for path in sorted(folder.iterdir()) if path.is_dir()] if "ASSAY_FURTHER" in os.environ else []
    chosen = [path for path in named if half_of(path.name) == half]
    if os.environ.get("ASSAY_FIRST"):
        chosen = [
            path for n, path in enumerate(chosen) if base_of(path.name) not in {base_of(p.name) for p in chosen[:n]}
        ]
    part, parts = map(int, os.environ.get("ASSAY_PART", "1/1").split("/"))
    chosen = chosen[part - 1 :: parts][: sized(None, 1)]
    if not chosen:
        print("not measured: ASSAY_FURTHER does not point at a folder of problems")
        yield Unmeasured(name="", reason="ASSAY_FURTHER does not point at a folder of problems")
        return
    if without:
        _leave_out(without)
    scores: list[float] = []
    spent: list[float] = []
    for path in chosen:
        problem = load(path)
        before = time.process_time()
        answer = Relational().solve(problem.task, Budget())
        spent.append(time.process_time() - before)
        measured = evaluate(problem, answer, preset="insight-eval", trust_columns=True, check_leakage="never").scores
        scores.append(measured["combined_score"])
        print(f"{path.name:90} {spent[-1]:6.1f} s {scores[-1]:6.3f}", flush=True)
    low, high = interval([base_of(path.name) for path in chosen], scores)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    remark = f", without {', '.join(without)}" if without else ""
    print(f"{half}{remark}: {np.mean(scores):.3f} [{low:.3f}, {high:.3f}] over {len(scores)} problems, {memory:.0f} MB")
    yield shown("combined score", float(np.mean(scores)), "")
    yield shown("CPU per problem, mean", float(np.mean(spent)), "s")


def _leave_out(names: tuple[str, ...]) -> None:
    for name in names:
        for families in (FIRST, THEN, LAST):
            families.pop(name, None)
