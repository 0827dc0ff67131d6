"""Who ranks the documents: our explainer, words alone, meaning alone, dates alone, and chance."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.util import find_spec
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from assay.core import Budget, Call, InvalidInput, MissingExtra, NamedSubject, Subject
from assay.drift.answer.answer import DriftAnswer, DriftReply, Quote
from assay.drift.detection.drift import Drift
from assay.drift.documents.sentence_model import PACKAGE
from assay.drift.problem.task import DriftTask, profile_of

if TYPE_CHECKING:
    from assay.drift.documents.document import Corpus, Document
    from assay.drift.explanation.explainer import DriftExplainer, Explanation
    from assay.drift.explanation.query import Query

__all__ = [
    "SUBJECTS",
    "Bm25",
    "Bm25InWindow",
    "DateOnly",
    "Dense",
    "Explainer",
    "NamedDates",
    "Random",
    "RandomInWindow",
    "reply_of",
]

_FADE_BEFORE, _FADE_AFTER = 30.0, 5.0  # days: causes come before a drift, seldom after it
_EMBEDDINGS = ("wordllama", PACKAGE)
_BEFORE, _AFTER = 14, 3  # days of the window around the start of a drift


@dataclass(frozen=True, slots=True, kw_only=True)
class Explainer(NamedSubject):
    """Our explainer: words, dates and what changed together, with quotes, confidence and abstention.

    ``dense`` adds an offline embedding. ``chat_url`` and ``chat_model`` let a language model behind an
    OpenAI-compatible endpoint re-rank the best candidates; its key is read from the variable ASSAY_CHAT_KEY.
    """

    title: ClassVar[str] = "explainer"
    dense: bool = False
    chat_url: str | None = None
    chat_model: str | None = None

    @property
    def libraries(self) -> tuple[str, ...]:
        """Those of words and, where asked for, of meaning: the best embedding is that of what is installed."""
        return ("bm25s", *_EMBEDDINGS) if self.dense else ("bm25s",)

    def __post_init__(self) -> None:
        if self.dense:
            _demand_one_of(_EMBEDDINGS)
        if (self.chat_url is None) != (self.chat_model is None):
            raise InvalidInput("explainer: a language model needs both chat_url and chat_model.")

    def explainer(
        self, corpus: Corpus, *, glossary: Mapping[str, str] | None = None, causes: int = 5
    ) -> DriftExplainer:
        """Our explainer of these documents, with the helpers that were asked for."""
        from assay.drift.explanation.explainer import DriftExplainer

        embedder, chat = None, None
        if self.dense:
            from assay.drift.documents.dense import best_embedder

            embedder = best_embedder()
        if self.chat_url is not None and self.chat_model is not None:
            from assay.chat import ChatClient

            chat = ChatClient(base_url=self.chat_url, model=self.chat_model)
        return DriftExplainer(corpus, glossary=glossary, causes=causes, embedder=embedder, chat=chat)

    def solve(self, task: DriftTask, _: Budget, /) -> DriftAnswer:
        """The ranked causes of every drift, with what they are quoted for."""
        explainer = self.explainer(task.corpus, glossary=task.glossary)
        return DriftAnswer(
            replies={drift.id: reply_of(explainer.explain(drift, profile_of(task, drift))) for drift in task.drifts}
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bm25(NamedSubject):
    """Words alone: BM25 of the process's name and, with ``changes``, of the activities that changed."""

    title: ClassVar[str] = "bm25"
    libraries: ClassVar[tuple[str, ...]] = ("bm25s",)
    changes: bool = True

    def solve(self, task: DriftTask, _: Budget, /) -> DriftAnswer:
        """The score of the best passage of each document."""
        from assay.drift.documents.text_index import TextIndex

        index = TextIndex(task.corpus)

        def score(drift: Drift) -> list[float]:
            words = _query(task, drift, self.changes).words()
            scores: list[float] = index.bm25([*words.process, *words.change]).tolist()
            return scores

        return _scored(task, score)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bm25InWindow(NamedSubject):
    """Words among the documents issued around the start of the drift; the others follow, by words as well."""

    title: ClassVar[str] = "bm25-in-window"
    libraries: ClassVar[tuple[str, ...]] = ("bm25s",)
    changes: bool = True

    def solve(self, task: DriftTask, budget: Budget, /) -> DriftAnswer:
        """BM25, with a bonus beyond every score for the window."""
        words = Bm25(changes=self.changes).solve(task, budget)

        def score(drift: Drift) -> list[float]:
            reply = words.replies[drift.id]
            scores = dict(zip(reply.ranking, reply.scores or (), strict=True))
            bonus = max(scores.values(), default=0.0) + 1.0
            return [
                scores[document.name] + bonus * _inside(document.issued, drift, _BEFORE, _AFTER)
                for document in task.corpus
            ]

        return _scored(task, score)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dense(NamedSubject):
    """Meaning alone: an offline embedding of the process's name and of what changed, against the best passage."""

    title: ClassVar[str] = "dense"
    libraries: ClassVar[tuple[str, ...]] = ("wordllama",)
    changes: bool = True

    def __post_init__(self) -> None:
        _demand_one_of(self.libraries)

    def solve(self, task: DriftTask, _: Budget, /) -> DriftAnswer:
        """The cosine similarity of the best passage of each document."""
        from assay.drift.documents.dense import word_vectors
        from assay.drift.documents.text_index import TextIndex

        index, model = TextIndex(task.corpus), word_vectors()
        titles = [document.title for document in task.corpus]
        owners = index.owners.tolist()
        passages = model.embed(
            [f"{titles[owner]}. {chunk.text}" for owner, chunk in zip(owners, index.chunks, strict=True)]
        )
        return _scored(
            task,
            lambda drift: index.best(passages @ model.embed([_query(task, drift, self.changes).text])[0]).tolist(),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DateOnly(NamedSubject):
    """Dates alone: the nearer the day of issue to the start of the drift the better, and rather before than after."""

    title: ClassVar[str] = "date-only"

    def solve(self, task: DriftTask, _: Budget, /) -> DriftAnswer:
        """A kernel of the days between issue and start; documents without a date come last."""
        return _scored(task, lambda drift: [_nearness(document.issued, drift.start.date()) for document in task.corpus])


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedDates(NamedSubject):
    """All dates, no words: the days that a text names, or where it names none the day of its issue."""

    title: ClassVar[str] = "named-dates"

    def solve(self, task: DriftTask, _: Budget, /) -> DriftAnswer:
        """How well the best named day fits the drift."""
        from assay.drift.explanation.day_signals import date_signal, day_signal

        def fit(document: Document, drift: Drift) -> float:
            named = day_signal(document, drift.start.date(), drift.end.date())
            issued = date_signal(document.issued, drift.start.date())
            return float(np.nan_to_num(issued if math.isnan(named) else named))

        return _scored(task, lambda drift: [fit(document, drift) for document in task.corpus])


@dataclass(frozen=True, slots=True, kw_only=True)
class Random(NamedSubject):
    """Chance: all documents are tied, so that every metric gives its expected value over random orders."""

    title: ClassVar[str] = "random"

    def solve(self, task: DriftTask, _: Budget, /) -> DriftAnswer:
        """One score for all documents."""
        return _scored(task, lambda drift: [0.0] * len(task.corpus))


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomInWindow(NamedSubject):
    """Chance among the documents issued around the start of the drift; the others are tied behind them."""

    title: ClassVar[str] = "random-in-window"
    before: int = _BEFORE
    after: int = _AFTER

    def __post_init__(self) -> None:
        for name in ("before", "after"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise InvalidInput(f"random-in-window: {name} must be a number of days of at least 0, got {value!r}.")

    @property
    def name(self) -> str:
        """With the window where it is not the default."""
        window = {"before": self.before, "after": self.after}
        return str(Call(self.title, {} if (self.before, self.after) == (_BEFORE, _AFTER) else window))

    def solve(self, task: DriftTask, _: Budget, /) -> DriftAnswer:
        """One score inside the window and one outside."""
        return _scored(
            task,
            lambda drift: [float(_inside(document.issued, drift, self.before, self.after)) for document in task.corpus],
        )


SUBJECTS: dict[str, Callable[..., Subject[DriftTask, DriftAnswer]]] = {
    subject.title: subject
    for subject in (Explainer, Bm25, Bm25InWindow, Dense, DateOnly, NamedDates, RandomInWindow, Random)
}


def reply_of(explanation: Explanation) -> DriftReply:
    """An explanation as an answer to one drift; scores that do not fall along the ranking decide nothing in it."""
    scores = tuple(float(scored.score) for scored in explanation.ranking)
    falling = all(before >= after for before, after in pairwise(scores))
    return DriftReply(
        ranking=tuple(scored.document for scored in explanation.ranking),
        scores=scores if falling else None,
        quotes=tuple(Quote(cause.document, cause.start, cause.end, cause.quote) for cause in explanation.causes),
        abstained=explanation.abstained,
        confidence=explanation.causes[0].confidence if explanation.causes else None,
    )


def _query(task: DriftTask, drift: Drift, changes: bool) -> Query:
    from assay.drift.explanation.query import make_query

    return make_query(drift, profile=profile_of(task, drift) if changes else None, glossary=task.glossary)


def _scored(task: DriftTask, score: Callable[[Drift], Sequence[float]]) -> DriftAnswer:
    replies = {}
    for drift in task.drifts:
        scores = np.asarray(score(drift), dtype=np.float64)
        order = np.argsort(-scores, kind="stable")
        replies[drift.id] = DriftReply(
            ranking=tuple(task.corpus.names[place] for place in order), scores=tuple(scores[order].tolist())
        )
    return DriftAnswer(replies=replies)


def _inside(issued: date | None, drift: Drift, before: int, after: int) -> bool:
    return issued is not None and -after <= (drift.start.date() - issued).days <= before


def _nearness(issued: date | None, start: date) -> float:
    if issued is None:
        return -1.0
    days = (start - issued).days
    return float(np.exp(-days / _FADE_BEFORE if days >= 0 else days / _FADE_AFTER))


def _demand_one_of(packages: Sequence[str]) -> None:
    if all(find_spec(name) is None for name in packages):
        raise MissingExtra("The dense model", "wordllama", "dense")
