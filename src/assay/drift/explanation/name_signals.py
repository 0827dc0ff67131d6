"""How far texts name something: by its own words, other words for them, and how rare these are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from assay.drift.documents.text_index import TextIndex
from assay.drift.documents.words import synonyms
from assay.drift.explanation.query import Query

__all__ = ["Matcher", "Matchers", "phrase_signal"]

_SYNONYM = 0.8  # what another word for the same is worth
_SECOND = 0.7  # what a second entry in the same passage adds
_NEAR = 6  # words of a name stand together when they lie within so many stems
_COMPLETE = 0.69  # a share of a name's words from which on it may count in full


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


class Matcher:
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
        """How far these stems name it."""
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


class Matchers:
    """What names what changed in one language: its own words, other words for them, and the words of other steps."""

    def __init__(self, index: TextIndex, query: Query, language: str) -> None:
        self.words = query.words(language)
        same = synonyms(language)
        self.exact = Matcher(index, self.words.changed, self.words.process, {})
        self.loose = Matcher(index, self.words.changed, self.words.process, same)
        self.other = Matcher(index, self.words.unchanged, self.words.process, same)
