"""`discover` beside other regressors: property scores on generated problems, recovery of public equations and of laws.

Development used seeds 1000 to 1099 and one half of the equations; what is measured here by default are held-out seeds
and the other half (docs/decisions/0028-discover.md). Options: ``--seconds``, ``--problems``, ``--seed``,
``--equations``, ``--noise``, ``--laws`` (a file in the form of ``formula_discover_laws.toml``), ``--subjects``,
``--without`` (stages that `discover` leaves out), ``--csv`` (a row for every problem and subject, written as they come;
what the file has is not run again), ``--development``, ``--processor-time`` (on a busy machine: seconds of budgets are
those of the processor; PyOperon, which has a clock of its own, is bounded by its evaluations alone then).
Results are printed one by one, so that a run that is stopped early leaves what it measured; equations come in the order
of a hash of their names.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from assay.core import Budget, MissingExtra
from assay.core.arrays import FloatArray
from assay.formula import TRACK, generate, load, parse, to_text
from assay.formula.discovery.search import search
from assay.formula.discovery.stages.table import STAGES
from assay.formula.equivalence.certificate import POSITIVE
from assay.formula.equivalence.check import equivalent
from assay.formula.examine.examination import examine
from assay.formula.expression.parser import rename
from assay.formula.metrics import METRICS
from assay.formula.subjects.adapter import Adapter, Candidate
from assay.formula.subjects.discover import Discovery
from assay.harness.subject_ref import build_subject, resolve_subject
from benchmarks.formula_discover_data import HELD_OUT_EQUATIONS, Law, equations, laws_in
from benchmarks.measure import Rows, Unmeasured, shown, sized

RIVALS = ("discover", "pyoperon", "gplearn", "polynomial")
HELD_OUT = 5000
_NO_LIMIT = 10_000.0  # seconds: evaluations end a fit


class Result(NamedTuple):
    """One problem and one subject: a property score, or 1 where the law was found; seconds of the processor."""

    kind: str  # a property, or the difficulty of a law
    problem: str
    noise: float
    subject: str
    budget: float
    score: float
    seconds: float
    formula: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Without(Discovery):
    """`discover` without some of its stages."""

    left_out: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in self.left_out:
            if name not in STAGES:
                raise SystemExit(f"no stage {name}; there are {', '.join(STAGES)}")

    def fit(self, inputs: FloatArray, target: FloatArray, *, seconds: float, seed: int) -> list[Candidate]:
        stages = [name for name in STAGES if name not in self.left_out]
        result = search(inputs, target, seconds=min(seconds, self.seconds), seed=seed, stages=stages).models
        return [Candidate(one.expression, one.error) for one in result]


def on_processor_time() -> None:
    """Let budgets of this process be seconds of the processor."""
    from assay.formula.discovery import search, state
    from assay.formula.discovery.stages import operon
    from assay.formula.subjects import adapter

    for module in (search, operon, state, adapter):
        if hasattr(module, "time"):
            module.time = SimpleNamespace(monotonic=time.process_time)  # type: ignore[attr-defined]


def recovery(subject: Adapter, law: Law, *, seconds: float) -> tuple[bool, str]:
    """Whether the subject finds a law, and what it found."""
    inputs, target = law.table()
    names = [*law.ranges, *(f"distractor{number}" for number in range(law.distractors))]
    result = subject.fit(inputs, target, seconds=seconds, seed=0)[0]
    model = rename(result.expression, {f"x{place}": variable for place, variable in enumerate(names)})
    box = dict(zip(names, [*law.ranges.values(), *[(0.0, 1.0)] * law.distractors], strict=True))
    truth = parse(law.formula, names=names, dialect="plain")
    return equivalent(truth, model, domain=box).verdict in POSITIVE, to_text(model)


class Record:
    """The results so far, of a file too where one is given."""

    def __init__(self, path: Path | None) -> None:
        self.path, self.results = path, list[Result]()
        if path is not None and path.is_file():
            with path.open(encoding="utf-8", newline="") as lines:
                for row in csv.DictReader(lines):
                    numbers = (float(row[name]) for name in ("noise", "budget", "score", "seconds"))
                    noise, budget, score, seconds = numbers
                    self.results.append(
                        Result(
                            row["kind"], row["problem"], noise, row["subject"], budget, score, seconds, row["formula"]
                        )
                    )

    def has(self, problem: str, noise: float, subject: str, budget: float) -> bool:
        """Whether it was measured already."""
        cell = (problem, noise, subject, budget)
        return any((one.problem, one.noise, one.subject, one.budget) == cell for one in self.results)

    def add(self, result: Result) -> None:
        """Keep, print and write it."""
        self.results.append(result)
        print(
            f"  {result.subject}: {result.problem} ({result.kind}), noise {result.noise:g}: {result.score:.3f},"
            f" {result.seconds:.1f} s, {result.formula[:150]}",
            flush=True,
        )
        if self.path is not None:
            new = not self.path.is_file()
            with self.path.open("a", encoding="utf-8", newline="") as lines:
                writer = csv.writer(lines)
                writer.writerows([Result._fields, result] if new else [result])

    def summary(self) -> Iterator[tuple[str, float]]:
        """The mean score by subject and by kind, and of the first subject less each other with an interval."""
        subjects = list(dict.fromkeys(one.subject for one in self.results))
        for subject in subjects:
            groups: dict[str, list[float]] = {}
            for one in self.results:
                if one.subject == subject:
                    for group in ("all", one.kind, f"noise {one.noise:g}"):
                        groups.setdefault(group, []).append(one.score)
            for group, scores in groups.items():
                print(f"{subject}: {group} {np.mean(scores):.3f} of {len(scores)}", flush=True)
            yield f"{subject}: score", float(np.mean(groups["all"]))
        for subject in subjects[1:]:
            of_both = [
                {(one.problem, one.noise): one.score for one in self.results if one.subject == name}
                for name in (subjects[0], subject)
            ]
            both = [key for key in of_both[0] if key in of_both[1]]
            if both:
                value, low, high = paired_interval([of_both[0][key] for key in both], [of_both[1][key] for key in both])
                print(f"{subjects[0]} - {subject}: {value:+.3f} [{low:+.3f}, {high:+.3f}] of {len(both)}")


def paired_interval(first: Sequence[float], second: Sequence[float]) -> tuple[float, float, float]:
    """The mean difference with a 95 % interval over resampled problems."""
    difference = np.asarray(first) - np.asarray(second)
    rng = np.random.default_rng(0)
    means = difference[rng.integers(len(difference), size=(2000, len(difference)))].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(difference.mean()), float(low), float(high)


def measure(arguments: argparse.Namespace) -> Rows:
    """Run and print everything that was asked for."""
    seconds = dict.fromkeys(arguments.subjects, arguments.seconds)
    if arguments.processor_time:
        on_processor_time()
        seconds |= {name: _NO_LIMIT for name in seconds if name.startswith("pyoperon")}
    subjects: dict[str, Any] = {}
    for name in arguments.subjects:
        try:
            if name == "discover" and arguments.without:
                left_out = tuple(arguments.without)
                title = f"discover without {' '.join(left_out)}"
                subjects[title], seconds[title] = Without(left_out=left_out), seconds[name]
            else:
                subjects[name] = build_subject(resolve_subject(name, TRACK), TRACK)
        except MissingExtra as reason:
            yield Unmeasured(name=name, reason=str(reason))
    record = Record(arguments.csv)
    if arguments.problems:
        _run_problems(record, subjects, seconds, arguments)
    chosen = equations(held_out=not arguments.development, noises=arguments.noise)
    chosen = chosen[: arguments.equations * len(arguments.noise)]
    for path in arguments.laws:
        chosen += laws_in(path)
    for law in chosen:
        for name, subject in subjects.items():
            if not record.has(law.name, law.noise, name, seconds[name]):
                began = time.process_time()
                hit, formula = recovery(subject, law, seconds=seconds[name])
                took = time.process_time() - began
                kind = law.difficulty or "equation"
                record.add(Result(kind, law.name, law.noise, name, seconds[name], float(hit), took, formula))
    for title, value in record.summary():
        yield shown(title, value, "")


def _run_problems(
    record: Record, subjects: dict[str, Any], seconds: dict[str, float], arguments: argparse.Namespace
) -> None:
    """The track's own property scores of generated problems."""
    score = next(metric.function for metric in METRICS if metric.name == "property_score")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        generate(folder, problems=arguments.problems, seed=arguments.seed, difficulties=["medium", "hard"])
        for path in sorted(folder.iterdir()):
            problem = load(path)
            label = f"{arguments.seed}/{path.name}"
            for name, subject in subjects.items():
                if record.has(label, 0.0, name, seconds[name]):
                    continue
                began = time.process_time()
                answer = subject.solve(problem.task, Budget(seconds=seconds[name]))
                took = time.process_time() - began
                value = score(examine(problem, answer, {"simplification": "canonical"}))
                formula = answer.fronts[0][0].formula if answer.fronts and answer.fronts[0] else ""
                record.add(Result(problem.truth.property, label, 0.0, name, seconds[name], value, took, formula))


def _arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=sized(30.0, 5.0))
    parser.add_argument("--problems", type=int, default=sized(100, 10))
    parser.add_argument("--seed", type=int, default=HELD_OUT)
    parser.add_argument("--equations", type=int, default=sized(HELD_OUT_EQUATIONS, 6))
    parser.add_argument("--noise", type=float, nargs="*", default=[0.0, 0.01, 0.1])
    parser.add_argument("--laws", type=Path, nargs="*", default=[], help="files with laws of one's own")
    parser.add_argument("--subjects", nargs="*", default=list(RIVALS))
    parser.add_argument("--without", nargs="*", default=[], help="stages that discover leaves out")
    parser.add_argument("--csv", type=Path, help="a file that results are appended to; what it has is not run again")
    parser.add_argument("--development", action="store_true", help="use the half that discover was developed on")
    parser.add_argument(
        "--processor-time", action="store_true", help="count seconds of the processor, not of the clock"
    )
    return parser.parse_args(arguments)


def main() -> Rows:
    yield from measure(_arguments([]))


if __name__ == "__main__":
    for _ in measure(_arguments(sys.argv[1:])):
        pass
