"""What joins the drifts of one log."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from assay.core import InvalidInput
from assay.drift.detection.drift import Drift
from assay.drift.documents.document import Corpus
from assay.drift.explanation.explainer import DriftExplainer, Explanation

FIRST = "From {} travel permits of researchers must be signed by the dean, as the law on public funds demands."


def explain(
    texts: dict[str, str], *days: datetime, process: str = "TravelPermits"
) -> tuple[DriftExplainer, list[Explanation]]:
    explainer = DriftExplainer(Corpus.from_texts(texts), abstain_below=0.0, causes=2)
    drifts = [
        Drift(id=f"d{at}", process=process, type="sudden", start_case="1", end_case="1", start=day, end=day)
        for at, day in enumerate(days)
    ]
    return explainer, [explainer.explain(drift) for drift in drifts]


def test_a_cause_that_follows_another_soon_and_says_much_the_same_is_a_chain() -> None:
    texts = {
        "2020-03-02_Permits.txt": FIRST.format("9 March 2020"),
        "2020-05-25_Permits.txt": FIRST.format("1 June 2020"),
        "2020-04-01_Canteen.txt": "The canteen serves soup.",
    }
    explainer, links = explain(texts, datetime(2020, 3, 10, tzinfo=UTC), datetime(2020, 6, 2, tzinfo=UTC))
    (link,) = explainer.link(links)
    assert link.connection == "same chain"
    assert link.documents == ("2020-03-02_Permits.txt", "2020-05-25_Permits.txt")
    assert "after 84 days" in link.reason


def test_causes_far_apart_in_time_have_a_theme_in_common() -> None:
    texts = {
        "2020-03-02_Permits.txt": FIRST.format("9 March 2020"),
        "2021-05-25_Permits.txt": FIRST.format("1 June 2021"),
        "2020-04-01_Canteen.txt": "The canteen serves soup.",
    }
    explainer, links = explain(texts, datetime(2020, 3, 10, tzinfo=UTC), datetime(2021, 6, 2, tzinfo=UTC))
    (link,) = explainer.link(links)
    assert link.connection == "common theme"


def test_unlike_causes_are_not_linked() -> None:
    texts = {
        "2020-03-02_Permits.txt": FIRST.format("9 March 2020"),
        "2020-05-25_Tool.txt": "As of 1 June 2020 a new release of our software for travel permits goes live.",
        "2020-04-01_Canteen.txt": "The canteen serves soup.",
    }
    explainer, links = explain(texts, datetime(2020, 3, 10, tzinfo=UTC), datetime(2020, 6, 2, tzinfo=UTC))
    assert explainer.link(links) == ()


def test_drifts_of_two_logs_are_refused() -> None:
    texts = {"2020-03-02_Permits.txt": FIRST.format("9 March 2020")}
    explainer, one = explain(texts, datetime(2020, 3, 10, tzinfo=UTC))
    _, two = explain(texts, datetime(2020, 3, 10, tzinfo=UTC), process="Orders")
    with pytest.raises(InvalidInput, match="these are of Orders, TravelPermits"):
        explainer.link([*one, *two])
