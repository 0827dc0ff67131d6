"""Signals of relevance: each looks at one thing, says how far it holds in [0, 1], and nan where it cannot tell."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

import numpy as np

from assay.core.arrays import FloatArray
from assay.drift.detection.drift import DriftType
from assay.drift.documents.cues import announcement, changes_in, denies, has_cue
from assay.drift.documents.dates import DateMention
from assay.drift.documents.dense import Embedder
from assay.drift.documents.document import Document, is_header
from assay.drift.documents.language import language_named
from assay.drift.documents.text_index import TextIndex
from assay.drift.documents.words import stems, synonyms
from assay.drift.explanation.query import Query

__all__ = [
    "SIGNALS",
    "compute_signals",
    "date_signal",
    "day_signal",
    "fit_days",
    "naming",
    "phrase_signal",
]

# what speaks for a document, then what speaks against it
SIGNALS = (
    *("process", "words", "change", "title", "date", "day", "together", "sense", "announcement", "direction", "dense"),
    *("people", "rhythm", "course"),
    *("unnamed", "late", "elsewhere", "other", "denial", "off", "report", "training"),
)

_BEFORE, _AFTER = 30, 3  # days: a document issued so long before or after the start fits fully
_FADE_BEFORE, _FADE_AFTER = 45.0, 5.0  # days in which the fit falls by a factor of e beyond that
_DAY_EXACT, _DAY_FADE = 4, 7.0
_MENTIONED = 0.7  # a day that is named, but not as the start of something, is a weaker sign
_VAGUE = 0.6  # so is a month
_AT_END = 0.6  # and a day that fits the end of the drift, not its start
_COURSE = 10  # days from which on a drift has an end apart from its start
_DATED = 0.35  # saying from when on is half an announcement
_SYNONYM = 0.8  # what another word for the same is worth
_SECOND = 0.7  # what a second entry in the same passage adds
_NEAR = 6  # words of a name stand together when they lie within so many stems
_HEAD = 3  # lines in which a text says what it is
_LINES = 8
_HEADING = 90  # characters
_SUBJECT = re.compile(r"\W*(?:subject|re|betreff|objet|asunto)\s*:", re.IGNORECASE)
_SHORT = 14  # sentences of a document that has one matter
_NAMES = 0.6  # a process signal from which on a document names the process
_NAMED = 0.15  # what naming the process adds to how far a sentence is about the matter
_OFF_THERE = 0.7  # a plan called off in the decisive passage; 1 where the head of the document says so
_ASIDE = 0.5  # what a denial counts where another passage tells of the matter
_LATE = 7.0  # days after the start beyond which a document rather reports than causes

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
    matchers = {code: _Matchers(index, query, code) for code in index.languages}
    for at, document in enumerate(documents):
        own_matchers = matchers[document.language]
        values = {
            "process": _process(index, at, own_matchers.words.names),
            "date": _notice(document, query.start),
            "late": _late(document.issued, query.start),
            "day": day_signal(document, query.start, query.end),
            "course": _course(document, query.start, query.end),
            "elsewhere": _elsewhere(document, query.start, query.end),
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


def date_signal(issued: date | None, start: date) -> float:
    """How well the day of issue fits: fully from a month before the start to three days after, fading beyond.

    >>> date_signal(date(2020, 3, 1), date(2020, 3, 10)), round(date_signal(date(2019, 11, 1), date(2020, 3, 10)), 3)
    (1.0, 0.108)
    """
    if issued is None:
        return float("nan")
    lead = (start - issued).days
    if lead > _BEFORE:
        return float(np.exp(-(lead - _BEFORE) / _FADE_BEFORE))
    return float(np.exp(-(-lead - _AFTER) / _FADE_AFTER)) if -lead > _AFTER else 1.0


def _notice(document: Document, start: date) -> float:
    """How well the day of issue fits; a document that names the day itself may come as early as it likes."""
    fit = date_signal(document.issued, start)
    named = [fit_days(_distance(mention, start)) for mention in _own_days(document)]
    return fit if np.isnan(fit) else max([fit, *named])


def _is_late(issued: date | None, start: date) -> bool:
    """Whether a document may have been issued after the start: before it nobody reports the effect."""
    return issued is None or issued > start


def _late(issued: date | None, start: date) -> float:
    """How far a document was issued after the fact: it can report a change, hardly cause it."""
    if issued is None:
        return float("nan")
    days = (issued - start).days
    return 0.0 if days <= _AFTER else float(1.0 - np.exp(-(days - _AFTER) / _LATE))


def day_signal(document: Document, start: date, end: date) -> float:
    """How well the days that a text names, other than that of its issue, fit the drift; nan when it names none.

    The last day of the old fits as well as the first of the new.
    """
    return max((_day_fit(mention, start, end, named=1.0) for mention in _own_days(document)), default=float("nan"))


def _course(document: Document, start: date, end: date) -> float:
    """How far a text names the first and the last day of a drift that has a course; nan for one that is sudden."""
    if (end - start).days < _COURSE:
        return float("nan")
    days = _own_days(document)
    return min(max((fit_days(_distance(mention, day)) for mention in days), default=0.0) for day in (start, end))


def _own_days(document: Document) -> list[DateMention]:
    return [
        mention
        for mention in document.dates
        if mention.kind != "issued" and not (mention.kind == "mentioned" and mention.day == document.issued)
    ]


def _day_fit(mention: DateMention, start: date, end: date, *, named: float = _MENTIONED) -> float:
    weight = 1.0 if mention.kind == "effective" else named
    if mention.until is not None and (mention.until - mention.day).days > 2 * _DAY_EXACT:
        weight *= _VAGUE
    at_start = fit_days(_distance(mention, start))
    at_end = _AT_END * fit_days(_distance(mention, end)) if end > start else 0.0
    return weight * max(at_start, at_end)


def _distance(mention: DateMention, day: date) -> int:
    """The days between a day and the one that is named, or the nearest of those that may be meant."""
    last = mention.until or mention.day
    return (mention.day - day).days if day < mention.day else (last - day).days if day > last else 0


def fit_days(days: int) -> float:
    """How well a day so many days from the drift fits: fully within four days, fading beyond."""
    return float(np.exp(-max(0, abs(days) - _DAY_EXACT) / _DAY_FADE))


def _elsewhere(document: Document, start: date, end: date) -> float:
    """How far a document has something begin on other days only."""
    begins = [mention for mention in _own_days(document) if mention.kind == "effective"]
    if not begins:
        return 0.0
    fits = [_day_fit(mention, start, end) for mention in _own_days(document)]
    return 1.0 - min(1.0, max(fits) / _MENTIONED)


def phrase_signal(index: TextIndex, at: int, name: tuple[str, ...]) -> float:
    """How far a document speaks of a name: the share of its words, by rarity; in full only if they stand together.

    The words of a name scattered over a document are worth six tenths, a part of them the square of its share. Words
    that no document of the corpus holds do not count; nan when that leaves none.
    """
    present = [word for word in name if index.alike(word)]
    if not present:
        return float("nan")  # the corpus has other words for it, whatever they are
    weights = np.array([index.rarity(word) for word in present])
    nearness = np.array([_nearness(index, word, index.sets[at]) for word in present])
    share = float((weights * nearness).sum() / weights.sum())
    if share < _COMPLETE:
        return 0.6 * share**2
    return 1.0 if _together(index, index.sequences[at], present) else 0.6


_COMPLETE = 0.69


def _nearness(index: TextIndex, word: str, words: frozenset[str]) -> float:
    if word in words:
        return 1.0
    return max((near for other, near in index.alike(word).items() if other in words), default=0.0)


def _together(index: TextIndex, sequence: Sequence[str], name: Sequence[str]) -> bool:
    if len(name) == 1:
        return True
    alternatives = [set(index.alike(word)) for word in name]
    every = set().union(*alternatives)
    for place, word in enumerate(sequence):
        if word in every:
            around = set(sequence[place : place + len(name) + _NEAR - 2])
            if all(entry & around for entry in alternatives):
                return True
    return False


class _Matcher:
    """How far a set of stems names what changed: the best two entries, by importance and rarity."""

    def __init__(
        self,
        index: TextIndex,
        names: Mapping[tuple[str, ...], float],
        process: Sequence[str],
        same: Mapping[str, frozenset[str]],
    ) -> None:
        self.entries: list[tuple[dict[str, tuple[int, float]], float]] = []
        self.known: set[str] = set()
        self._fits: dict[frozenset[str], float] = {}  # long documents say the same again and again
        for entry, importance in names.items():
            own = [word for word in entry if word not in process]
            rarities = [index.rarity(word) for word in own]
            table: dict[str, tuple[int, float]] = {}
            for place, (word, rarity) in enumerate(zip(own, rarities, strict=True)):
                for other, near in index.alike(word).items():
                    table.setdefault(other, (place, near * rarity))
                for other in same.get(word, ()):
                    table.setdefault(other, (place, _SYNONYM * rarity))
            if rarities:
                self.entries.append((table, importance / sum(rarities)))
                self.known |= table.keys()

    def __call__(self, words: frozenset[str] | set[str]) -> float:
        hits = frozenset(self.known & words)
        if hits not in self._fits:
            self._fits[hits] = self._fit(hits)
        return self._fits[hits]

    def _fit(self, hits: frozenset[str]) -> float:
        if not hits:
            return 0.0
        fits = []
        for table, scale in self.entries:
            best: dict[int, float] = {}
            for word in hits & table.keys():
                place, worth = table[word]
                best[place] = max(best.get(place, 0.0), worth)
            fits.append(sum(best.values()) * scale)
        fits.sort(reverse=True)
        return min(1.0, (fits[0] + _SECOND * (fits[1] if len(fits) > 1 else 0.0)) / (1.0 + _SECOND / 2.0))


class _Matchers:
    """What names what changed in one language: its own words, other words for them, and the words of other steps."""

    def __init__(self, index: TextIndex, query: Query, language: str) -> None:
        self.words = query.words(language)
        same = synonyms(language)
        self.exact = _Matcher(index, self.words.changed, self.words.process, {})
        self.loose = _Matcher(index, self.words.changed, self.words.process, same)
        self.other = _Matcher(index, self.words.unchanged, self.words.process, same)


class _Passage(NamedTuple):
    """A sentence with its neighbours in the same paragraph: how far it names what changed, and a fitting day."""

    place: int
    match: float
    day: float
    low: int
    high: int
    words: frozenset[str]


def _read(index: TextIndex, at: int, query: Query, own_matchers: _Matchers) -> dict[str, float]:
    """What the passage that speaks most clearly of the matter says, and what the document is."""
    document = index.corpus.documents[at]
    code, spans = document.language, index.sentences[at]
    head = _heading(document)
    matcher = own_matchers.exact
    values = {
        "title": matcher(frozenset(index.titles[at])) if matcher.entries else float("nan"),
        "report": float(_is_late(document.issued, query.start) and has_cue(head, "reports", code)),
        "training": float(has_cue(head, "trains", code)),
    }
    if not spans:
        return values
    days = sorted((one.start, _day_fit(one, query.start, query.end)) for one in _own_days(document))
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
    matcher: _Matcher,
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
        about(place) for place, is_denial in enumerate(denies_it) if not is_denial and passages[place].day >= _MENTIONED
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
