"""`discover` beside other regressors: property scores on generated problems and recovery of public equations.

Development used seeds 1000 to 1099 and one half of the equations; what is measured here by default are held-out seeds
and the other half (docs/decisions/0028-discover.md). Options: ``--seconds``, ``--problems``, ``--seed``,
``--equations``, ``--noise``, ``--subjects``, ``--development``, ``--processor-time`` (on a busy machine: seconds of
budgets are those of the processor; PyOperon, which has a clock of its own, is bounded by its evaluations alone then).
Results are printed one by one, so that a run that is stopped early leaves what it measured; equations come in the order
of a hash of their names.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import os
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from assay.core import Budget, MissingExtra
from assay.formula import generate, load, parse
from assay.formula.equivalence.certificate import POSITIVE
from assay.formula.equivalence.check import equivalent
from assay.formula.examine.examination import examine
from assay.formula.expression.parser import rename
from assay.formula.expression.program import table_values
from assay.formula.metrics import METRICS
from assay.formula.subjects.adapter import Adapter
from assay.formula.subjects.builtin import SUBJECTS
from benchmarks.measure import Rows, Unmeasured, shown, sized

RIVALS = ("discover", "pyoperon", "gplearn", "polynomial")
HELD_OUT = 5000
_FUNCTIONS = {"sqrt", "sin", "cos", "exp", "log", "tanh", "pi", "cot", "tan"}
_ROWS = 300
_NO_LIMIT = 10_000.0  # seconds: evaluations end a fit
# where the publishers' ranges are not 1 to 5
_RANGES = {
    "III_9_52": "p_d,Ef,t,h=1:3",
    "II_11_27": "n,alpha=0:1 epsilon,Ef=1:2",
    "II_24_17": "omega=4:6 c=1:2 d=2:4",
    "II_36_38": "*=1:3",
    "II_6_15b": "*=1:3",
    "I_6_2a": "*=1:3",
    "I_50_26": "*=1:3",
    "I_10_7": "v=1:2 c=3:10",
    "I_34_1": "v=1:2 c=3:10",
    "I_48_2": "v=1:2 c=3:10",
    "I_15_3x": "x=5:10 u,t=1:2 c=3:20",
    "I_18_12": "theta=0:5",
    "I_39_11": "gamma=2:5",
    "I_43_43": "gamma=2:5",
    "I_9_18": "m1,m2,G,x2,y2,z2=1:2 x1,y1,z1=3:4",
    "test_1": "Z_1,Z_2,alpha,hbar,c=1:2 E_n,theta=1:3",
    "test_2": "m,k_G,L,E_n=1:3 theta1,theta2=0:6",
    "test_4": "m,U,L,r=1:3 E_n=8:12",
    "test_5": "*=1:3",
    "test_6": "*=1:3",
    "test_12": "y=1:3 d=4:6",
    "test_14": "theta=0:6",
    "test_15": "c=5:20 v=1:3 theta=0:6",
    "test_20": "beta=0:6",
}


def equations(*, held_out: bool) -> dict[str, str]:
    """The public equations by data set: one half, by a hash of the name."""
    path = Path(os.environ.get("ASSAY_BENCHMARKS", "")) / "formula" / "equivalence_pairs.csv"
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8") as lines:
        first: dict[str, str] = {}
        for row in csv.DictReader(lines):
            first.setdefault(row["dataset"], row["true_formula"])
    return {
        name: formula
        for name, formula in sorted(first.items(), key=lambda entry: hashlib.sha256(entry[0].encode()).digest()[1:])
        if not name.startswith("fastsrb") and hashlib.sha256(name.encode()).digest()[0] % 2 == held_out
    }


def on_processor_time() -> None:
    """Let budgets of this process be seconds of the processor."""
    from assay.formula.discovery import search, stages, state
    from assay.formula.subjects import adapter

    for module in (search, stages, state, adapter):
        module.time = SimpleNamespace(monotonic=time.process_time)  # type: ignore[attr-defined]


def box_of(name: str, formula: str) -> dict[str, tuple[float, float]]:
    """The range of every variable of an equation."""
    given: dict[str, tuple[float, float]] = {}
    for entry in _RANGES.get(name.removeprefix("feynman_"), "").split():
        names, _, bounds = entry.partition("=")
        low, _, high = bounds.partition(":")
        given |= dict.fromkeys(names.split(","), (float(low), float(high)))
    usual = given.get("*", (0.2, 3.0) if name.startswith("strogatz") else (1.0, 5.0))
    variables = sorted(set(re.findall(r"[A-Za-z_]\w*", formula)) - _FUNCTIONS)
    return {variable: given.get(variable, usual) for variable in variables}


def recovered(subject: Adapter, name: str, formula: str, *, noise: float, seconds: float) -> bool:
    """Whether the subject finds an equation from 300 rows, with noise as a share of the target's root mean square."""
    box = box_of(name, formula)
    names = list(box)
    truth = parse(formula, names=names, dialect="plain")
    rng = np.random.default_rng([7, int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")])
    rows = np.column_stack([rng.uniform(*bounds, size=_ROWS + 100) for bounds in box.values()])
    target = table_values(truth, names, rows)
    kept = np.flatnonzero(np.isfinite(target))[:_ROWS]
    rows, target = rows[kept], target[kept]
    target = target + noise * np.sqrt(np.mean(np.square(target))) * rng.standard_normal(len(target))
    found = subject.fit(rows, target, seconds=seconds, seed=0)[0]
    model = rename(found.expression, {f"x{place}": variable for place, variable in enumerate(names)})
    return equivalent(truth, model, domain=box).verdict in POSITIVE


def property_scores(subject: Any, folder: Path, *, seconds: float) -> dict[str, list[float]]:
    """The track's own property scores of every problem in a folder, by property."""
    score = next(metric.function for metric in METRICS if metric.name == "property_score")
    scores: dict[str, list[float]] = {}
    for path in sorted(folder.iterdir()):
        problem = load(path)
        began = time.process_time()
        answer = subject.solve(problem.task, Budget(seconds=seconds))
        took = time.process_time() - began
        evidence = examine(problem, answer, {"simplification": "canonical"})
        scores.setdefault(problem.truth.property, []).append(score(evidence))
        print(
            f"  {subject.title}: {path.name} ({problem.truth.property}) {score(evidence):.3f}, {took:.1f} s", flush=True
        )
    return scores


def paired_interval(first: Sequence[float], second: Sequence[float]) -> tuple[float, float, float]:
    """The mean difference with a 95 % interval over resampled problems."""
    difference = np.asarray(first) - np.asarray(second)
    rng = np.random.default_rng(0)
    means = difference[rng.integers(len(difference), size=(2000, len(difference)))].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(difference.mean()), float(low), float(high)


def measure(arguments: argparse.Namespace) -> Rows:
    """Print both tables."""
    seconds = dict.fromkeys(arguments.subjects, arguments.seconds)
    if arguments.processor_time:
        on_processor_time()
        seconds |= {name: _NO_LIMIT for name in seconds if name == "pyoperon"}
    subjects: dict[str, Any] = {}
    for name in arguments.subjects:
        try:
            subjects[name] = SUBJECTS[name]()
        except MissingExtra as reason:
            yield Unmeasured(name=name, reason=str(reason))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        if arguments.problems:
            generate(folder, problems=arguments.problems, seed=arguments.seed, difficulties=["medium", "hard"])
        by_subject: dict[str, list[float]] = {}
        for name, subject in subjects.items() if arguments.problems else ():
            scores = property_scores(subject, folder, seconds=seconds[name])
            by_subject[name] = [value for values in scores.values() for value in values]
            listed = ", ".join(f"{property} {np.mean(values):.3f}" for property, values in scores.items())
            mean = float(np.mean(by_subject[name])) if by_subject[name] else float("nan")
            print(f"{name}: property score {mean:.3f} ({listed})", flush=True)
            yield shown(f"{name}: property score", mean, "")
    for name in list(subjects)[1:]:
        if arguments.problems:
            value, low, high = paired_interval(by_subject[next(iter(subjects))], by_subject[name])
            print(f"{next(iter(subjects))} - {name}: {value:+.3f} [{low:+.3f}, {high:+.3f}]")
    chosen = dict(list(equations(held_out=not arguments.development).items())[: arguments.equations])
    found: dict[tuple[str, float], list[float]] = {}
    for data, formula in chosen.items():
        for noise in arguments.noise:
            for name, subject in subjects.items():
                began = time.process_time()
                hit = recovered(subject, data, formula, noise=noise, seconds=seconds[name])
                found.setdefault((name, noise), []).append(float(hit))
                took = time.process_time() - began
                print(f"  {name}: {data}, noise {noise:g}: {'found' if hit else 'missed'}, {took:.1f} s", flush=True)
    for (name, noise), hits in found.items():
        print(f"{name}: {sum(hits):.0f} of {len(hits)} equations recovered at noise {noise:g}", flush=True)
        yield shown(f"{name}: share of equations recovered at noise {noise:g}", float(np.mean(hits)), "")


def _arguments(given: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=sized(30.0, 5.0))
    parser.add_argument("--problems", type=int, default=sized(100, 10))
    parser.add_argument("--seed", type=int, default=HELD_OUT)
    parser.add_argument("--equations", type=int, default=sized(60, 6))
    parser.add_argument("--noise", type=float, nargs="*", default=[0.0, 0.01, 0.1])
    parser.add_argument("--subjects", nargs="*", default=list(RIVALS))
    parser.add_argument("--development", action="store_true", help="use the half that discover was developed on")
    parser.add_argument(
        "--processor-time", action="store_true", help="count seconds of the processor, not of the clock"
    )
    return parser.parse_args(given)


def main() -> Rows:
    yield from measure(_arguments([]))


if __name__ == "__main__":
    for _ in measure(_arguments(sys.argv[1:])):
        pass
