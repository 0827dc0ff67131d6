"""Who finds the cause on documents that nobody here wrote? Organisations of outside authors, by grade and language.

A folder holds organisations: ``documents/``, one folder per process with a detector's files and an event log, and
``truth.json`` with the language, the grade and the golden documents of each drift. Our explainer is scored by leaving
one author out: its weights and its calibration are fitted to the other authors' drifts and to generated ones, then
applied to that author's. ``--fixed`` scores the weights that are shipped, ``--json`` writes everything down:

    python -m benchmarks.drift_outside                      # tests/drift/outside, one author left out at a time
    python -m benchmarks.drift_outside --fixed FOLDER --json scores.json

Intervals are bootstrap intervals (percentile, 2,000 draws) that resample organisations, because the drifts of one
organisation share their author and their documents.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from assay.core import Budget, Problem, read_json
from assay.drift.answer.answer import DriftAnswer
from assay.drift.detection.drift import Drift
from assay.drift.documents.folder import read_corpus
from assay.drift.examine.evidence import Verdict
from assay.drift.examine.examination import judge
from assay.drift.logs.read import read_log_file
from assay.drift.metrics import reciprocal_rank
from assay.drift.problem.task import DriftTask, DriftTruth, find_log
from assay.drift.subjects import SUBJECTS
from assay.intake.table.options import TableOptions
from benchmarks.drift_explainers import scores_of

OUTSIDE = Path(__file__).parents[1] / "tests" / "drift" / "outside"
METRICS = ("recall@1", "recall@2", "mrr", "success@1")
DRAWS = 2000
BINS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)

DriftProblem = Problem[DriftTask, DriftTruth]


class DriftSubject(Protocol):
    """Anything that ranks documents."""

    def solve(self, task: DriftTask, budget: Budget, /) -> DriftAnswer:
        """An answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Organisation:
    """One organisation: its author, its language, its problems, and the grade of each drift by its id."""

    name: str
    author: str
    language: str
    problems: tuple[DriftProblem, ...]
    grades: Mapping[str, int | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A verdict with what the author said of the drift."""

    organisation: str
    author: str
    language: str
    grade: int | None
    verdict: Verdict


def read_organisations(root: Path) -> list[Organisation]:
    """Every folder at or below a path that holds a truth.json; its parent's name is the author's."""
    return [_organisation(path.parent, root) for path in sorted(root.rglob("truth.json"))]


def _organisation(folder: Path, root: Path) -> Organisation:
    truth: Any = read_json(folder / "truth.json")
    corpus = read_corpus(folder / "documents")
    problems: list[DriftProblem] = []
    grades: dict[str, int | None] = {}
    for name in dict.fromkeys(entry["process"] for entry in truth["drifts"]):
        entries = [entry for entry in truth["drifts"] if entry["process"] == name]
        prefix = f"{folder.relative_to(root).as_posix()}/{name}"
        process = Path(entries[0]["log"]).name.partition(".")[0]
        path = find_log(folder / name, process)
        drifts = tuple(_drift(entry, f"{prefix}/{place}", process) for place, entry in enumerate(entries, start=1))
        grades |= {drift.id: entry["grade"] for drift, entry in zip(drifts, entries, strict=True)}
        logs = {} if path is None else {process: read_log_file(path, options=TableOptions())}
        task = DriftTask(name=prefix, drifts=drifts, corpus=corpus, logs=logs)
        golden = [entry["golden_documents"] for entry in entries]
        goldens = DriftTruth.of(corpus, golden, what=f"{folder}/truth.json: golden documents")
        problems.append(Problem(id=prefix, digest=prefix, task=task, truth=goldens))
    author = folder.parent.name if folder.parent != root else root.name
    return Organisation(
        name=folder.relative_to(root).as_posix(),
        author=author,
        language=truth["language"],
        problems=tuple(problems),
        grades=grades,
    )


def _drift(entry: Mapping[str, Any], name: str, process: str) -> Drift:
    start, end = (datetime.fromisoformat(entry[key]).replace(tzinfo=UTC) for key in ("from_date", "to_date"))
    return Drift(
        id=name,
        process=process,
        type=entry["type"],
        start_case=entry["from_case"],
        end_case=entry["to_case"],
        start=start,
        end=max(start, end),
    )


def judged(organisations: Sequence[Organisation], subject_for: Callable[[Organisation], DriftSubject]) -> list[Judged]:
    """The verdicts on every drift, by the subject that is meant for its organisation."""
    judgements = []
    for organisation in organisations:
        subject = subject_for(organisation)
        for problem in organisation.problems:
            judgements += [
                Judged(
                    organisation=organisation.name,
                    author=organisation.author,
                    language=organisation.language,
                    grade=organisation.grades[verdict.drift],
                    verdict=verdict,
                )
                for verdict in judge(problem, subject.solve(problem.task, Budget(seed=0)))
            ]
    return judgements


def clustered(values: Sequence[float], clusters: Sequence[str], *, seed: int = 0) -> dict[str, float]:
    """The mean with a percentile interval over resampled clusters."""
    names = sorted(set(clusters))
    sums = np.array([math.fsum(v for v, c in zip(values, clusters, strict=True) if c == name) for name in names])
    sizes = np.array([clusters.count(name) for name in names], dtype=float)
    samples = np.random.default_rng(seed).integers(0, len(names), (DRAWS, len(names)))
    means = sums[samples].sum(axis=1) / sizes[samples].sum(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return {"value": float(np.mean(values)), "low": float(low), "high": float(high), "drifts": len(values)}


def summary(judgements: Sequence[Judged]) -> dict[str, Any]:
    """Ranking by group, abstention, and the reliability curve."""
    groups: dict[str, list[Judged]] = {
        "all": list(judgements),
        "grades 1 and 2": [one for one in judgements if one.grade in (1, 2)],
    }
    for one in judgements:
        groups.setdefault(f"grade {one.grade}", []).append(one)
        groups.setdefault(f"language {one.language}", []).append(one)
        groups.setdefault(f"author {one.author}", []).append(one)
    ranking = {}
    for name, members in sorted(groups.items()):
        caused = [one for one in members if one.verdict.golden]
        if caused:
            scores = [scores_of(one.verdict) for one in caused]
            places = [one.organisation for one in caused]
            ranking[name] = {metric: clustered([score[metric] for score in scores], places) for metric in METRICS}
    return {"ranking": ranking, "abstention": _abstention(judgements), "reliability": _reliability(judgements)}


def _abstention(judgements: Sequence[Judged]) -> dict[str, float]:
    abstained = sum(one.verdict.abstained for one in judgements)
    none = sum(one.verdict.causeless for one in judgements)
    right = sum(one.verdict.abstained and one.verdict.causeless for one in judgements)
    precision, recall = right / abstained if abstained else math.nan, right / none if none else math.nan
    joined = 2 * right / (abstained + none) if abstained + none else math.nan
    return {"precision": precision, "recall": recall, "f1": joined, "abstained": abstained, "causeless": none}


def _reliability(judgements: Sequence[Judged]) -> list[dict[str, float]]:
    """Stated confidence of the first document against how often it was golden, in bins; all drifts count."""
    stated = np.array([one.verdict.confidence for one in judgements], dtype=float)
    hits = np.array([0.0 if one.verdict.causeless else one.verdict.first_golden for one in judgements])
    rows = []
    for low, high in pairwise(BINS):
        inside = (stated >= low) & ((stated < high) | (high == 1.0))
        if inside.any():
            count, mean, share = int(inside.sum()), float(stated[inside].mean()), float(hits[inside].mean())
            rows.append({"from": low, "to": high, "drifts": count, "stated": mean, "observed": share})
    return rows


def summary_lines(name: str, result: Mapping[str, Any]) -> Iterator[str]:
    """A summary in lines."""
    yield f"{name}"
    for group, row in result["ranking"].items():
        cells = [f"{m} {row[m]['value']:.3f} [{row[m]['low']:.3f}, {row[m]['high']:.3f}]" for m in METRICS]
        yield f"  {group:16} n={row['mrr']['drifts']:3}  " + "  ".join(cells)
    words = result["abstention"]
    yield "  abstention " + ", ".join(f"{key} {value:.3f}" for key, value in words.items())
    for row in result["reliability"]:
        yield f"  stated {row['stated']:.2f} observed {row['observed']:.2f} ({row['drifts']} drifts)"


def main(arguments: Sequence[str] | None = None) -> None:
    """Score the baselines and our explainer."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=OUTSIDE)
    parser.add_argument("--fixed", action="store_true", help="the shipped weights, nothing is fitted")
    parser.add_argument("--subject", action="append", help="only these")
    parser.add_argument("--author", action="append", help="score only these; all are fitted to")
    parser.add_argument("--no-logs", action="store_true", help="score without event logs")
    parser.add_argument("--json", type=Path, help="write all figures and every drift's rank here")
    options = parser.parse_args(arguments)
    organisations = read_organisations(options.folder)
    scored = [entry for entry in organisations if entry.author in (options.author or [entry.author])]
    if options.no_logs:
        scored = [_without_logs(entry) for entry in scored]
    results = {}
    for name in options.subject or [*SUBJECTS]:
        try:
            subject_for = _subject_for(name, organisations, fixed=options.fixed)
            judgements = judged(scored, subject_for)
        except ImportError as error:
            print(f"{name}: not measured: {error}")
            continue
        results[name] = summary(judgements) | {"drifts": [_row(one) for one in judgements]}
        print("\n".join(summary_lines(name, results[name])), flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps(results, indent=1, sort_keys=True), encoding="utf-8")


def _without_logs(organisation: Organisation) -> Organisation:
    problems = [replace(problem, task=replace(problem.task, logs={})) for problem in organisation.problems]
    return replace(organisation, problems=tuple(problems))


def _row(one: Judged) -> dict[str, Any]:
    rank = reciprocal_rank(one.verdict.ranking, one.verdict.golden, scores=one.verdict.scores)
    return {
        "drift": one.verdict.drift,
        "grade": one.grade,
        "language": one.language,
        "reciprocal_rank": None if math.isnan(rank) else rank,
        "abstained": one.verdict.abstained,
        "confidence": None if math.isnan(one.verdict.confidence) else one.verdict.confidence,
        "first": next(iter(one.verdict.ranking), None),
    }


def _subject_for(
    name: str, organisations: Sequence[Organisation], *, fixed: bool
) -> Callable[[Organisation], DriftSubject]:
    """A subject for each organisation; our explainer with weights that its author's drifts had no part in."""
    subject = SUBJECTS[name]()
    if name != "explainer" or fixed:
        return lambda organisation: subject
    from benchmarks.drift_weights import choices_of, fit, generated

    choices = {entry.name: list(choices_of(entry.problems)) for entry in organisations}
    notices = list(generated())

    def without(author: str) -> dict[str, Any]:
        others = [one for entry in organisations if entry.author != author for one in choices[entry.name]]
        return fit([*others, *notices])

    fitted = {author: Fitted(without(author)) for author in {entry.author for entry in organisations}}
    return lambda organisation: fitted[organisation.author]


class Fitted:
    """Our explainer with weights of its own."""

    def __init__(self, weights: Mapping[str, Any]) -> None:
        self.weights = weights

    def solve(self, task: DriftTask, _: Budget, /) -> DriftAnswer:
        """The ranked causes of every drift."""
        from assay.drift.explanation.explainer import DriftExplainer
        from assay.drift.problem.task import profile_of
        from assay.drift.subjects import reply_of

        explainer = DriftExplainer(task.corpus, glossary=task.glossary, weights=self.weights)
        replies = {drift.id: reply_of(explainer.explain(drift, profile_of(task, drift))) for drift in task.drifts}
        return DriftAnswer(replies=replies)


if __name__ == "__main__":
    main()
