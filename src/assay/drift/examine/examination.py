"""An answer confronted with the golden documents; every quote is looked up in the document that it names."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from assay.core import InvalidInput, Json, Problem, Settings, SubjectFailed, UnknownName
from assay.drift.answer.answer import DriftAnswer, DriftReply, Quote
from assay.drift.examine.evidence import DriftEvidence, Verdict
from assay.drift.metrics import reciprocal_rank
from assay.drift.problem.names import NameBook
from assay.drift.problem.task import DriftTask, DriftTruth, profile_of

__all__ = ["describe", "examine", "judge", "oracle"]

_SHOWN = 5  # documents and changes of a drift that a report draws
_QUOTED = 400  # characters of a quote that a report shows
_ORACLE_QUOTE = 80


def examine(problem: Problem[DriftTask, DriftTruth], answer: DriftAnswer, settings: Settings) -> DriftEvidence:
    """Check the answer against the task and gather what the metrics need; nothing can be set yet."""
    return DriftEvidence(
        verdicts=judge(problem, answer),
        issued={document.name: document.issued for document in problem.task.corpus if document.issued is not None},
        changes=_changes(problem.task),
    )


def judge(problem: Problem[DriftTask, DriftTruth], answer: DriftAnswer) -> tuple[Verdict, ...]:
    """A verdict on every drift of the problem, with or without a reply."""
    task = problem.task
    ids = [drift.id for drift in task.drifts]
    for name in answer.replies:
        if name not in ids:
            raise SubjectFailed("malformed answer", str(UnknownName("drift", name, ids)))
    book = NameBook(task.corpus.names)
    verdicts = []
    for drift, golden in zip(task.drifts, problem.truth.names(task.corpus), strict=True):
        bare = Verdict(
            drift=drift.id,
            type=drift.type,
            process=drift.process,
            start=drift.start.date(),
            end=drift.end.date(),
            golden=golden,
        )
        reply = answer.replies.get(drift.id)
        verdicts.append(bare if reply is None else _judged(bare, reply, task, book))
    return tuple(verdicts)


def oracle(problem: Problem[DriftTask, DriftTruth]) -> DriftAnswer:
    """The truth as an answer: the golden documents first, each quoted, and none where there is none."""
    replies = {}
    for drift, golden in zip(problem.task.drifts, problem.truth.names(problem.task.corpus), strict=True):
        names = tuple(sorted(golden))
        texts = {name: problem.task.corpus[name].text[:_ORACLE_QUOTE] for name in names}
        replies[drift.id] = DriftReply(
            ranking=names,
            quotes=tuple(Quote(name, 0, len(text), text) for name, text in texts.items()),
            abstained=not names,
            confidence=1.0 if names else 0.0,
        )
    return DriftAnswer(replies=replies)


def describe(evidence: DriftEvidence) -> dict[str, Json]:
    """What a report can draw: per drift its days, its documents with theirs, the golden ranks, quotes and changes."""
    return {"drifts": [_described(verdict, evidence) for verdict in evidence.verdicts]}


def _described(verdict: Verdict, evidence: DriftEvidence) -> dict[str, Json]:
    rank = reciprocal_rank(verdict.ranking, verdict.golden, scores=verdict.scores)
    ranked = list(dict.fromkeys(verdict.ranking))
    shown = [*ranked[:_SHOWN], *sorted(verdict.golden - set(ranked[:_SHOWN]))]
    return {
        "drift": verdict.drift,
        "type": verdict.type,
        "process": verdict.process,
        "start": verdict.start.isoformat(),
        "end": verdict.end.isoformat(),
        "golden": sorted(verdict.golden),
        "documents": [
            {
                "name": name,
                "rank": ranked.index(name) + 1 if name in ranked else None,
                "issued": evidence.issued[name].isoformat() if name in evidence.issued else None,
                "golden": name in verdict.golden,
            }
            for name in shown
        ],
        "reciprocal_rank": None if math.isnan(rank) else rank,
        "first_golden": None if verdict.causeless else verdict.first_golden,
        "answered": verdict.answered,
        "abstained": verdict.abstained,
        "confidence": None if math.isnan(verdict.confidence) else verdict.confidence,
        "quotes": [
            {"document": quote.document, "text": quote.text[:_QUOTED], "verbatim": holds}
            for quote, holds in list(zip(verdict.quotes, verdict.verbatim, strict=True))[:_SHOWN]
        ],
        "changes": list(evidence.changes.get(verdict.drift, ())),
    }


def _judged(bare: Verdict, reply: DriftReply, task: DriftTask, book: NameBook) -> Verdict:
    try:
        ranking = book.resolve(reply.ranking, what=f"drift {bare.drift!r}")
        cited = book.resolve([quote.document for quote in reply.quotes], what=f"quotes of drift {bare.drift!r}")
    except InvalidInput as error:
        raise SubjectFailed("malformed answer", str(error)) from None
    quotes = tuple(quote._replace(document=name) for quote, name in zip(reply.quotes, cited, strict=True))
    return replace(
        bare,
        ranking=ranking,
        scores=reply.scores,
        quotes=quotes,
        verbatim=tuple(task.corpus[quote.document].holds(quote.text, quote.start, quote.end) for quote in quotes),
        abstained=reply.abstained,
        confidence=math.nan if reply.confidence is None else reply.confidence,
        answered=True,
    )


def _changes(task: DriftTask) -> dict[str, tuple[Mapping[str, Json], ...]]:
    """What changed for sure in every drift, the strongest first."""
    changes: dict[str, tuple[Mapping[str, Json], ...]] = {}
    for drift in task.drifts:
        profile = profile_of(task, drift)
        if profile is not None:
            changes[drift.id] = tuple(
                {"kind": row.kind, "name": row.name, "before": row.before, "after": row.after, "p_value": row.p_value}
                for row in profile.changed()[:_SHOWN]
            )
    return changes
