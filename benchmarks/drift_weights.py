"""The weights of the drift explainer, fitted: ``python -m benchmarks.drift_weights`` writes its data file anew.

Every drift is a choice between its documents and "none of them"; the weights are those of a conditional logit with that
alternative, by penalised likelihood (``PENALTY`` times the sum of squares), each with the sign its signal must have.
Drifts with several golden documents count with the sum of their chances. ``free`` is fitted to the drifts of outside
authors, ``named`` to those and to generated ones, seeds that no measurement uses.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from assay.core import Problem
from assay.core.arrays import FloatArray
from assay.drift.documents.text_index import TextIndex
from assay.drift.explanation.retrieve import AGAINST, Weights, centred
from assay.drift.explanation.signals import SIGNALS, compute_signals, make_query
from assay.drift.generate.problems import draw_problem
from assay.drift.problem.task import DriftTask, DriftTruth, profile_of

FILE = Path(__file__).parents[1] / "src" / "assay" / "drift" / "explanation" / "weights.json"
PENALTY = 0.1
SEED = 31
GENERATED = (("medium", 8), ("hard", 14))
LEAST = {"process": 0.8}  # the fit would drop it; that a document names the process is weak evidence all the same
FITTED = [name for name in SIGNALS if name != "dense"]


class Choice(NamedTuple):
    """The documents of one drift as rows of signals, and which of them are golden."""

    signals: FloatArray
    golden: tuple[int, ...]


def choices_of(problems: Sequence[Problem[DriftTask, DriftTruth]]) -> Iterator[Choice]:
    """The choice that each drift poses."""
    for problem in problems:
        index = TextIndex(problem.task.corpus)
        for drift, golden in zip(problem.task.drifts, problem.truth.goldens, strict=True):
            profile = profile_of(problem.task, drift)
            found = compute_signals(index, make_query(drift, profile=profile, glossary=problem.task.glossary))
            known = centred(found)
            yield Choice(np.stack([known[name] for name in FITTED], axis=1), golden)


def generated() -> Iterator[Choice]:
    """Choices of generated drifts, development seeds."""
    for grade, count in GENERATED:
        for number in range(count):
            noise = 0.1 if number % 2 else 0.0
            drawn = draw_problem(f"{grade}-{number}", seed=[SEED, number], difficulty=grade, noise=noise)
            yield from choices_of([Problem(id=grade, digest=grade, task=drawn.task, truth=drawn.truth)])


def fit(choices: Sequence[Choice], *, penalty: float = PENALTY) -> Weights:
    """The weights under which the golden documents, or none where there is none, are likeliest."""

    def loss(values: FloatArray) -> tuple[float, FloatArray]:
        factors, base = values[:-1], values[-1]
        total, slope = penalty * float(factors @ factors), np.append(2.0 * penalty * factors, 0.0)
        for choice in choices:
            scores = np.append(choice.signals @ factors + base, 0.0)
            chances = np.exp(scores - scores.max())
            chances /= chances.sum()
            wanted = list(choice.golden) or [-1]
            share = max(1e-12, float(chances[wanted].sum()))
            target = np.zeros_like(chances)
            target[wanted] = chances[wanted] / share
            total -= float(np.log(share))
            gap = (chances - target)[:-1]
            slope += np.append(choice.signals.T @ gap, gap.sum())
        return total, slope

    bounds = [(None, 0.0) if name in AGAINST else (LEAST.get(name, 0.0), None) for name in FITTED] + [(None, None)]
    start = np.array([*(LEAST.get(name, 0.0) for name in FITTED), -4.0])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    factors = {name: round(float(value), 3) for name, value in zip(FITTED, found, strict=False)}
    return Weights(factors=factors, base=round(float(found[-1]), 3))


def main() -> None:
    """Fit both sets to all that there is and write them."""
    from benchmarks.drift_outside import OUTSIDE, read_organisations

    outside = [choice for entry in read_organisations(OUTSIDE) for choice in choices_of(entry.problems)]
    sets = {"free": fit(outside), "named": fit([*outside, *generated()])}
    content = {name: {"base": entry.base, "factors": dict(entry.factors)} for name, entry in sets.items()}
    FILE.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    print(FILE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
