"""Words as retrieval sees them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.drift.documents.language import all_languages, fold, language_named
from assay.drift.documents.words import name_words, split_name, stem, stems, tokens


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("DomesticDeclarations", "Domestic Declarations"),
        ("RequestForPayment", "Request For Payment"),
        ("BPIC2020PermitLog", "BPIC 2020 Permit Log"),
        ("hospital_billing-v2", "hospital billing v 2"),
        ("XMLImport", "XML Import"),
        ("already plain", "already plain"),
        ("", ""),
    ],
)
def test_names_are_split_at_humps_digits_and_signs(name: str, words: str) -> None:
    assert split_name(name) == words


@pytest.mark.parametrize(
    "family",
    [
        ("approve", "approves", "approved", "approving", "approval", "approvals"),
        ("declaration", "declarations"),
        ("policy", "policies"),
        ("submit", "submitted", "submits", "submitting"),
        ("payment", "payments", "pay", "paying"),
        ("permit", "permits"),
        ("box", "boxes"),
    ],
)
def test_forms_of_one_word_meet(family: tuple[str, ...]) -> None:
    assert len({stem(word) for word in family}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [("international", "internal"), ("order", "ordinary"), ("claim", "class"), ("permit", "permanent")],
)
def test_words_of_different_meaning_stay_apart(one: str, other: str) -> None:
    assert stem(one) != stem(other)


@given(st.text(alphabet=st.characters(categories=["L", "N"]), min_size=1, max_size=20))
def test_a_stem_is_never_empty_and_never_longer_than_its_word_without_marks(word: str) -> None:
    for language in all_languages():
        assert 0 < len(stem(word, language)) <= len(fold(word))


def test_function_words_are_left_out_and_order_is_kept() -> None:
    assert stems("the manager and the clerk") == [stem("manager"), stem("clerk")]
    assert not set(stems(" ".join(language_named("en").function_words)))


def test_tokens_are_lower_case_words_of_any_script() -> None:
    assert tokens("Über_Nacht, 3×geprüft") == ["über", "nacht", "3", "geprüft"]


def test_words_of_names_come_once_each() -> None:
    assert name_words(["Approve order", "Approve invoice"]) == ["approv", stem("order"), stem("invoice")]
