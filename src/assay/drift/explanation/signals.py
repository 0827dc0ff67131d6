"""Signals of relevance: each looks at one thing, says how far it holds in [0, 1], and nan where it cannot tell."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from assay.core.arrays import FloatArray
from assay.drift.detection.drift import DriftType
from assay.drift.documents.cues import announcement, changes_in, denies, has_cue
from assay.drift.documents.dense import Embedder
from assay.drift.documents.document import Document, is_header
from assay.drift.documents.language import language_named
from assay.drift.documents.text_index import TextIndex
from assay.drift.documents.words import stems
from assay.drift.explanation.day_signals import (
    MENTIONED,
    course_signal,
    day_fit,
    day_signal,
    elsewhere_signal,
    is_late,
    late_signal,
    notice_signal,
    own_days,
)
from assay.drift.explanation.name_signals import Matcher, Matchers, phrase_signal
from assay.drift.explanation.query import Query

__all__ = ["SIGNALS", "compute_signals", "naming"]

# what speaks for a document, then what speaks against it
SIGNALS = (
    *("process", "words", "change", "title", "date", "day", "together", "sense", "announcement", "direction", "dense"),
    *("people", "rhythm", "course"),
    *("unnamed", "late", "elsewhere", "other", "denial", "off", "report", "training"),
)

_DATED = 0.35  # saying from when on is half an announcement
_HEAD = 3  # lines in which a text says what it is
_LINES = 8
_HEADING = 90  # characters
_SUBJECT = re.compile(r"\W*(?:subject|re|betreff|objet|asunto)\s*:", re.IGNORECASE)
_SHORT = 14  # sentences of a document that has one matter
_NAMES = 0.6  # a process signal from which on a document names the process
_NAMED = 0.15  # what naming the process adds to how far a sentence is about the matter
_OFF_THERE = 0.7  # a plan called off in the decisive passage; 1 where the head of the document says so
_ASIDE = 0.5  # what a denial counts where another passage tells of the matter

_TYPE_WORDS: Mapping[DriftType, str] = {
    "sudden": "immediate new",
    "gradual": "transition phased",
    "incremental": "stepwise stages",
    "recurring": "seasonal temporary",
}


def compute_signals(index: TextIndex, query: Query, *, embedder: Embedder | None = None) -> dict[str, FloatArray]:
    """Every signal over all documents of the corpus, in their order."""
    documents = index.corpus.documents
    signals = {name: np.full(len(documents), np.nan) for name in SIGNALS}
    matchers = {code: Matchers(index, query, code) for code in index.languages}
    for at, document in enumerate(documents):
        own_matchers = matchers[document.language]
        values = {
            "process": _process(index, at, own_matchers.words.names),
            "date": notice_signal(document, query.start),
            "late": late_signal(document.issued, query.start),
            "day": day_signal(document, query.start, query.end),
            "course": course_signal(document, query.start, query.end),
            "elsewhere": elsewhere_signal(document, query.start, query.end),
            "people": _people(index, at, own_matchers.words.people),
            "rhythm": _rhythm(document, query.weekdays),
            **_read(index, at, query, own_matchers),
        }
        for name, value in values.items():
            signals[name][at] = value
    signals["unnamed"] = 1.0 - np.nan_to_num(signals["process"], nan=1.0)
    process_words = [word for code in index.languages for word in query.words(code).process]
    signals["words"] = _relative(index.bm25([*dict.fromkeys(process_words), *stems(_TYPE_WORDS[query.type])]))
    if embedder is not None:
        signals["dense"] = _dense(index, query, embedder)
    return signals


def _people(index: TextIndex, at: int, people: Mapping[tuple[str, ...], float]) -> float:
    """How far a document names those who work in the process, by how rare their names are; nan where none is known."""
    if not people:
        return float("nan")
    words, rarest = index.sets[at], index.rarity("")
    shares = [
        worth * max(index.rarity(word) for word in name) / rarest
        for name, worth in people.items()
        if words.issuperset(name)
    ]
    return 1.0 - float(np.exp(-sum(shares)))


def _rhythm(document: Document, weekdays: frozenset[int]) -> float:
    """The share of the days on which work is now done that a text names, not as those of a date; nan without any."""
    if not weekdays:
        return float("nan")
    named = language_named(document.language).weekdays_in(document.text)
    return len(weekdays & named) / len(weekdays)


def naming(process: FloatArray) -> float:
    """How far a corpus is one whose documents name their process: 0 where under a quarter do, 1 where half do.

    Under a quarter says nothing: there may be several processes, each with its own notices.
    """
    share = float(np.mean(np.nan_to_num(process) >= _NAMES))
    return min(1.0, max(0.0, (share - 0.25) / 0.25))


def _process(index: TextIndex, at: int, names: Sequence[tuple[str, ...]]) -> float:
    fits = [fit for name in names if not np.isnan(fit := phrase_signal(index, at, name))]
    return max(fits, default=float("nan"))


class _Passage(NamedTuple):
    """A sentence with its neighbours in the same paragraph: how far it names what changed, and a fitting day."""

    place: int
    match: float
    day: float
    low: int
    high: int
    words: frozenset[str]


def _read(index: TextIndex, at: int, query: Query, own_matchers: Matchers) -> dict[str, float]:
    """What the passage that speaks most clearly of the matter says, and what the document is."""
    document = index.corpus.documents[at]
    code, spans = document.language, index.sentences[at]
    head = _heading(document)
    matcher = own_matchers.exact
    values = {
        "title": matcher(frozenset(index.titles[at])) if matcher.entries else float("nan"),
        "report": float(is_late(document.issued, query.start) and has_cue(head, "reports", code)),
        "training": float(has_cue(head, "trains", code)),
    }
    if not spans:
        return values
    days = sorted((one.start, day_fit(one, query.start, query.end)) for one in own_days(document))
    passages = [_passage(document, matcher, days, spans, place) for place in range(len(spans))]
    best = max(passages, key=lambda one: (one.match + one.day, -one.place))
    alone = max((matcher(words) for _, _, words in spans), default=0.0)
    text = document.text[best.low : best.high]
    dated = any(best.low <= one.start < best.high and one.kind == "effective" for one in document.dates)
    near = document.text if len(spans) <= _SHORT else text  # a short document has one matter
    strength = announcement(text, code)
    sense = other = float("nan")
    if matcher.entries:
        sense = max(min(own_matchers.loose(one.words), one.day) for one in passages)
        other = max(min(own_matchers.other(one.words), one.day) for one in passages)
    values |= {
        "change": max(alone, values["title"]) if matcher.entries else float("nan"),
        "together": max(min(one.match, one.day) for one in passages) if matcher.entries else float("nan"),
        "sense": sense,
        "other": max(0.0, other - sense),
        "announcement": strength if denies(text, code) else min(1.0, strength + (_DATED if dated else 0.0)),
        "denial": _denial(document, spans, passages, own_matchers.words.process),
        "off": 1.0 if has_cue(head, "off", code) else _OFF_THERE if has_cue(near, "off", code) else 0.0,
        "direction": _direction(index, at, query, text),
    }
    return values


def _heading(document: Document) -> str:
    """The title, and the subject or else the first short lines of a document."""
    lines = [line for line in document.text.splitlines() if line.strip()][:_LINES]
    subject = [line for line in lines if _SUBJECT.match(line)]
    return "\n".join([document.title, *(subject or [line for line in lines[:_HEAD] if len(line) <= _HEADING])])


def _passage(
    document: Document,
    matcher: Matcher,
    days: Sequence[tuple[int, float]],
    spans: Sequence[tuple[int, int, frozenset[str]]],
    place: int,
) -> _Passage:
    start, end, _ = spans[place]
    low = place - 1 if place and "\n\n" not in document.text[spans[place - 1][1] : start] else place
    high = place
    if place + 1 < len(spans) and "\n\n" not in document.text[end : spans[place + 1][0]]:
        high = place + 1
    around = set().union(*(spans[near][2] for near in range(low, high + 1)))
    first, last = spans[low][0], spans[high][1]
    if is_header(document.text[start:end]):
        return _Passage(place, 0.0, 0.0, first, last, frozenset())
    inside = slice(*(bisect_left(days, end, key=lambda entry: entry[0]) for end in (first, last)))
    fit = max((value for _, value in days[inside]), default=0.0)
    return _Passage(place, matcher(around), fit, first, last, frozenset(around))


def _denial(
    document: Document,
    spans: Sequence[tuple[int, int, frozenset[str]]],
    passages: Sequence[_Passage],
    process: Sequence[str],
) -> float:
    """How far a document says that the matter itself stays as it is.

    A sentence that denies counts by how far it, with its neighbours, speaks of the process or of what changed beside
    the sentence that does so most: "the check is done as before" denies much; "nothing else changes" concedes that
    something does. By half only where another passage speaks of the matter as much and of a fitting day, or where
    nothing in the document speaks of the matter.
    """
    name = frozenset(process)
    code = document.language

    def about(place: int) -> float:
        return passages[place].match + (_NAMED if name & spans[place][2] else 0.0)

    texts = [document.text[start:end] for start, end, _ in spans]
    denies_it = [has_cue(text, "denies", code) and not has_cue(text, "concedes", code) for text in texts]
    if not any(denies_it):
        return 0.0
    most = max(map(about, range(len(spans))))
    if most <= 0.0:
        return _ASIDE
    denied = max(about(place) for place, is_denial in enumerate(denies_it) if is_denial)
    rivals = [
        about(place) for place, is_denial in enumerate(denies_it) if not is_denial and passages[place].day >= MENTIONED
    ]
    return denied / most * (_ASIDE if max(rivals, default=0.0) >= denied else 1.0)


def _direction(index: TextIndex, at: int, query: Query, text: str) -> float:
    """How far a passage and its document have words for the direction of the change; nan where that is unknown."""
    if not query.directions:
        return float("nan")
    here = changes_in(text, query.directions, index.corpus.documents[at].language)
    shares = [
        max(weight * min(1.0, counts[entry] / 2.0) for entry, weight in query.directions.items())
        for counts in (here, index.changes(at, query.directions))
    ]
    return sum(shares) / 2.0


def _dense(index: TextIndex, query: Query, embedder: Embedder) -> FloatArray:
    """How near in meaning a document's best sentence comes to what changed, or to the process where that is unknown."""
    owners = np.repeat(np.arange(len(index.corpus)), [len(spans) for spans in index.sentences])
    nearest = np.zeros(len(index.corpus))
    if len(owners):
        targets = embedder.embed(query.texts)
        similarity = index.sentence_vectors(embedder) @ targets.T
        np.maximum.at(nearest, owners, similarity.mean(axis=1))
    return np.clip(nearest, 0.0, 1.0)


def _relative(scores: FloatArray) -> FloatArray:
    """Scores as shares of the best one."""
    top = float(scores.max(initial=0.0))
    return scores / top if top > 0.0 else scores
