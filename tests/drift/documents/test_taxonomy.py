"""Kinds of organisational context."""

from __future__ import annotations

import pytest

from assay.drift.documents.taxonomy import CATEGORIES, categorise


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("The ministry's new directive obliges us by law.", "Legal"),
        ("Version 8 of the software platform goes live.", "IT_Management"),
        ("Because of sick leave and staff shortages a colleague takes over.", "Resource"),
        ("The merger of two departments is part of the strategy.", "Organizational"),
        ("During the pandemic and the holidays we work from home.", "Social"),
        ("Inflation and the market raise prices.", "Economic"),
        ("The portal had an outage; the form fields were empty.", "System_Interaction"),
        ("A vulnerability in the encryption standard.", "Technical"),
        ("The backlog and the case volume have grown.", "Case"),
        ("A further approval is a step of the procedure.", "Process_Management"),
        ("Nothing of the kind.", "Process_Management"),
    ],
)
def test_texts_find_their_category(text: str, name: str) -> None:
    assert categorise(text).name == name


def test_the_quote_counts_more_than_the_text_around_it() -> None:
    assert categorise("A new law.", around="The market.").name == "Legal"
    assert categorise("We write to you.", around="The market.").name == "Economic"


def test_the_manner_of_the_drift_settles_a_draw() -> None:
    text = "A law on prices."
    assert categorise(text, type="sudden").name == "Legal"
    assert categorise(text, type="recurring").name == "Economic"


def test_categories_are_ten_on_three_levels_and_print_with_their_level() -> None:
    assert len(CATEGORIES) == len({category.name for category in CATEGORIES}) == 10
    assert {category.level for category in CATEGORIES} == {
        "PROCESS_IMMEDIATE",
        "ORGANIZATION_INTERNAL",
        "ORGANIZATION_EXTERNAL",
    }
    assert str(CATEGORIES[0]) == "PROCESS_IMMEDIATE::Case"
    texts = [category.words for category in CATEGORIES]
    assert texts[0].startswith("case, in the process itself (properties of the cases")
    assert texts[5].startswith("IT management, inside the organisation (")
    assert not any("_" in words or "::" in words for words in texts)
