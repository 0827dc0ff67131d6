"""Signals of relevance: each looks at one thing, says how well it fits the drift in [0, 1], and nan where it cannot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

import numpy as np

from assay.core.arrays import FloatArray
from assay.drift.detection.drift import Drift, DriftType
from assay.drift.detection.profile import ChangeProfile
from assay.drift.documents.cues import announcement, denies
from assay.drift.documents.dense import Embedder
from assay.drift.documents.document import Document, is_header
from assay.drift.documents.text_index import TextIndex
from assay.drift.documents.words import name_words, split_name, stems

__all__ = [
    "SIGNALS",
    "Changed",
    "Query",
    "compute_signals",
    "date_signal",
    "day_signal",
    "fit_days",
    "make_query",
    "phrase_signal",
]


SIGNALS = ("process", "words", "change", "date", "day", "announcement", "dense")

_BEFORE, _AFTER = 14, 3  # days: a document issued so long before or after the start fits fully
_FADE_BEFORE, _FADE_AFTER = 21.0, 5.0  # days in which the fit falls by a factor of e beyond that
_DAY_EXACT, _DAY_FADE = 4, 7.0
_MENTIONED = 0.7  # a day that is named, but not as the start of something, is a weaker sign
_AT_END = 0.6  # so is one that fits the end of the drift, not its start
_DATED = 0.35  # saying from when on is half an announcement
_SECOND = 0.7  # what a second entry in the same sentence adds
_NEAR = 6  # words of a name stand together when they lie within so many stems

# what names of logs have in common tells no process from another
_GENERIC = frozenset(stems("log logs event events process data xes csv bpi bpic challenge test train sample final v"))

_TYPE_WORDS: Mapping[DriftType, str] = {
    "sudden": "immediate new",
    "gradual": "transition phased",
    "incremental": "stepwise stages",
    "recurring": "seasonal temporary",
}


class Changed(Protocol):
    """What a change profile must tell: the names or words of what changed, the most important first."""

    def vocabulary(self) -> Sequence[str]:
        """The words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is looked for: a time, the stems of the process's name, and those of what changed, with their weights.

    ``names`` are all names of the process, ``changed`` the names of what changed, the most important first. ``text``
    is all of it in words, ``texts`` what changed, name by name.
    """

    start: date
    end: date
    process: tuple[str, ...]
    names: tuple[tuple[str, ...], ...]
    change: Mapping[str, float]
    changed: Mapping[tuple[str, ...], float]
    text: str
    texts: tuple[str, ...]
    type: DriftType


def make_query(drift: Drift, *, profile: Changed | None = None, glossary: Mapping[str, str] | None = None) -> Query:
    """The question that a drift poses to the documents.

    ``glossary`` maps terms to definitions: a term whose definition holds the words of the process's name is another
    name for it, and one that is part of the name brings the words of its definition along.
    """
    name = split_name(drift.process)
    words = name_words([drift.process])
    process = tuple([word for word in words if word not in _GENERIC and not word.isdigit()] or words)
    names = [process] if process else []
    extra: list[str] = []
    for term, definition in (glossary or {}).items():
        short, long = tuple(name_words([term])), name_words([definition])
        if short and process and set(process) <= set(long):
            names.append(tuple(stems(term)) or short)
        elif short and set(short) <= set(process):
            extra += [word for word in long if word not in process][:6]
    changed = [] if profile is None else list(profile.vocabulary())
    weights: dict[str, float] = {}
    entries: dict[tuple[str, ...], float] = {}
    for entry, importance in zip(changed, _importances(profile, changed), strict=True):
        parts = name_words([entry])
        if parts:
            entries.setdefault(tuple(parts), importance)
        for word in parts:
            weights.setdefault(word, importance)
    return Query(
        start=drift.start.date(),
        end=drift.end.date(),
        process=tuple(dict.fromkeys([*process, *extra])),
        names=tuple(dict.fromkeys(names)),
        change={word: weight for word, weight in weights.items() if word not in process},
        changed=entries,
        text=". ".join([name, *(split_name(entry) for entry in changed[:6])]),
        texts=tuple(split_name(entry).lower() for entry in changed[:4]) or (name.lower(),),
        type=drift.type,
    )


def compute_signals(index: TextIndex, query: Query, *, embedder: Embedder | None = None) -> dict[str, FloatArray]:
    """Every signal over all documents of the corpus, in their order."""
    documents = index.corpus.documents
    signals = {
        "process": _process(index, query),
        "words": _relative(index.bm25([*query.process, *stems(_TYPE_WORDS[query.type])])),
        "change": _change(index, query),
        "date": np.array([date_signal(document.issued, query.start) for document in documents]),
        "day": np.array([day_signal(document, query.start, query.end) for document in documents]),
        "announcement": np.array([_announces(index, query, at) for at in range(len(documents))]),
        "dense": np.full(len(documents), np.nan),
    }
    if embedder is not None:
        signals["dense"] = _dense(index, query, embedder)
    return signals


def _process(index: TextIndex, query: Query) -> FloatArray:
    if not query.names:
        return np.full(len(index.corpus), np.nan)
    places = range(len(index.corpus))
    fits = np.array([[phrase_signal(index, at, name) for name in query.names] for at in places])
    filled = np.where(np.isnan(fits), -1.0, fits).max(axis=1)
    return np.where(filled < 0.0, np.nan, filled)


def date_signal(issued: date | None, start: date) -> float:
    """How well the day of issue fits: fully from two weeks before the start to three days after, fading beyond.

    >>> date_signal(date(2020, 3, 1), date(2020, 3, 10)), round(date_signal(date(2020, 1, 1), date(2020, 3, 10)), 3)
    (1.0, 0.073)
    """
    if issued is None:
        return float("nan")
    lead = (start - issued).days
    if lead > _BEFORE:
        return float(np.exp(-(lead - _BEFORE) / _FADE_BEFORE))
    return float(np.exp(-(-lead - _AFTER) / _FADE_AFTER)) if -lead > _AFTER else 1.0


def day_signal(document: Document, start: date, end: date) -> float:
    """How well the days that a text names, other than that of its issue, fit the drift; nan when it names none."""
    fits = []
    for mention in document.dates:
        if mention.kind == "issued" or (mention.kind == "mentioned" and mention.day == document.issued):
            continue
        weight = 1.0 if mention.kind == "effective" else _MENTIONED
        at_start = fit_days((mention.day - start).days)
        at_end = _AT_END * fit_days((mention.day - end).days) if end > start else 0.0
        fits.append(weight * max(at_start, at_end))
    return max(fits, default=float("nan"))


def fit_days(days: int) -> float:
    """How well a day so many days from the drift fits: fully within four days, fading beyond."""
    return float(np.exp(-max(0, abs(days) - _DAY_EXACT) / _DAY_FADE))


def phrase_signal(index: TextIndex, at: int, name: Sequence[str]) -> float:
    """How far a document speaks of a name: the share of its words, by rarity; in full only if they stand together.

    The words of a name scattered over a document are worth six tenths, a part of them the square of its share. Words
    that no document of the corpus holds do not count; nan when that leaves none.
    """
    known = [word for word in name if word in index.document_counts]
    if not known:
        return float("nan")  # the corpus has other words for it, whatever they are
    weights = np.array([index.rarity(word) for word in known])
    held = np.array([word in index.sets[at] for word in known])
    share = float(weights[held].sum() / weights.sum())
    if share < 1.0:
        return 0.6 * share**2
    return 1.0 if _together(index.sequences[at], known) else 0.6


def _together(sequence: Sequence[str], name: Sequence[str]) -> bool:
    if len(name) == 1:
        return True
    wanted = set(name)
    for place, word in enumerate(sequence):
        if word in wanted and wanted <= set(sequence[place : place + len(name) + _NEAR - 2]):
            return True
    return False


def _importances(profile: Changed | None, names: Sequence[str]) -> list[float]:
    """How much each name of what changed counts: by its share of the strongest evidence, else by its place."""
    places = [1.0 / (1.0 + place) for place in range(len(names))]
    if not isinstance(profile, ChangeProfile):
        return places
    evidence = profile.evidence()
    known = [evidence.get(name, 0.0) for name in names]
    strongest = max(known, default=0.0)
    return [value / strongest for value in known] if strongest > 0.0 else places


def _change(index: TextIndex, query: Query) -> FloatArray:
    """How far a document speaks of what changed: the sentence with the best two named entries, by their importance.

    An entry counts by the share of its words, by rarity, that stand in the sentence. The words of the process's own
    name tell nothing of the change.
    """
    shares = []
    for entry, importance in query.changed.items():
        weights = {word: index.rarity(word) for word in entry if word not in query.process}
        if weights:
            shares.append((weights, importance / sum(weights.values())))
    if not shares:
        return np.full(len(index.corpus), np.nan)
    shares_of_documents = []
    for spans, title in zip(index.sentences, index.titles, strict=True):
        best = 0.0
        for words in [*(words for _, _, words in spans), frozenset(title)]:
            fits = [sum(rarity for word, rarity in entry.items() if word in words) * scale for entry, scale in shares]
            first, *rest = sorted(fits, reverse=True)
            best = max(best, first + _SECOND * (rest[0] if rest else 0.0))
        shares_of_documents.append(min(1.0, best / (1.0 + _SECOND / 2.0)))
    return np.array(shares_of_documents)


def _announces(index: TextIndex, query: Query, at: int) -> float:
    """How far a document announces a change where it speaks of the matter; a denial nearby outweighs that."""
    spans = index.sentences[at]
    if not spans:
        return float("nan")
    document = index.corpus.documents[at]
    wanted = {word: index.rarity(word) for word in (*query.process, *query.change)}
    worth = [
        0.0 if is_header(document.text[start:end]) else sum(wanted[word] for word in words if word in wanted)
        for start, end, words in spans
    ]
    best = max(range(len(spans)), key=lambda place: worth[place])
    low, high = spans[max(0, best - 1)][0], spans[min(len(spans) - 1, best + 2)][1]
    wide = document.text[spans[max(0, best - 4)][0] : spans[min(len(spans) - 1, best + 6)][1]]
    if denies(wide):
        return announcement(wide)
    dated = any(low <= mention.start < high and mention.kind == "effective" for mention in document.dates)
    return min(1.0, announcement(document.text[low:high]) + (_DATED if dated else 0.0))


def _dense(index: TextIndex, query: Query, embedder: Embedder) -> FloatArray:
    """How near in meaning a document's best sentence comes to what changed, or to the process where that is unknown."""
    owners = np.repeat(np.arange(len(index.corpus)), [len(spans) for spans in index.sentences])
    nearest = np.zeros(len(index.corpus))
    if len(owners):
        wanted = embedder.embed(query.texts)
        weights = 1.0 / (1.0 + np.arange(len(query.texts)) / 2.0)
        similarity = (index.sentence_vectors(embedder) @ wanted.T) * weights
        np.maximum.at(nearest, owners, similarity.max(axis=1))
    return np.clip(nearest, 0.0, 1.0)


def _relative(scores: FloatArray) -> FloatArray:
    """Scores as shares of the best one."""
    top = float(scores.max(initial=0.0))
    return scores / top if top > 0.0 else scores
