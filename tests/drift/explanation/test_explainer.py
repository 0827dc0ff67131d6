"""Drifts explained from documents."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assay.core import InvalidInput
from assay.drift.detection.drift import Drift
from assay.drift.documents.document import Corpus
from assay.drift.explanation.explainer import DriftExplainer
from assay.drift.explanation.explanation import BANDS, band_of

TEXTS = {
    "2020-03-02_Permits.txt": "Subject: Permits\n\nA new law: from 9 March 2020 travel permits must be signed twice.",
    "2019-03-02_Permits.txt": "From 9 March 2019 travel permits must be signed twice.",
    "2020-03-03_Canteen.txt": "From 9 March 2020 the canteen must serve soup.",
    "2020-08-20_Budget.txt": "As of 1 September 2020 the budget of travel permits must be verified and signed.",
}


class Names:
    def __init__(self, *names: str) -> None:
        self.names = names

    def vocabulary(self) -> Sequence[str]:
        return self.names


def make_drift(month: int, day: int, id: str = "d1") -> Drift:
    when = datetime(2020, month, day, tzinfo=UTC)
    return Drift(id=id, process="TravelPermits", type="sudden", start_case="1", end_case="1", start=when, end=when)


@pytest.fixture(scope="module")
def explainer() -> DriftExplainer:
    return DriftExplainer(Corpus.from_texts(TEXTS), causes=3)


def test_the_cause_is_named_with_verbatim_evidence_and_reasons(explainer: DriftExplainer) -> None:
    explanation = explainer.explain(make_drift(3, 10), Names("Sign permit"))
    first = explanation.causes[0]
    assert first.document == "2020-03-02_Permits.txt"
    assert first.quote == "A new law: from 9 March 2020 travel permits must be signed twice."
    assert TEXTS[first.document][first.start : first.end] == first.quote
    assert first.page == 1
    assert first.category.name == "Legal"
    assert first.band == band_of(first.confidence) == "high"
    assert "issued 8 days before the drift" in first.description
    assert "It names 2020-03-09, 1 day before the drift." in first.description
    assert not explanation.abstained
    assert "'2020-03-02_Permits.txt'" in explanation.summary
    assert "Sign permit" in explanation.summary
    assert explanation.next_step.startswith("Confirm")


def test_all_documents_are_ranked_and_only_the_best_are_shown(explainer: DriftExplainer) -> None:
    explanation = explainer.explain(make_drift(3, 10))
    assert [cause.document for cause in explanation.causes] == [s.document for s in explanation.ranking[:3]]
    assert {scored.document for scored in explanation.ranking} == set(TEXTS)
    assert explanation.profile is None


def test_every_quote_stands_in_its_document(explainer: DriftExplainer) -> None:
    for drift in (make_drift(3, 10), make_drift(9, 2), make_drift(12, 24)):
        for cause in explainer.explain(drift).causes:
            assert explainer.corpus[cause.document].holds(cause.quote, cause.start, cause.end)


def test_a_drift_that_nothing_explains_is_left_unexplained(explainer: DriftExplainer) -> None:
    explanation = explainer.explain(make_drift(12, 24))
    assert explanation.abstained
    assert "No document explains it" in explanation.summary
    assert "between 2020-11-24 and 2020-12-31" in explanation.next_step
    assert explanation.causes


def test_the_threshold_of_abstention_is_the_users(explainer: DriftExplainer) -> None:
    bold = DriftExplainer(explainer.corpus, abstain_below=0.0)
    timid = DriftExplainer(explainer.corpus, abstain_below=1.0)
    assert not bold.explain(make_drift(12, 24)).abstained
    assert timid.explain(make_drift(3, 10)).abstained


def test_a_folder_is_as_good_as_a_corpus(tmp_path: Path) -> None:
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text)
    result = DriftExplainer(tmp_path).explain(make_drift(3, 10))
    assert result.causes[0].document == "2020-03-02_Permits.txt"


def test_the_same_question_gets_the_same_answer(explainer: DriftExplainer) -> None:
    again = DriftExplainer(Corpus.from_texts(TEXTS), causes=3)
    assert repr(again.explain(make_drift(3, 10))) == repr(explainer.explain(make_drift(3, 10)))


@pytest.mark.parametrize(
    ("options", "message"),
    [({"causes": 0}, "causes"), ({"causes": True}, "causes"), ({"abstain_below": 2}, "abstain_below")],
)
def test_impossible_options_are_refused(options: dict[str, float], message: str, explainer: DriftExplainer) -> None:
    with pytest.raises(InvalidInput, match=message):
        DriftExplainer(explainer.corpus, **options)  # type: ignore[arg-type]


def test_bands_follow_their_thresholds() -> None:
    assert [band_of(least) for least in BANDS.values()] == list(BANDS)
    assert band_of(0.0) == "low"


def test_drifts_of_one_log_are_linked_by_what_their_causes_share(explainer: DriftExplainer) -> None:
    one, two = explainer.explain(make_drift(3, 10, "a")), explainer.explain(make_drift(3, 12, "b"))
    (link,) = explainer.link([two, one])
    assert (link.first, link.second, link.connection) == ("a", "b", "shared cause")
    assert link.documents == ("2020-03-02_Permits.txt",)
    assert explainer.link([one, explainer.explain(make_drift(12, 24, "c"))]) == ()


def test_a_document_without_text_is_ranked_and_never_quoted() -> None:
    corpus = Corpus.from_texts(
        {"2020-03-02_Permits.txt": "", "2020-03-03_Rule.txt": "From 9 March 2020 permits change."}
    )
    explanation = DriftExplainer(corpus).explain(make_drift(3, 10))
    assert len(explanation.ranking) == 2
    assert [cause.document for cause in explanation.causes] == ["2020-03-03_Rule.txt"]
    assert DriftExplainer(Corpus.from_texts({"empty.txt": ""})).explain(make_drift(3, 10)).causes == ()
