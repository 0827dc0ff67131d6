"""Generated insight problems held to their promises: code equals columns, the truth first, difficulty as declared.

For each problem: every ground-truth function runs in the sandbox under the declared times and is compared with its
column value by value, gets a verdict, and the truth is scored against the baselines. At the end the rank correlation of
declared difficulty with what the baselines reach, over all and by type of target.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from assay.core import Budget, Problem, digest_folder
from assay.insight import InsightTask, InsightTruth, check_leakage, evaluate, generate_problems, load
from assay.insight.columns.compute import compute_columns
from assay.insight.metrics import spearman
from assay.insight.subjects.builtin import BaseColumns, ground_truth
from assay.insight.subjects.random_features import RandomFeatures
from assay.sandbox import Sandbox
from benchmarks.measure import Rows, counted, shown, sized

PROBLEMS = sized(100, 6)
SEED = 20_260
_ORDER = {"easy": 0, "medium": 1, "hard": 2}
_SCORES = ("base_columns_score", "random_features_score", "measured_difficulty")

Generated = Problem[InsightTask, InsightTruth]


def main(problems: int = PROBLEMS, seed: int = SEED) -> Rows:
    with tempfile.TemporaryDirectory() as name:
        began = time.process_time()
        folders = generate_problems(Path(name), problems=problems, seed=seed)
        print(f"{problems} problems written: {(time.process_time() - began) / problems:.2f} s of CPU each")
        again = generate_problems(Path(name) / "again", problems=3, seed=seed)
        same = sum(digest_folder(a) == digest_folder(b) for a, b in zip(folders, again, strict=False))
        print(f"same seed, same bytes: {same} of {len(again)} written twice")
        outcomes: Counter[str] = Counter()
        rows: list[dict[str, Any]] = []
        began = sum(os.times()[:4])
        with Sandbox.start() as sandbox:
            for folder in folders:
                problem = load(folder)
                outcomes.update(_check(problem, sandbox))
                rows.append(dict(problem.tags))
        spent = (sum(os.times()[:4]) - began) / problems
        print(f"checks: {spent:.2f} s of host CPU a problem")
        yield shown("checks of a problem: host CPU", spent, "s")
        for what, count in sorted(outcomes.items()):
            print(f"  {what}: {count}")
        wrong = ("functions that DIFFER", "truth NOT first")
        unclean = sum(count for what, count in outcomes.items() if what.startswith("verdicts ") and "clean" not in what)
        yield counted("promises broken", sum(outcomes[what] for what in wrong) + unclean, "")
        correlation = _show(pd.DataFrame(rows))
        yield counted("rank correlation of difficulty", correlation, "", better="more", tolerance=0.05)


def _check(problem: Generated, sandbox: Sandbox) -> Counter[str]:
    """Counts of what holds and what does not."""
    outcomes: Counter[str] = Counter()
    functions = problem.truth.functions
    computed = compute_columns(problem, functions, sandbox=sandbox)
    for column in computed.columns:
        parts = ((column.train, problem.truth.train), (column.test, problem.truth.test))
        equal = all(own is not None and own.tolist() == planted[column.name].tolist() for own, planted in parts)
        outcomes["functions equal to their columns" if equal else "functions that DIFFER"] += 1
    for verdict in check_leakage(problem, functions, sandbox=sandbox).functions:
        outcomes[f"verdicts {verdict.verdict}"] += 1
        if verdict.verdict != "clean":
            print(f"  {problem.id}: {verdict.name} {verdict.verdict} {verdict.kind} {dict(verdict.evidence)}")
    answers = (BaseColumns().solve(problem.task, Budget()), RandomFeatures().solve(problem.task, Budget()))
    scores = [
        evaluate(problem, answer, trust_columns=True, check_leakage="never").scores["combined_score"]
        for answer in (ground_truth(problem), *answers)
    ]
    outcomes["truth first" if scores[0] > max(scores[1:]) else "truth NOT first"] += 1
    return outcomes


def _show(tags: pd.DataFrame) -> float:
    """Tables; returns the rank correlation of declared and measured difficulty over all problems."""
    print(
        tags.groupby("difficulty")[[*_SCORES, "ground_truth_score"]].mean().reindex(list(_ORDER)).round(3).to_string()
    )
    order = tags["difficulty"].map(_ORDER).to_numpy(dtype=np.float64)
    for kind in ("all", *sorted(tags["type"].unique())):
        chosen = np.ones(len(tags), dtype=bool) if kind == "all" else (tags["type"] == kind).to_numpy()
        parts = [f"{name} {spearman(order[chosen], tags[name].to_numpy()[chosen]):+.3f}" for name in _SCORES]
        print(f"rank correlation with declared difficulty, {kind} ({int(chosen.sum())}): {', '.join(parts)}")
    return float(spearman(order, tags["measured_difficulty"].to_numpy()))
