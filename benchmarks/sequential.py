"""Stopping when decided: errors under the null, and what is saved on published results.

python -m benchmarks.sequential null --simulations 100000
python -m benchmarks.sequential srbench srbench_blackbox_results.csv.gz --metric r2_test
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt

from assay.stats.sequential.bets import e_process, together
from assay.stats.signflip import sign_flip_p_values

Floats = npt.NDArray[np.float64]
LEVEL = 0.05
STEPS = 200
_AT_ONCE = 5000

# differences with mean 0 in [-1, 1]: what two equal subjects may show
NULLS: Mapping[str, Callable[[np.random.Generator, tuple[int, int]], Floats]] = {
    "won or lost": lambda rng, size: rng.choice([-1.0, 1.0], size=size),
    "uniform": lambda rng, size: rng.uniform(-1, 1, size=size),
    "mostly ties": lambda rng, size: rng.choice([-1.0, 0.0, 1.0], p=[0.05, 0.9, 0.05], size=size),
    "small wins, few large losses": lambda rng, size: rng.choice([0.1, -0.9], p=[0.9, 0.1], size=size),
    "difference of two Betas": lambda rng, size: rng.beta(8, 2, size=size) - rng.beta(8, 2, size=size),
    "small differences": lambda rng, size: rng.normal(0, 0.02, size=size).clip(-1, 1),
}


def error_rates(simulations: int, *, seed: int = 0, steps: int = STEPS) -> dict[str, float]:
    """The share of simulated comparisons of equals that are decided at any of so many looks."""
    rates = {}
    for place, (name, draw) in enumerate(NULLS.items()):
        rng = np.random.default_rng([seed, place])
        wrong = 0
        for start in range(0, simulations, _AT_ONCE):
            size = (min(_AT_ONCE, simulations - start), steps)
            wrong += int((e_process(draw(rng, size)).max(axis=1) >= 1 / LEVEL).sum())
        rates[name] = wrong / simulations
    return rates


def read_matrix(path: Path, metric: str) -> tuple[list[str], Floats]:
    """Subjects and their scores, [subjects, problems], cut to 0 and 1; problems that all of them have."""
    import pandas as pd

    frame = pd.read_csv(path)
    table = frame.pivot_table(index="algorithm", columns="dataset", values=metric, aggfunc="mean")
    table = table.dropna(axis=1)
    return list(table.index), table.to_numpy(dtype=np.float64).clip(0, 1)


def pairwise(scores: Floats, orders: int, *, seed: int = 0) -> dict[str, float]:
    """Each pair by itself, over random orders: what the full run decides, and what was decided sooner."""
    pairs = list(combinations(range(len(scores)), 2))
    differences = np.array([scores[a] - scores[b] for a, b in pairs])
    full = np.array(sign_flip_p_values(list(differences))) < LEVEL
    winner = np.sign(differences.mean(axis=1))
    decided = agree = used = against = 0
    for order in range(orders):
        shuffled = differences[:, np.random.default_rng([seed, order]).permutation(differences.shape[1])]
        reached = e_process(shuffled) >= 1 / LEVEL
        stop = np.where(reached.any(axis=1), reached.argmax(axis=1), shuffled.shape[1] - 1)
        early = np.array([np.sign(row[: end + 1].mean()) for row, end in zip(shuffled, stop, strict=True)])
        decided += int((reached.any(axis=1) & full).sum())
        agree += int((early[full] == winner[full]).sum())
        against += int((reached.any(axis=1) & (early != winner)).sum())
        used += int((stop + 1).sum())
    return {
        "pairs": len(pairs),
        "problems": differences.shape[1],
        "decided by the full run": int(full.sum()),
        "of these decided sooner or at the end": decided / max(1, orders * int(full.sum())),
        "winner agrees": agree / max(1, orders * int(full.sum())),
        "decisions for the other one, of all": against / max(1, orders * len(pairs)),
        "cells saved": 1 - used / (orders * differences.size),
    }


def whole_run(scores: Floats, orders: int, *, seed: int = 0) -> dict[str, float]:
    """All subjects together, as ``assay run --until-decided`` does it: cells that are not run."""
    pairs = list(combinations(range(len(scores)), 2))
    used = 0
    open_at_end = 0
    for order in range(orders):
        places = np.random.default_rng([seed, order]).permutation(scores.shape[1])
        evidence = np.array([e_process((scores[a] - scores[b])[places]) for a, b in pairs])
        stopped = np.full(len(pairs), -1)
        for unit in range(scores.shape[1]):
            active = {subject for pair, end in zip(pairs, stopped, strict=True) if end < 0 for subject in pair}
            used += len(active)
            now = np.array([row[unit if end < 0 else end] for row, end in zip(evidence, stopped, strict=True)])
            stopped[(together(now) >= 1 / LEVEL) & (stopped < 0)] = unit
        open_at_end += int((stopped < 0).sum())
    return {"cells saved": 1 - used / (orders * scores.size), "pairs left open": open_at_end / (orders * len(pairs))}


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["null", "srbench"])
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--metric", default="r2_test")
    parser.add_argument("--orders", type=int, default=20)
    parser.add_argument("--simulations", type=int, default=100_000)
    options = parser.parse_args()
    if options.what == "null":
        for name, rate in error_rates(options.simulations).items():
            print(
                f"{name}: {rate:.4f} of {options.simulations:,} are decided at {LEVEL} within {STEPS} looks", flush=True
            )
        return
    subjects, scores = read_matrix(options.file, options.metric)
    print(f"{len(subjects)} subjects, {scores.shape[1]} problems, {options.metric}, {options.orders} orders")
    for title, figures in (("pairs", pairwise(scores, options.orders)), ("run", whole_run(scores, options.orders))):
        for name, value in figures.items():
            print(f"{title}: {name}: {value:.4f}" if isinstance(value, float) else f"{title}: {name}: {value}")


if __name__ == "__main__":
    main()
