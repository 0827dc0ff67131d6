"""Documents, their passages, and corpora."""

from __future__ import annotations

import pickle
from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core import InvalidInput, UnknownName
from assay.drift.documents.document import Corpus, is_header, make_document, sentences

TEXT = (
    "Subject: Permits\nDate: 2 March 2020\n\n"
    "Permits change. They need, e.g. for trips, a signature!\n\n- first\n- second"
)


def test_titles_come_from_the_name_without_its_date_else_from_the_first_line() -> None:
    assert make_document("2020-03-02_Travel_Permits.pdf", ["x"]).title == "Travel Permits"
    assert make_document("2020-03-02.pdf", ["\nThe new rule\nmore"]).title == "The new rule"


def test_pages_are_found_by_offset() -> None:
    document = make_document("a.pdf", ["one", "two", "three"])
    assert document.text == "one\n\ntwo\n\nthree"
    assert [document.page_of(document.text.index(word)) for word in ("one", "two", "three")] == [1, 2, 3]


def test_a_quote_holds_only_where_it_stands() -> None:
    document = make_document("a.txt", [TEXT])
    start = document.text.index("Permits change")
    assert document.holds("Permits change.", start, start + 15)
    assert not document.holds("Permits change.", start + 1, start + 16)
    assert not document.holds("", start, start)
    assert not document.holds("second", len(TEXT) - 6, len(TEXT) + 1)


def test_quotes_are_found_across_line_breaks_and_stitched_ones_are_not() -> None:
    document = make_document("a.txt", ["The rule\nis new. It is strict. It is short."])
    place = document.find("The rule is new.")
    assert place is not None
    assert document.text[slice(*place)] == "The rule\nis new."
    assert document.find("The rule is new. It is short.") is None
    assert document.find("  ") is None


def test_sentences_keep_abbreviations_together_and_lists_apart() -> None:
    span = [TEXT[start:end] for start, end in sentences(TEXT)]
    assert "They need, e.g. for trips, a signature!" in span
    assert span[-2:] == ["- first", "- second"]


def test_a_text_right_below_header_lines_is_not_part_of_them() -> None:
    text = "Subject: Permits\nDate: 2 March 2020\nDear all, permits change. Bye."
    assert [text[start:end] for start, end in sentences(text)] == [
        "Subject: Permits\nDate: 2 March 2020",
        "Dear all, permits change.",
        "Bye.",
    ]


@given(st.text(max_size=400))
def test_sentences_cover_every_letter_once(text: str) -> None:
    spans = sentences(text)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(text.split())


@given(st.lists(st.sampled_from(["Alpha beta.", "Gamma delta epsilon.", "Zeta!"]), min_size=1, max_size=40))
def test_chunks_are_exact_passages_that_cover_the_text(parts: list[str]) -> None:
    document = make_document("a.txt", [" ".join(parts)])
    chunks = document.chunks(words=7, overlap=1)
    assert all(document.holds(chunk.text, chunk.start, chunk.end) for chunk in chunks)
    covered = {place for chunk in chunks for place in range(chunk.start, chunk.end)}
    assert all(letter.isspace() or place in covered for place, letter in enumerate(document.text))


def test_chunks_refuse_impossible_sizes() -> None:
    with pytest.raises(InvalidInput, match="words >= 1"):
        make_document("a.txt", ["x"]).chunks(words=0)


def test_headers_are_told_from_text() -> None:
    assert is_header("Subject: Rule\nFrom: Board\nTo: all")
    assert is_header("# Title")
    assert not is_header("Please note: the rule is new.")


def test_a_corpus_is_ordered_by_name_found_by_name_and_survives_pickling() -> None:
    corpus = Corpus.from_texts({"b.txt": "two", "a.txt": "one"})
    assert corpus.names == ("a.txt", "b.txt")
    assert corpus["b.txt"].text == "two"
    assert "b.txt" in corpus
    assert len(corpus) == 2
    copy = pickle.loads(pickle.dumps(corpus))
    assert copy == corpus
    assert copy["a.txt"].text == "one"


def test_the_digest_of_a_corpus_follows_names_and_contents() -> None:
    first = Corpus.from_texts({"a.txt": "one"})
    assert first.digest == Corpus.from_texts({"a.txt": "one"}).digest
    assert first.digest != Corpus.from_texts({"a.txt": "two"}).digest
    assert first.digest != Corpus.from_texts({"b.txt": "one"}).digest


def test_an_unknown_document_is_an_error_with_a_suggestion() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'rule.txt'"):
        Corpus.from_texts({"rule.txt": "x"})["rules.txt"]


def test_two_documents_of_one_name_are_refused() -> None:
    document = make_document("a.txt", ["x"])
    with pytest.raises(InvalidInput, match=r"same name: a\.txt"):
        Corpus(documents=(document, document))


def test_issue_and_other_dates_are_read() -> None:
    document = make_document("2020-03-02_Rule.txt", ["It applies from 9 March."])
    assert document.issued == date(2020, 3, 2)
    assert [mention.day for mention in document.dates] == [date(2020, 3, 9)]


def test_a_day_of_the_month_does_not_end_a_german_sentence() -> None:
    text = "Viele haben sich den 2. September gemerkt. Die 3. Sitzung war am 12. Mai. Es sind 14. Danach ist Schluss."
    assert [text[start:end] for start, end in sentences(text)] == [
        "Viele haben sich den 2. September gemerkt.",
        "Die 3. Sitzung war am 12. Mai.",
        "Es sind 14.",
        "Danach ist Schluss.",
    ]


@pytest.mark.parametrize("texts", [{"a.txt": 5}, {5: "text"}, {"a.txt": None}])
def test_a_corpus_of_texts_needs_a_name_and_a_text_each(texts: dict[str, str]) -> None:
    ((name, text),) = texts.items()
    with pytest.raises(InvalidInput) as caught:
        Corpus.from_texts(texts)
    assert str(caught.value) == f"texts: {{{name!r}: {text!r}}} is no file name with its text: give two str."
