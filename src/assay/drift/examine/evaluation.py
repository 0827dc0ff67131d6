"""The master evaluation: every drift of every test set, one row each, for a subject and the baselines beside it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from assay.core import (
    Budget,
    Interval,
    InvalidInput,
    Problem,
    Subject,
    SubjectFailed,
    UnknownName,
    parse_call,
)
from assay.core.checks import as_whole
from assay.drift.answer.answer import DriftAnswer, DriftReply
from assay.drift.documents.document import Corpus
from assay.drift.examine.examination import Verdict, judge
from assay.drift.metrics import ndcg, recall_at_k, reciprocal_rank, success_at_k
from assay.drift.problem.task import DriftTask, DriftTruth
from assay.drift.problem.testsets import LoadedSet, find_test_sets, read_test_set
from assay.drift.subjects import SUBJECTS

__all__ = ["BASELINES", "Evaluation", "Failure", "Row", "evaluate", "interval", "share_interval"]

BASELINES = ("date-only", "random-in-window", "random")

Progress = Callable[[int, int, str], None]
DriftProblem = Problem[DriftTask, DriftTruth]
DriftSubject = Subject[DriftTask, DriftAnswer]

_Z = 1.959963984540054  # of a 95 % interval


class Failure(NamedTuple):
    """Something that went wrong: where, and the message. ``drift`` is empty when a whole test set is concerned."""

    test_set: str
    drift: str
    subject: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One drift under one subject: what was predicted, and every metric; metrics are nan where nothing is golden."""

    test_set: str
    verdict: Verdict
    scores: Mapping[str, float]
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """Rows by subject, the evaluated one first; what could not be read, and what was remarkable."""

    ks: tuple[int, ...]
    rows: Mapping[str, tuple[Row, ...]]
    broken: tuple[Failure, ...] = ()  # test sets that could not be read and are not scored
    failed: tuple[Failure, ...] = ()  # drifts without an answer, which count zero
    notes: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        """The evaluated subject."""
        return next(iter(self.rows))

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics, in the order of the report."""
        return (*(f"recall@{k}" for k in self.ks), "mrr", *(f"success@{k}" for k in self.ks), "ndcg")

    def mean(self, metric: str, *, subject: str | None = None, **group: str) -> Interval:
        """A metric over all drifts with a golden document, with its 95 % interval; ``type`` or ``test_set`` select."""
        if metric not in self.metrics:
            raise UnknownName("metric", metric, self.metrics)
        rows = self.rows[subject or self.subject]
        for name, value in group.items():
            rows = tuple(row for row in rows if _group(row, name) == value)
        return interval([row.scores[metric] for row in rows])


def _group(row: Row, name: str) -> str:
    if name == "type":
        return row.verdict.type
    if name == "test_set":
        return row.test_set
    raise UnknownName("group", name, ("type", "test_set"))


def interval(values: Sequence[float]) -> Interval:
    """The mean of what is defined with a 95 % interval: Wilson's for hits and misses, else a bootstrap."""
    defined = [value for value in values if not math.isnan(value)]
    if defined and all(value in (0.0, 1.0) for value in defined):
        return share_interval(int(sum(defined)), len(defined))
    from assay.stats import bootstrap_interval

    return bootstrap_interval(defined)


def share_interval(hits: int, count: int) -> Interval:
    r"""A share with Wilson's 95 % interval, which has a width even when all or none are hits.

    $$\frac{p + z^2 / 2n \pm z \sqrt{p (1 - p) / n + z^2 / 4n^2}}{1 + z^2 / n}$$

    >>> [round(bound, 2) for bound in share_interval(6, 8)]
    [0.75, 0.41, 0.93]
    """
    if not count:
        return Interval(math.nan, math.nan, math.nan)
    p, width = hits / count, _Z**2 / count
    centre = (p + width / 2) / (1 + width)
    reach = math.sqrt(p * (1 - p) * width + width**2 / 4) / (1 + width)
    return Interval(p, max(0.0, centre - reach), min(1.0, centre + reach))


