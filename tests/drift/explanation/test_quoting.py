"""The passage that speaks most clearly of a drift."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from assay.drift.detection.drift import Drift
from assay.drift.documents.document import Corpus
from assay.drift.documents.text_index import TextIndex
from assay.drift.explanation.query import make_query
from assay.drift.explanation.quoting import best_passage

DAY = datetime(2020, 3, 10, tzinfo=UTC)
DRIFT = Drift(id="d", process="TravelPermits", type="sudden", start_case="1", end_case="1", start=DAY, end=DAY)


class Names:
    def vocabulary(self) -> Sequence[str]:
        return ["Verify budget"]


def quote_of(text: str) -> str:
    others = {f"{number}.txt": "The canteen serves soup." for number in range(3, 9)}
    index = TextIndex(Corpus.from_texts({"2020-03-02_a.txt": text, **others}))
    passage = best_passage(index, 0, make_query(DRIFT, profile=Names()))
    assert index.corpus.documents[0].holds(passage.quote, passage.start, passage.end)
    return passage.quote


def test_the_sentence_on_the_matter_is_quoted_not_its_header() -> None:
    text = (
        "Subject: Travel permits must change, verify the budget\nFrom: Finance\nStart: new from 10 March 2020\n\n"
        "Dear colleagues. From 9 March 2020 we verify the budget of travel permits. Kind regards, Finance."
    )
    assert quote_of(text) == "From 9 March 2020 we verify the budget of travel permits."


def test_a_neighbour_that_adds_much_is_quoted_along() -> None:
    text = "Hello. Travel permits change from 9 March 2020. The budget is verified in travel permits. Bye."
    assert quote_of(text) == "Travel permits change from 9 March 2020. The budget is verified in travel permits."


def test_a_withdrawal_next_to_the_matter_is_not_left_out() -> None:
    text = "Travel permits were to need a signature. This plan for travel permits has been withdrawn. Bye."
    assert "withdrawn" in quote_of(text)


def test_long_passages_are_cut_between_words() -> None:
    quote = quote_of("Travel permits " + "and very long permits " * 60 + "end.")
    assert len(quote) <= 420
    assert quote.split()[-1] in {"and", "very", "long", "permits"}


@given(st.text(min_size=1, max_size=300).filter(str.strip))
def test_every_quote_is_verbatim_whatever_the_text(text: str) -> None:
    assert quote_of(text)
