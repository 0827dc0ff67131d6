"""Explanations in sentences."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from assay.drift.detection.drift import Drift
from assay.drift.documents.document import Corpus
from assay.drift.explanation.explainer import DriftExplainer, Explanation
from assay.drift.explanation.prose import distance_in_days

DAY = datetime(2020, 3, 10, tzinfo=UTC)


def explain(texts: dict[str, str], **options: float) -> Explanation:
    later = datetime(2020, 4, 20, tzinfo=UTC)
    drift = Drift(id="d", process="TravelPermits", type="gradual", start_case="1", end_case="9", start=DAY, end=later)
    return DriftExplainer(Corpus.from_texts(texts), abstain_below=options.get("abstain_below", 0.0)).explain(drift)


@pytest.mark.parametrize(
    ("day", "words"),
    [
        (date(2020, 3, 10), "on the day of the drift"),
        (date(2020, 3, 9), "1 day before the drift"),
        (date(2020, 3, 20), "10 days after the drift"),
    ],
)
def test_distances_are_told_in_words(day: date, words: str) -> None:
    assert distance_in_days(day, DAY.date()) == words


def test_what_speaks_against_a_document_is_told_as_well() -> None:
    scored = explain({"2020-03-02_a.txt": "Rules for travel permits remain unchanged.", "b.txt": "The canteen."})
    sentences = {cause.document: cause.description for cause in scored.causes}
    assert "It says that nothing changes" in sentences["2020-03-02_a.txt"]
    assert "without a date of issue" in sentences["b.txt"]
    assert "It does not name Travel Permits." in sentences["b.txt"]


def test_the_summary_tells_process_manner_and_span() -> None:
    scored = explain({"2020-03-02_a.txt": "From 9 March 2020 travel permits must change.", "b.txt": "The canteen."})
    assert scored.summary.startswith("Travel Permits shows a gradual drift from 2020-03-10 to 2020-04-20.")


def test_rivals_are_named_and_to_be_read_side_by_side() -> None:
    text = "From 9 March 2020 travel permits must change."
    scored = explain({"2020-03-02_a.txt": text, "2020-03-03_b.txt": text, "c.txt": "The canteen."})
    assert "Also to be considered: '2020-03-03_b.txt'" in scored.summary
    assert "side by side" in scored.next_step or scored.causes[0].band == "high"


def test_a_document_that_takes_effect_at_once_is_not_said_to_name_a_day() -> None:
    texts = {"2020-03-02_a.txt": "Travel permits must change from now on.", "b.txt": "The canteen."}
    (description,) = [cause.description for cause in explain(texts).causes if cause.document == "2020-03-02_a.txt"]
    assert "It takes effect on its day of issue, 8 days before the drift." in description
    assert "It names 2020-03-02" not in description