def evaluate(
    logs: Path | Mapping[str, Path],
    *,
    documents: Corpus | None = None,
    ks: Sequence[int] = (1, 2, 5),
    subjects: Sequence[str] = ("explainer",),
    runs: Mapping[str, DriftAnswer] | None = None,
    glossary: Mapping[str, str] | None = None,
    timezone: str | None = None,
    matching: str = "exact",
    seed: int = 0,
    progress: Progress | None = None,
) -> Evaluation:
    """Evaluate subjects over all test sets at a path, with the baselines beside them.

    A test set that cannot be read is listed as broken and the others go on. A drift for which a subject fails, or says
    nothing, counts zero. ``runs`` are ready rankings by name, with the drifts' ids as queries; given without
    ``subjects=...`` they are evaluated in the explainer's stead.
    """
    chosen = tuple(sorted({as_whole(k, "k", least=1) for k in ks}))
    if not chosen:
        raise InvalidInput("evaluate: give at least one k.")
    makers = [*subjects, *(name for name in BASELINES if name not in subjects)]
    solvers: dict[str, DriftSubject | DriftAnswer] = {**(runs or {})}
    solvers |= {(made := _subject(text)).name: made for text in makers}
    folders = find_test_sets(Path(logs)) if not isinstance(logs, Mapping) else dict(logs)
    sets: dict[str, LoadedSet] = {}
    broken = []
    for name, folder in folders.items():
        try:
            sets[name] = read_test_set(
                folder, name=name, corpus=documents, glossary=glossary, timezone=timezone, matching=matching
            )
        except (InvalidInput, OSError) as error:
            broken.append(Failure(name, "", "", str(error)))
    if not sets:
        told = "; ".join(failure.message for failure in broken)
        raise InvalidInput(f"none of {len(folders)} test sets could be read: {told}")
    rows: dict[str, list[Row]] = {name: [] for name in solvers}
    failed: list[Failure] = []
    total, done = len(sets) * len(solvers), 0
    for name, test_set in sets.items():
        for label, solver in solvers.items():
            if progress is not None:
                progress(done, total, f"{name}: {label}")
            found, errors = _solve(solver, test_set.problem, Budget(seed=seed), name, label)
            failed.extend(errors)
            by_drift = {failure.drift: failure.message for failure in errors}
            for verdict in judge(test_set.problem, found):
                rows[label].append(_row(name, verdict, chosen, by_drift.get(verdict.drift)))
            done += 1
    if progress is not None:
        progress(total, total, "done")
    notes = [note for test_set in sets.values() for note in test_set.notes]
    corpora = {id(test_set.problem.task.corpus): test_set.problem.task.corpus for test_set in sets.values()}
    notes += [f"not read: {trouble.message}" for corpus in corpora.values() for trouble in corpus.troubles]
    return Evaluation(
        ks=chosen,
        rows={name: tuple(entries) for name, entries in rows.items()},
        broken=tuple(broken),
        failed=tuple(failed),
        notes=tuple(notes),
    )


def _subject(text: str) -> DriftSubject:
    call = parse_call(text)
    if call.name not in SUBJECTS:
        raise UnknownName("subject", call.name, SUBJECTS)
    try:
        made: DriftSubject = SUBJECTS[call.name](**call.parameters)
    except TypeError as error:
        raise InvalidInput(f"subject {text!r}: {error}.") from None
    return made


def _solve(
    solver: DriftSubject | DriftAnswer, problem: DriftProblem, budget: Budget, name: str, label: str
) -> tuple[DriftAnswer, list[Failure]]:
    """The answers to all drifts, checked one by one: one that fails must not take the others with it."""
    if isinstance(solver, DriftAnswer):
        found: dict[str, DriftReply | Exception] = dict(solver.replies)
    else:
        found = _replies(solver, problem.task, budget)
    kept, failures = {}, []
    for drift in problem.task.drifts:
        reply = found.get(drift.id, SubjectFailed("missing answer", "no answer for this drift"))
        if isinstance(reply, DriftReply):
            try:
                judge(problem, DriftAnswer(replies={drift.id: reply}))
                kept[drift.id] = reply
                continue
            except SubjectFailed as error:
                reply = error
        failures.append(Failure(name, drift.id, label, f"{type(reply).__name__}: {reply}"))
    return DriftAnswer(replies=kept), failures


def _replies(solver: DriftSubject, task: DriftTask, budget: Budget) -> dict[str, DriftReply | Exception]:
    """All drifts at once or, when that fails, each drift alone."""
    try:
        return dict(solver.solve(task, budget).replies)
    except Exception as error:  # noqa: BLE001 - whatever a subject raises, the others go on
        if len(task.drifts) == 1:
            return {task.drifts[0].id: error}
    found: dict[str, DriftReply | Exception] = {}
    for drift in task.drifts:
        found |= _replies(solver, replace(task, drifts=(drift,)), budget)
    return found


def _row(test_set: str, verdict: Verdict, ks: Sequence[int], error: str | None) -> Row:
    ranking, golden, given = verdict.ranking, verdict.golden, verdict.scores
    scores = {f"recall@{k}": recall_at_k(ranking, golden, k=k, scores=given) for k in ks}
    scores["mrr"] = reciprocal_rank(ranking, golden, scores=given)
    scores |= {f"success@{k}": success_at_k(ranking, golden, k=k, scores=given) for k in ks}
    scores["ndcg"] = ndcg(ranking, golden, scores=given)
    return Row(test_set=test_set, verdict=verdict, scores=scores, error=error)
