"""The weights of the drift explainer, fitted: ``python -m benchmarks.drift_weights`` writes its data file anew.

Every drift is a choice between its documents and "none of them", and every document is read twice, as prose and as a
notice that names its process (``retrieve.fuse``). The weights of both readings are fitted together, by penalised
likelihood (``PENALTY`` times the sum of squares), each with the sign its signal must have. Drifts with several golden
documents count with the sum of their chances. Drifts of outside authors count in full, generated ones less: those of
one process, and those of organisations with several processes (``drift_mixed``), with their log, without it and with a
log that shows another change. Seeds are such that no measurement uses.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from assay.core import Problem
from assay.core.arrays import FloatArray
from assay.drift.detection.drift import Drift
from assay.drift.documents.text_index import TextIndex
from assay.drift.explanation.query import Changed, make_query
from assay.drift.explanation.retrieve import AGAINST, Weights, centred, prior_of_notice
from assay.drift.explanation.signals import SIGNALS, compute_signals
from assay.drift.generate.problems import draw_problem
from assay.drift.problem.task import DriftTask, DriftTruth, profile_of
from benchmarks.drift_mixed import organisation, questions

FILE = Path(__file__).parents[1] / "src" / "assay" / "drift" / "explanation" / "weights.json"
PENALTY = 0.1
SEED, MIXED_SEED = 31, 17_000
GENERATED = (("medium", 8), ("hard", 14))
MIXED = ("easy", "medium", "hard")
ORGANISATIONS = 4  # of each grade
WORTH_GENERATED, WORTH_MIXED = 0.6, 0.07  # of a drift of an outside author
LEAST = {"process": 0.8}  # the fit would drop it; that a document names the process is weak evidence all the same
FITTED = [name for name in SIGNALS if name != "dense"]
READINGS = ("named", "free")


class Choice(NamedTuple):
    """The documents of one drift as rows of signals, which of them are golden, and what it counts.

    ``prior`` is that of a notice.
    """

    signals: FloatArray
    golden: tuple[int, ...]
    prior: float
    worth: float = 1.0


def choices_of(problems: Sequence[Problem[DriftTask, DriftTruth]]) -> Iterator[Choice]:
    """The choice that each drift poses."""
    for problem in problems:
        index = TextIndex(problem.task.corpus)
        for drift, golden in zip(problem.task.drifts, problem.truth.goldens, strict=True):
            yield _choice(index, problem.task, drift, golden, profile_of(problem.task, drift))


def _choice(
    index: TextIndex, task: DriftTask, drift: Drift, golden: tuple[int, ...], profile: Changed | None
) -> Choice:
    signals = compute_signals(index, make_query(drift, profile=profile, glossary=task.glossary))
    deviations = centred(signals)
    return Choice(np.stack([deviations[name] for name in FITTED], axis=1), golden, prior_of_notice(signals))


def generated() -> Iterator[Choice]:
    """Choices of generated drifts, development seeds."""
    for grade, count in GENERATED:
        for number in range(count):
            noise = 0.1 if number % 2 else 0.0
            problem = draw_problem(f"{grade}-{number}", seed=[SEED, number], difficulty=grade, noise=noise)
            for choice in choices_of([problem]):
                yield choice._replace(worth=WORTH_GENERATED)
    for place, grade in enumerate(MIXED):
        for seed in range(MIXED_SEED + 100 * place, MIXED_SEED + 100 * place + ORGANISATIONS):
            problems = organisation(seed, grade)
            index = TextIndex(problems[0].task.corpus)
            for problem in problems:
                for one in questions(problem):
                    choice = _choice(index, problem.task, one.drift, one.golden, one.profile)
                    yield choice._replace(worth=WORTH_MIXED)


def fit(choices: Sequence[Choice], *, penalty: float = PENALTY) -> dict[str, Weights]:
    """The weights under which the golden documents, or none where there is none, are likeliest."""
    width = len(FITTED)

    def loss(values: FloatArray) -> tuple[float, FloatArray]:
        weights = values.reshape(2, width + 1)  # of notices and of prose, the base last
        total, slope = penalty * float((weights[:, :-1] ** 2).sum()), 2.0 * penalty * weights
        slope[:, -1] = 0.0
        for choice in choices:
            notice, prose = (choice.signals @ one[:-1] + one[-1] for one in weights)
            with np.errstate(divide="ignore"):
                notice, prose = np.log(choice.prior) + notice, np.log(1.0 - choice.prior) + prose
            both = np.logaddexp(notice, prose)
            scores = np.append(both, 0.0)
            chances = np.exp(scores - scores.max())
            chances /= chances.sum()
            chosen = list(choice.golden) or [-1]
            share = max(1e-12, float(chances[chosen].sum()))
            target = np.zeros_like(chances)
            target[chosen] = chances[chosen] / share
            total -= choice.worth * float(np.log(share))
            gap = choice.worth * (chances - target)[:-1]
            for row, part in zip(slope, (notice, prose), strict=True):
                own = gap * np.exp(part - both)
                row += np.append(choice.signals.T @ own, own.sum())
        return total, slope.ravel()

    # the chance of a notice decides how far a document that does not name the process is prose, not its weight there
    bounds = [
        (0.0, 0.0) if (reading, name) == ("free", "unnamed") else _bounds(name)
        for reading in READINGS
        for name in [*FITTED, "base"]
    ]
    begin = {"named": {"unnamed": -2.0, "sense": 2.0, "base": -3.0}, "free": {"base": -4.0}}
    start = [begin[reading].get(name, LEAST.get(name, 0.0)) for reading in READINGS for name in [*FITTED, "base"]]
    optimum = minimize(loss, np.array(start), jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 500}).x
    return {reading: _weights(values) for reading, values in zip(READINGS, optimum.reshape(2, width + 1), strict=True)}


def _bounds(name: str) -> tuple[float | None, float | None]:
    return (None, None) if name == "base" else (None, 0.0) if name in AGAINST else (LEAST.get(name, 0.0), None)


def _weights(values: FloatArray) -> Weights:
    factors = {name: round(float(value), 3) for name, value in zip(FITTED, values, strict=False)}
    return Weights(factors=factors, base=round(float(values[-1]), 3))


def write_weights(sets: Mapping[str, Weights]) -> None:
    """Write the data file of the explainer."""
    content = {name: {"base": sets[name].base, "factors": dict(sets[name].factors)} for name in sorted(sets)}
    FILE.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def main() -> None:
    """Fit both sets to all that there is and write them."""
    from benchmarks.drift_outside import OUTSIDE, read_organisations

    outside = [choice for entry in read_organisations(OUTSIDE) for choice in choices_of(entry.problems)]
    write_weights(fit([*outside, *generated()]))
    print(FILE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
