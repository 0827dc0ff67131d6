"""The master evaluation: one row per drift of every test set, for a subject and for the baselines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
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
from assay.core.display import counted, object_html
from assay.drift.answer.answer import DriftAnswer, DriftReply
from assay.drift.documents.document import Corpus
from assay.drift.documents.folder import Progress
from assay.drift.examine.evidence import Verdict
from assay.drift.examine.examination import judge
from assay.drift.metrics import ndcg, success_at_k
from assay.drift.metrics.ranking import mean_defined, scores_of
from assay.drift.problem.task import DriftTask, DriftTruth
from assay.drift.problem.testsets import LoadedSets, read_test_sets
from assay.drift.subjects import SUBJECTS
from assay.intake.table.options import TableOptions
from assay.stats import mean_interval

__all__ = [
    "BASELINES",
    "Evaluation",
    "Failure",
    "Replies",
    "Row",
    "assess",
    "demand_ks",
    "demand_own_names",
    "evaluate",
    "make_subject",
    "with_baselines",
]

_MOST_BROKEN = 5  # that are shown
BASELINES = ("date-only", "random-in-window", "random")

DriftProblem = Problem[DriftTask, DriftTruth]
DriftSubject = Subject[DriftTask, DriftAnswer]
Replies = Mapping[str, DriftReply | Exception]  # of one subject on one test set, by drift

_MISSING = SubjectFailed("missing answer", "no answer for this drift")


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
    """Scores of subjects and baselines, drift by drift.

    Attributes
    ----------
    ks : tuple of int
        The cut-offs of recall and success.
    rows : mapping of str to tuple of Row
        Rows by subject, the evaluated one first.
    broken : tuple of Failure
        Test sets that could not be read and are not scored.
    failed : tuple of Failure
        Drifts without an answer, which count zero.
    notes : tuple of str
        What was remarkable.

    Examples
    --------
    >>> Evaluation(ks=(1,), rows={}).metrics
    ('recall@1', 'mrr', 'success@1', 'ndcg')
    """

    ks: tuple[int, ...]
    rows: Mapping[str, tuple[Row, ...]]
    broken: tuple[Failure, ...] = ()  # test sets that could not be read and are not scored
    failed: tuple[Failure, ...] = ()  # drifts without an answer, which count zero
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        drifts = counted(len(next(iter(self.rows.values()), ())), "drift")
        score = f", mrr {self._plain_mean(self.subject, 'mrr'):.3f}" if self.rows else ""
        failed = f", {len(self.failed)} failed" if self.failed else ""
        broken = f", {counted(len(self.broken), 'test set')} not read" if self.broken else ""
        return f"Evaluation({', '.join(self.rows) or 'no subject'} on {drifts}{score}{failed}{broken})"

    def _repr_html_(self) -> str:
        columns = ("subject", *self.metrics)
        rows = [(name, *(self._plain_mean(name, metric) for metric in self.metrics)) for name in self.rows]
        facts = {f"not read: {failure.test_set}": failure.message for failure in self.broken[:_MOST_BROKEN]}
        return object_html(repr(self), facts, columns=columns, rows=rows, total=len(rows))

    def _plain_mean(self, subject: str, metric: str) -> float:
        return mean_defined([row.scores[metric] for row in self.rows[subject]])

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
        return mean_interval([row.scores[metric] for row in rows])


def _group(row: Row, name: str) -> str:
    if name == "type":
        return row.verdict.type
    if name == "test_set":
        return row.test_set
    raise UnknownName("group", name, ("type", "test_set"))


def evaluate(
    logs: str | Path | Mapping[str, Path],
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
    """Score subjects or precomputed rankings on test sets, against the baselines, in this process.

    A test set that cannot be read is listed as broken and the others go on. A drift for which a subject fails, or has
    no reply, counts zero. ``assay drift evaluate`` calls the subjects through the harness instead.

    Parameters
    ----------
    logs : str, Path, or mapping of str to Path
        A folder of test sets, or the folders by name.
    documents : Corpus, optional
        The documents, for test sets that have none of their own.
    ks : sequence of int, default (1, 2, 5)
        The cut-offs of recall and success.
    subjects : sequence of str, default ("explainer",)
        Built-in subjects with parameters, as in ``bm25(changes=False)``.
    runs : mapping of str to DriftAnswer, optional
        Precomputed rankings by name, with the drifts' ids; they are listed before the subjects.
    glossary : mapping of str to str, optional
        Definitions by term.
    timezone : str, optional
        What times without a zone mean; UTC by default.
    matching : {"exact", "last-number"}, default "exact"
        How cases of drifts are found, see ``read_detections``.
    seed : int, default 0
        Seed of the subjects.
    progress : callable, optional
        Called with the number of cells done, their total and what is next.

    Returns
    -------
    Evaluation
        Rows by subject, the evaluated one first.

    Raises
    ------
    InvalidInput
        A k is no whole number of at least 1, or a subject's parameters do not fit.
    UnknownName
        No such subject.

    Examples
    --------
    >>> import tempfile
    >>> from assay.drift import generate
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     generate(folder, problems=1, seed=1, cases=120)
    ...     evaluation = evaluate(folder, ks=[1])
    >>> evaluation
    Evaluation(explainer, date-only, random-in-window, random on 4 drifts, mrr 0.611)
    """
    chosen = demand_ks(ks)
    solvers: dict[str, DriftSubject | DriftAnswer] = {**(runs or {})}
    chosen_subjects = {subject.name: subject for subject in map(make_subject, with_baselines(subjects))}
    demand_own_names(solvers, chosen_subjects)
    solvers |= chosen_subjects
    material = read_test_sets(
        Path(logs) if isinstance(logs, str) else logs,
        corpus=documents,
        glossary=glossary,
        options=TableOptions(timezone=timezone),
        matching=matching,
    )
    cells = [(name, label) for name in material.sets for label in solvers]
    replies: dict[tuple[str, str], Replies] = {}
    for number, (name, label) in enumerate(cells):
        if progress is not None:
            progress(number, len(cells), f"{name}: {label}")
        solver, task = solvers[label], material.sets[name].problem.task
        replies[name, label] = (
            solver.replies if isinstance(solver, DriftAnswer) else _solve(solver, task, Budget(seed=seed))
        )
    if progress is not None:
        progress(len(cells), len(cells), "done")
    return assess(material, replies, ks=chosen)


def demand_ks(ks: Sequence[int]) -> tuple[int, ...]:
    """The ks of a report, rising; at least one, and each a whole number of at least 1."""
    chosen = tuple(sorted({as_whole(k, "k", least=1) for k in ks}))
    if not chosen:
        raise InvalidInput("evaluate: give at least one k.")
    return chosen


def with_baselines(subjects: Sequence[str]) -> tuple[str, ...]:
    """The subjects to evaluate, then the baselines that are not among them."""
    return (*subjects, *(name for name in BASELINES if name not in subjects))


def demand_own_names(rankings: Iterable[str], subjects: Iterable[str]) -> None:
    """Rows are kept by name: no ranking may be named as another one or as a subject."""
    for name, number in Counter([*rankings, *subjects]).items():
        if number > 1:
            raise InvalidInput(
                f"evaluate: {number} rankings or subjects are named {name!r}. Rename the file of the ranking."
            )


def make_subject(text: str) -> DriftSubject:
    """A built-in subject from its name with parameters, as ``random-in-window(before=7, after=1)``."""
    call = parse_call(text)
    if call.name not in SUBJECTS:
        raise UnknownName("subject", call.name, SUBJECTS)
    try:
        subject: DriftSubject = SUBJECTS[call.name](**call.parameters)
    except TypeError as error:
        raise InvalidInput(f"subject {text!r}: {error}.") from None
    return subject


def assess(material: LoadedSets, replies: Mapping[tuple[str, str], Replies], *, ks: tuple[int, ...]) -> Evaluation:
    """Rows from the replies of each test set and subject; the first subject is the evaluated one."""
    rows: dict[str, list[Row]] = {}
    failed: list[Failure] = []
    for (test_set, subject), by_drift in replies.items():
        problem = material.sets[test_set].problem
        for place, drift in enumerate(problem.task.drifts):
            verdict, error = _verdict(problem, place, by_drift.get(drift.id, _MISSING))
            if error is not None:
                failed.append(Failure(test_set, drift.id, subject, error))
            rows.setdefault(subject, []).append(_row(test_set, verdict, ks, error))
    corpora = {id(loaded.problem.task.corpus): loaded.problem.task.corpus for loaded in material.sets.values()}
    notes = [note for loaded in material.sets.values() for note in loaded.notes]
    notes += [f"not read: {trouble.message}" for corpus in corpora.values() for trouble in corpus.troubles]
    return Evaluation(
        ks=ks,
        rows={subject: tuple(entries) for subject, entries in rows.items()},
        broken=tuple(Failure(name, "", "", message) for name, message in material.broken.items()),
        failed=tuple(failed),
        notes=tuple(notes),
    )


def _verdict(problem: DriftProblem, place: int, reply: DriftReply | Exception) -> tuple[Verdict, str | None]:
    """The verdict on one drift, and why it has no answer; a reply that fails must not take the others with it."""
    error: Exception | None = None
    replies = {}
    if isinstance(reply, DriftReply):
        replies[problem.task.drifts[place].id] = reply
    else:
        error = reply
    try:
        verdicts = judge(problem, DriftAnswer(replies=replies))
    except SubjectFailed as failure:
        error, verdicts = failure, judge(problem, DriftAnswer())
    return verdicts[place], None if error is None else f"{type(error).__name__}: {error}"


def _solve(subject: DriftSubject, task: DriftTask, budget: Budget) -> Replies:
    """All drifts at once or, when that fails, each drift alone."""
    try:
        return subject.solve(task, budget).replies
    except Exception as error:  # noqa: BLE001 - whatever a subject raises, the others go on
        if len(task.drifts) == 1:
            return {task.drifts[0].id: error}
    alone = (_solve(subject, replace(task, drifts=(drift,)), budget) for drift in task.drifts)
    return {drift: reply for replies in alone for drift, reply in replies.items()}


def _row(test_set: str, verdict: Verdict, ks: Sequence[int], error: str | None) -> Row:
    ranking, golden, document_scores = verdict.ranking, verdict.golden, verdict.scores
    scores = scores_of(ranking, golden, ks=ks, scores=document_scores)
    scores |= {f"success@{k}": success_at_k(ranking, golden, k=k, scores=document_scores) for k in ks}
    scores["ndcg"] = ndcg(ranking, golden, scores=document_scores)
    return Row(test_set=test_set, verdict=verdict, scores=scores, error=error)
