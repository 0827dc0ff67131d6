"""The words of a corpus, prepared once."""

from __future__ import annotations

import numpy as np
import pytest

from assay.core import InvalidInput
from assay.drift.documents.document import Corpus
from assay.drift.documents.text_index import TextIndex
from assay.drift.documents.words import stems

TEXTS = {
    "a.txt": "The sea is blue and wide. " * 9 + "Travel permits need a signature. " * 9 + "The sky is far away. " * 9,
    "b.txt": "The canteen offers soup.",
    "c.txt": "Permits for parking.",
}


def bm25_by_hand(texts: list[list[str]], query: list[str], k1: float = 1.2, b: float = 0.75) -> list[float]:
    mean = sum(map(len, texts)) / len(texts)
    scores = []
    for words in texts:
        score = 0.0
        for word in query:
            holding = sum(word in other for other in texts)
            idf = np.log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
            count = words.count(word)
            score += idf * count / (count + k1 * (1 - b + b * len(words) / mean))
        scores.append(float(score))
    return scores


def test_bm25_agrees_with_its_formula_on_the_best_passage() -> None:
    index = TextIndex(Corpus.from_texts(TEXTS), chunk_words=20)
    query = stems("travel permits")
    per_chunk = list(zip(index.owners.tolist(), bm25_by_hand(index.chunk_stems, query), strict=True))
    by_hand = [max(score for owner, score in per_chunk if owner == at) for at in range(len(TEXTS))]
    np.testing.assert_allclose(index.bm25(query), by_hand, rtol=1e-5)


def test_unknown_and_empty_queries_score_zero() -> None:
    index = TextIndex(Corpus.from_texts(TEXTS))
    assert index.bm25([]).tolist() == index.bm25(["zzz"]).tolist() == [0.0, 0.0, 0.0]


def test_rarer_words_are_worth_more() -> None:
    index = TextIndex(Corpus.from_texts(TEXTS))
    common, rare, absent = stems("permits soup zzz")
    assert 0.0 < index.rarity(common) < index.rarity(rare) < index.rarity(absent)


def test_passages_are_verbatim_and_belong_to_their_documents() -> None:
    index = TextIndex(Corpus.from_texts(TEXTS), chunk_words=20)
    assert len(index.chunks) > len(TEXTS)
    for owner, chunk in zip(index.owners.tolist(), index.chunks, strict=True):
        assert index.corpus.documents[owner].holds(chunk.text, chunk.start, chunk.end)


def test_an_empty_corpus_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no documents"):
        TextIndex(Corpus(documents=()))
