"""Organisations with several processes, whose notices lie in one folder: who finds the cause, with the log and without?

All processes of one field of work are simulated, with two drifts each, and the documents of all of them are put
together. So every process is named by a few documents only, and most notices of the right day are those of other
processes: as in an organisation, and as in the public test sets. Three questions are asked of every drift: with its
event log, without it, and with a log that shows another change of the same process, as real logs may.

    python -m benchmarks.drift_mixed 27000 4        # first seed, organisations per grade
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import numpy as np

from assay.core import Budget, Problem
from assay.drift.detection.drift import Drift
from assay.drift.detection.profile import ChangeProfile
from assay.drift.documents.document import Corpus
from assay.drift.explanation.explainer import DriftExplainer
from assay.drift.generate.corpus import DIFFICULTIES, generate_corpus, stories_of
from assay.drift.generate.domains import DOMAINS
from assay.drift.generate.simulate import Simulated, simulate
from assay.drift.metrics import recall_at_k, reciprocal_rank
from assay.drift.problem.task import DriftTask, DriftTruth, profile_of
from assay.drift.subjects import SUBJECTS
from benchmarks.drift_streams import KINDS
from benchmarks.measure import Rows, counted, sized

SEED = 27_000
CASES, DRIFTS = 500, 2
NOISE = 0.05
FIRST_DAY = datetime(2019, 1, 7, 8, tzinfo=UTC)

DriftProblem = Problem[DriftTask, DriftTruth]


class Question(NamedTuple):
    """A drift, its golden documents, and what the log shows: its own change, nothing, or another one."""

    way: str
    drift: Drift
    golden: tuple[int, ...]
    profile: ChangeProfile | None


def organisation(seed: int, difficulty: str) -> list[DriftProblem]:
    """One problem per process; all share one corpus."""
    rng = np.random.default_rng(seed)
    domain = DOMAINS[int(rng.integers(len(DOMAINS)))]
    first = FIRST_DAY + timedelta(days=int(rng.integers(0, 700)))
    texts: dict[str, str] = {}
    parts: list[tuple[Simulated, list[list[str]], dict[str, str]]] = []
    for process in domain.processes:
        types = [KINDS[int(at)] for at in rng.choice(len(KINDS), size=DRIFTS, replace=False)]
        one, two = (int(value) for value in rng.integers(2**31, size=2))
        simulated = simulate(
            seed=one, name=process, domain=domain.name, cases=CASES, drifts=types, noise=NOISE, start=first
        )
        stories = stories_of(simulated.drifts)
        generated = generate_corpus(stories, activities=simulated.log.activities, difficulty=difficulty, seed=two)
        names = {name: _free(name, texts) for name in generated.texts}
        texts |= {names[name]: text for name, text in generated.texts.items()}
        golden = [[names[name] for name in generated.golden[planted.drift.id]] for planted in simulated.drifts]
        parts.append((simulated, golden, dict(generated.glossary)))
    corpus = Corpus.from_texts(dict(sorted(texts.items())))
    problems = []
    for simulated, golden, glossary in parts:
        name = f"{seed}-{simulated.log.name}"
        drifts = tuple(replace(one.drift, id=f"{name}-{place}") for place, one in enumerate(simulated.drifts, start=1))
        logs = {simulated.log.name: simulated.log}
        task = DriftTask(name=name, drifts=drifts, corpus=corpus, logs=logs, glossary=glossary)
        problems.append(Problem(id=name, digest=name, task=task, truth=DriftTruth.of(corpus, golden)))
    return problems


def _free(name: str, texts: dict[str, str]) -> str:
    stem, _, suffix = name.rpartition(".")
    number = 2
    while name in texts:
        name, number = f"{stem}_{number}.{suffix}", number + 1
    return name


def questions(problem: DriftProblem) -> Iterator[Question]:
    """The three questions on every drift."""
    profiles = [profile_of(problem.task, drift) for drift in problem.task.drifts]
    for place, (drift, golden) in enumerate(zip(problem.task.drifts, problem.truth.goldens, strict=True)):
        yield Question("with the log", drift, golden, profiles[place])
        yield Question("without", drift, golden, None)
        yield Question("another change", drift, golden, profiles[(place + 1) % len(profiles)])


def main(first: int = SEED, number: int | None = None) -> Rows:
    """Measure; prints a table."""
    organisations = number or sized(4, 1)
    for place, grade in enumerate(DIFFICULTIES):
        scores: dict[str, list[Sequence[float]]] = defaultdict(list)
        for seed in range(first + 100 * place, first + 100 * place + organisations):
            problems = organisation(seed, grade)
            explainer = DriftExplainer(problems[0].task.corpus, glossary=problems[0].task.glossary)
            for problem in problems:
                explainer.glossary = dict(problem.task.glossary)
                for one in questions(problem):
                    explanation = explainer.explain(one.drift, one.profile)
                    ranking = [scored.document for scored in explanation.ranking]
                    scores[one.way].append(_scores(problem, one.golden, ranking, None))
                for name in ("bm25-in-window", "date-only"):
                    replies = SUBJECTS[name]().solve(problem.task, Budget(seed=0)).replies
                    for drift, golden in zip(problem.task.drifts, problem.truth.goldens, strict=True):
                        reply = replies[drift.id]
                        scores[name].append(_scores(problem, golden, reply.ranking, reply.scores))
        for way, values in scores.items():
            means = np.nanmean(np.array(values), axis=0)
            print(
                f"  {grade:7} {way:15} Recall@1 {means[0]:.3f}  Recall@2 {means[1]:.3f}  MRR {means[2]:.3f}", flush=True
            )
            if way == "with the log":
                name = f"organisations with several processes, {grade}: Recall@1"
                yield counted(name, float(means[0]), "", better="more", tolerance=0.05)


def _scores(
    problem: DriftProblem, golden: Sequence[int], ranking: Sequence[str], scores: Sequence[float] | None
) -> tuple[float, ...]:
    names = {problem.task.corpus.names[at] for at in golden}
    return (
        recall_at_k(ranking, names, k=1, scores=scores),
        recall_at_k(ranking, names, k=2, scores=scores),
        reciprocal_rank(ranking, names, scores=scores),
    )


if __name__ == "__main__":
    print(*main(*(int(value) for value in sys.argv[1:])), sep="\n")
