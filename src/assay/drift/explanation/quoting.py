"""The passage that speaks most clearly of a drift, word for word, with the place where it stands."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from assay.drift.documents.cues import announcement, denies
from assay.drift.documents.document import Document, is_header
from assay.drift.documents.text_index import TextIndex
from assay.drift.explanation.day_signals import fit_days
from assay.drift.explanation.query import Query

__all__ = ["Passage", "best_passage"]

_ACT = 1.5  # what counts that a sentence announces or denies
_LONGEST = 420  # characters: what a reader takes in at a glance


class Passage(NamedTuple):
    """``document.text[start:end]`` is ``quote``, on this page."""

    quote: str
    start: int
    end: int
    page: int


def best_passage(index: TextIndex, at: int, query: Query) -> Passage:
    """The sentence, or pair of neighbours, of a document that best fits the query.

    Counted are the words of the process and of what changed, by rarity; a day near the drift; and words that announce
    something. A denial counts as well: anyone who reads the quote must not miss that a plan was withdrawn.
    """
    document = index.corpus.documents[at]
    spans = index.sentences[at]
    if not spans:
        return _cut(document, 0, len(document.text))
    dates = sorted((mention.start, mention.day) for mention in document.dates if mention.kind != "issued")
    plain = [_plain_worth(index, document, query, dates, *span) for span in spans]

    def worth(place: int) -> float:
        start, end, _ = spans[place]
        return plain[place] + _ACT * _act(document.text[start:end], document.language)

    # what a sentence does is looked at only where it can decide
    highest = max(plain)
    likely = [place for place, value in enumerate(plain) if value + _ACT >= highest]
    best = max(likely, key=lambda place: (worth(place), -place))
    start, end = spans[best][0], spans[best][1]
    neighbours = [place for place in (best - 1, best + 1) if 0 <= place < len(spans)]
    if neighbours:
        other = max(neighbours, key=worth)
        low, high = min(start, spans[other][0]), max(end, spans[other][1])
        if worth(other) > 0.5 * worth(best) and high - low <= _LONGEST:
            start, end = low, high
    return _cut(document, start, end)


def _plain_worth(
    index: TextIndex,
    document: Document,
    query: Query,
    dates: Sequence[tuple[int, date]],
    start: int,
    end: int,
    words: frozenset[str],
) -> float:
    """By the words of the process and of what changed, and a day near the drift."""
    if is_header(document.text[start:end]):
        return 0.05
    query_words = query.words(document.language)
    about = sum(index.rarity(word) for word in query_words.process if word in words)
    changed = sum(
        weight * index.rarity(word) for word, weight in query_words.change.items() if index.alike(word).keys() & words
    )
    first, last = (bisect_left(dates, place, key=lambda entry: entry[0]) for place in (start, end))
    near = max((fit_days((day - query.start).days) for _, day in dates[first:last]), default=0.0)
    return 0.3 + about + changed + 2.0 * near


def _act(text: str, language: str) -> float:
    if is_header(text):
        return 0.0
    return 1.0 if denies(text, language) else announcement(text, language) - 0.3


def _cut(document: Document, start: int, end: int) -> Passage:
    if end - start > _LONGEST:
        stop = document.text.rfind(" ", start + 1, start + _LONGEST)
        end = stop if stop > start else start + _LONGEST
    return Passage(document.text[start:end], start, end, document.page_of(start))
