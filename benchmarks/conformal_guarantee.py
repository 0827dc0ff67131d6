"""What is promised and what is kept: coverage and size of our methods over 200 random splits of five data sets.

Every split draws calibration and test samples anew. Taskwise methods must cover each task, joint methods all tasks of a
sample at once; the saving is that of the product sets against Bonferroni, split by split, with its bootstrap interval.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np

from assay.conformal import calibrate, count_sets, coverage, efficiency, taskwise_coverage
from assay.conformal.generate import digits_data, draw
from assay.conformal.sets.checks import FloatArray, IntArray
from assay.stats import bootstrap_interval
from benchmarks.measure import Rows, counted, sized

SPLITS = sized(200, 4)
ALPHA = 0.1
SAMPLES = 1200
TASKWISE = ("global", "taskwise", "classwise", "task-clusters")
JOINT = ("bonferroni", "max-score", "max-rank", "joint")


class Source(NamedTuple):
    """Probabilities and labels of samples that are split again and again."""

    probabilities: tuple[FloatArray, ...]
    labels: tuple[IntArray, ...]


def sources() -> dict[str, Source]:
    by_name: dict[str, Source] = {}
    golden = Path(os.environ.get("ASSAY_BENCHMARKS", ".")) / "conformal" / "real_digits.npz"
    if golden.is_file():
        with np.load(golden) as data:
            by_name["digits (golden)"] = Source(
                tuple(np.concatenate([data[f"cal_probs_{t}"], data[f"test_probs_{t}"]]) for t in range(3)),
                tuple(np.concatenate([data["cal_labels"], data["test_labels"]], axis=1)),
            )
    else:
        digits = digits_data()
        by_name["digits"] = Source(digits.probabilities, digits.labels)
    for family in ("correlated", "imbalanced", "unequal", "independent"):
        family_data = draw(family, SAMPLES, seed=1)
        by_name[family] = Source(family_data.probabilities, family_data.labels)
    return by_name


def measure(source: Source, method: str, *, splits: int = SPLITS) -> FloatArray:
    """Per split: the worst task's coverage, joint coverage, product size; the same splits for every method."""
    rng = np.random.default_rng(0)
    samples = len(source.labels[0])
    rows = []
    for _ in range(splits):
        order = rng.permutation(samples)
        old, new = order[: samples // 2], order[samples // 2 :]
        calibration = calibrate(
            [matrix[old] for matrix in source.probabilities],
            [column[old] for column in source.labels],
            alpha=ALPHA,
            method=method,
        )
        sets = calibration.predict_sets([matrix[new] for matrix in source.probabilities])
        counts = count_sets(sets, [column[new] for column in source.labels])
        tasks = taskwise_coverage(counts)
        rows.append([*tasks, coverage(counts, overall="joint"), efficiency(counts, overall="joint")])
    return np.asarray(rows)


def main() -> Rows:
    print(f"alpha {ALPHA}, {SPLITS} splits of {SAMPLES} samples in halves, hinge score")
    print("mean coverage +- standard error; saving = mean reduction of product sets against Bonferroni [95 % interval]")
    for name, source in sources().items():
        print(f"{name}: classes {tuple(matrix.shape[1] for matrix in source.probabilities)}")
        base = None
        for method in (*TASKWISE, *JOINT):
            rows = measure(source, method)
            tasks, joint, size = rows[:, :-2].mean(axis=0), rows[:, -2], rows[:, -1]
            base = size if method == "bonferroni" else base
            saving = ""
            if base is not None and method != "bonferroni":
                low_high = bootstrap_interval(1 - size / base)
                saving = f"   saving {low_high.value:6.1%} [{low_high.low:.1%}, {low_high.high:.1%}]"
            each = " ".join(f"{value:.3f}" for value in tasks)
            error = joint.std(ddof=1) / np.sqrt(len(joint))
            print(
                f"  {method:16} tasks {each}   joint {joint.mean():.4f} +- {error:.4f}   product {size.mean():6.3f}"
                f"{saving}"
            )
            if method in ("bonferroni", "joint"):
                upper = float(joint.mean()) + 2 * float(error)
                yield counted(
                    f"{name}, {method}: joint coverage, with twice its error", upper, "", better="more", tolerance=0.02
                )
            if method == "joint" and base is not None:
                size_ratio = float((size / base).mean())
                yield counted(f"{name}, {method}: product size beside Bonferroni's", size_ratio, "", tolerance=0.05)
