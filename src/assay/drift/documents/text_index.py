"""The words of a corpus prepared once for many questions: passages, how rare each word is, and BM25."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from assay.core import InvalidInput
from assay.core.arrays import FloatArray
from assay.drift.documents.cues import changes_in
from assay.drift.documents.dense import Embedder
from assay.drift.documents.document import Chunk, Corpus, sentences
from assay.drift.documents.language import language_named
from assay.drift.documents.words import stems

__all__ = ["TextIndex"]


_K1, _B = 1.2, 0.75
_LONG = 5  # letters: shorter stems are in too many others
_MORE = 4
_LONGER, _PART = 0.8, 0.7  # how near a longer form and a part of a compound are


class TextIndex:
    """What retrieval needs to know of a corpus's words; made once, asked for every drift.

    Passages hold about ``chunk_words`` words. A document's title counts as part of each of its passages, because short
    passages seldom repeat what the document is about.
    """

    def __init__(self, corpus: Corpus, *, chunk_words: int = 120) -> None:
        if not len(corpus):
            raise InvalidInput("the corpus has no documents: nothing can be ranked.")
        self.corpus = corpus
        self.chunks: list[Chunk] = []
        owners = []
        for number, document in enumerate(corpus):
            parts = document.chunks(words=chunk_words) or (Chunk(document.name, 0, len(document.text), document.text),)
            self.chunks += parts
            owners += [number] * len(parts)
        self.owners = np.array(owners, dtype=np.intp)
        codes = [document.language for document in corpus]
        self.titles = [stems(document.title, document.language) for document in corpus]
        self.chunk_stems = [
            self.titles[owner] + stems(chunk.text, codes[owner])
            for owner, chunk in zip(owners, self.chunks, strict=True)
        ]
        self.sequences = [self.titles[number] + stems(entry.text, codes[number]) for number, entry in enumerate(corpus)]
        self.sets = [frozenset(words) for words in self.sequences]
        self.document_counts = Counter(word for words in self.sets for word in words)
        self.languages = tuple(dict.fromkeys(codes))
        self._compounds = any(language_named(code).compounds for code in self.languages)
        self._alike: dict[str, dict[str, float]] = {}
        self._changes: dict[tuple[int, str], int] = {}
        self._vectors: tuple[Embedder, FloatArray] | None = None

    def rarity(self, word: str) -> float:
        """The inverse document frequency of a stem, positive for every word."""
        count = self.document_counts[word]
        return float(np.log1p((len(self.corpus) - count + 0.5) / (count + 0.5)))

    def alike(self, word: str) -> dict[str, float]:
        """The stems of the corpus that are this one or near it, and how near: parts of compounds, longer forms."""
        if word not in self._alike:
            near = {word: 1.0} if word in self.document_counts else {}
            for other in self.document_counts if len(word) >= _LONG else ():
                short, long = sorted((word, other), key=len)
                if other in near or len(short) < _LONG:
                    continue
                if long.startswith(short) and len(long) - len(short) <= _MORE:
                    near[other] = _LONGER
                elif self._compounds and short in long:
                    near[other] = _PART
            self._alike[word] = near
        return self._alike[word]

    def changes(self, at: int, directions: Collection[str]) -> dict[str, int]:
        """How many different words of each direction of change a whole document holds; kept for the next question."""
        document = self.corpus.documents[at]
        for entry in directions:
            if (at, entry) not in self._changes:
                self._changes[at, entry] = changes_in(document.text, [entry], document.language)[entry]
        return {entry: self._changes[at, entry] for entry in directions}

    @cached_property
    def sentences(self) -> list[list[tuple[int, int, frozenset[str]]]]:
        """Per document its sentences: where they stand, and their stems."""
        return [
            [
                (start, end, frozenset(stems(document.text[start:end], document.language)))
                for start, end in sentences(document.text)
            ]
            for document in self.corpus
        ]

    def sentence_vectors(self, embedder: Embedder) -> FloatArray:
        """One row per sentence of all documents, in their order; kept for the next question."""
        if self._vectors is None or self._vectors[0] is not embedder:
            texts = [
                document.text[start:end]
                for document, spans in zip(self.corpus, self.sentences, strict=True)
                for start, end, _ in spans
            ]
            self._vectors = embedder, embedder.embed(texts or [""])
        return self._vectors[1]

    @cached_property
    def _bm25(self) -> Any:
        import bm25s

        logging.getLogger("bm25s").setLevel(logging.WARNING)  # its import asks for every detail
        model = bm25s.BM25(method="lucene", k1=_K1, b=_B)
        model.index([words or [""] for words in self.chunk_stems], show_progress=False)
        return model

    def bm25(self, query: Sequence[str]) -> FloatArray:
        """Per document the BM25 score of its best passage for these stems; zeros for an empty query."""
        present = [word for word in query if word in self.document_counts]
        if not present:
            return np.zeros(len(self.corpus))
        return self.best(np.asarray(self._bm25.get_scores(present), dtype=np.float64))

    def best(self, per_chunk: FloatArray) -> FloatArray:
        """Per document the highest value of its passages."""
        best = np.full(len(self.corpus), -np.inf)
        np.maximum.at(best, self.owners, per_chunk)
        return best
