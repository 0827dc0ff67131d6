"""Joint sets on data that nothing was developed on: coverage, and size against Bonferroni, by the plan beside.

``python -m benchmarks.conformal_joint DIR [NAME ...]`` measures data sets (all of the plan, unless named) into DIR, one
file each; then, and with ``--table``, it prints what DIR holds. The plan is :mod:`benchmarks.conformal_joint_data`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from assay.conformal import calibrate, count_sets, coverage, efficiency
from assay.stats import bootstrap_interval
from benchmarks import conformal_joint_data as plan
from benchmarks.measure import sized

METHODS: dict[str, dict[str, Any]] = {
    "bonferroni": {"method": "bonferroni"},
    "max-score": {"method": "max-score"},
    "max-rank": {"method": "max-rank"},
    "joint-threshold": {"method": "joint-threshold"},
    "joint, no model": {"method": "joint", "share": 0},
    "joint": {"method": "joint"},
    "joint-combinations, no model": {"method": "joint-combinations", "share": 0},
    "joint-combinations": {"method": "joint-combinations"},
}
TRAININGS, SPLITS_EACH = sized((plan.TRAININGS, plan.SPLITS_EACH), (1, 2))


def measure(name: str) -> dict[str, Any]:
    """Per method an array [splits, 2]: joint coverage, and the mean number of combinations in a set."""
    table = plan.load(name)
    measured: dict[str, list[tuple[float, float]]] = {method: [] for method in METHODS}
    for training in range(TRAININGS):
        predicted = plan.train(name, table, training)
        for old, new in plan.splits(len(predicted.labels[0]), training, SPLITS_EACH):
            for method, options in METHODS.items():
                calibration = calibrate(
                    [matrix[old] for matrix in predicted.probabilities],
                    [column[old] for column in predicted.labels],
                    alpha=plan.ALPHA,
                    **options,
                )
                sets = calibration.predict_sets([matrix[new] for matrix in predicted.probabilities])
                counts = count_sets(sets, [column[new] for column in predicted.labels])
                measured[method].append((coverage(counts, overall="joint"), efficiency(counts, overall="joint")))
    return {method: np.asarray(rows) for method, rows in measured.items()}


def show(folder: Path) -> None:
    """Coverage with its error and the saving, data set by data set, and their means with intervals over data sets."""
    names = [name for name in plan.JUDGED if (folder / f"{name}.npz").is_file()]
    savings: dict[str, list[float]] = {method: [] for method in METHODS}
    for name in names:
        with np.load(folder / f"{name}.npz") as rows:
            base = rows["bonferroni"][:, 1]
            print(f"{name}: {len(base)} splits, Bonferroni's mean size {base.mean():.2f}")
            for method in METHODS:
                covered, size = rows[method].T
                error = covered.std(ddof=1) / np.sqrt(len(covered))
                note = "" if covered.mean() >= 1 - plan.ALPHA - 2 * error else "  BELOW"
                savings[method].append(float(np.mean(1 - size / base)))
                excess = covered.mean() - (1 - plan.ALPHA)
                print(
                    f"  {method:30} coverage {covered.mean():.4f} +- {error:.4f} (excess {excess:+.4f}){note}   "
                    f"size {size.mean():10.2f}   saving {savings[method][-1]:6.1%}"
                )
    print(f"mean over {len(names)} data sets")
    for method, values in savings.items():
        whole = bootstrap_interval(np.asarray(values))
        print(f"  {method:30} saving {whole.value:6.1%} [{whole.low:.1%}, {whole.high:.1%}]")


def main(arguments: list[str]) -> None:
    names = [entry for entry in arguments[1:] if entry != "--table"]
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    for name in [] if "--table" in arguments else names or plan.JUDGED:
        np.savez(folder / f"{name}.npz", **measure(name))
    show(folder)


if __name__ == "__main__":
    main(sys.argv[1:])
