"""Signals joined into a ranking."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core import InvalidInput
from assay.drift.detection.drift import Drift
from assay.drift.documents.document import Corpus
from assay.drift.explanation.retrieve import AGAINST, Weights, chance_of_any, confidences, fuse, prior_of_notice, rank
from assay.drift.explanation.signals import SIGNALS

DAY = datetime(2020, 3, 10, tzinfo=UTC)
DRIFT = Drift(id="d", process="TravelPermits", type="sudden", start_case="1", end_case="1", start=DAY, end=DAY)
TEXTS = {
    "2020-03-02_Notice.txt": "From 9 March 2020 travel permits must be signed twice.",
    "2019-03-02_Notice.txt": "From 9 March 2019 travel permits must be signed twice.",
    "2020-03-03_Canteen.txt": "From 9 March 2020 the canteen must serve soup.",
    "2020-03-04_Reminder.txt": "As a reminder: rules for travel permits remain unchanged.",
    "2020-03-05_Ahead.txt": "From 9 September 2020 travel permits must be signed twice.",
}


def test_the_document_that_fits_in_every_respect_comes_first() -> None:
    ranking = rank(Corpus.from_texts(TEXTS), DRIFT)
    assert ranking[0].document == "2020-03-02_Notice.txt"
    assert len(ranking) == len(TEXTS)
    assert ranking[0].confidence > 2 * ranking[1].confidence


def test_contributions_and_base_add_up_to_the_score() -> None:
    weights = Weights(factors={"day": 2.0, "late": -1.0}, base=-3.0)
    ranking = rank(Corpus.from_texts(TEXTS), DRIFT, weights=weights)
    for scored in ranking:
        assert scored.score == pytest.approx(-3.0 + sum(scored.contributions.values()))
        assert set(scored.signals) == set(scored.contributions) == set(SIGNALS)
    assert [scored.confidence for scored in ranking] == pytest.approx(confidences([scored.score for scored in ranking]))


def test_equal_documents_keep_the_order_of_names() -> None:
    ranking = rank(Corpus.from_texts({"b.txt": "x", "a.txt": "x", "c.txt": "x"}), DRIFT)
    assert [scored.document for scored in ranking] == ["a.txt", "b.txt", "c.txt"]


def test_the_ranking_does_not_depend_on_the_order_of_the_texts() -> None:
    backwards = dict(reversed(TEXTS.items()))
    assert repr(rank(Corpus.from_texts(TEXTS), DRIFT)) == repr(rank(Corpus.from_texts(backwards), DRIFT))


@given(st.lists(st.floats(0.0, 1.0), min_size=len(SIGNALS), max_size=len(SIGNALS)), st.integers(0, len(SIGNALS) - 1))
def test_more_of_what_speaks_for_a_document_never_lowers_its_score(values: list[float], at: int) -> None:
    signals = {name: np.array([value, value]) for name, value in zip(SIGNALS, values, strict=True)}
    signals[SIGNALS[at]] = np.array([values[at], min(1.0, values[at] + 0.1)])
    parts, base = fuse(signals)
    less, more = sum(parts.values(), base)
    assert more <= less + 1e-9 if SIGNALS[at] in AGAINST else more >= less - 1e-9


def test_unknown_signals_add_nothing() -> None:
    parts, _ = fuse({name: np.array([math.nan]) for name in SIGNALS})
    assert all(part.tolist() == [0.0] for part in parts.values())


def test_a_corpus_that_names_its_process_is_weighed_by_the_weights_for_notices() -> None:
    sets = {"free": Weights(factors={"day": 1.0}, base=-1.0), "named": Weights(factors={"day": 3.0}, base=-5.0)}
    signals = {name: np.array([math.nan, math.nan]) for name in SIGNALS} | {"day": np.array([1.0, 0.0])}
    parts, base = fuse({**signals, "process": np.array([1.0, 1.0])}, weights=sets)
    assert (parts["day"].tolist(), base.tolist()) == ([3.0, 0.0], [-5.0, -5.0])


def test_elsewhere_the_odds_of_a_document_are_the_mean_of_its_odds_as_a_notice_and_as_prose() -> None:
    sets = {"free": Weights(factors={"day": 1.0}, base=-1.0), "named": Weights(factors={"day": 3.0}, base=-5.0)}
    signals = {name: np.array([math.nan, math.nan]) for name in SIGNALS} | {"day": np.array([1.0, 0.0])}
    signals["process"] = np.zeros(2)
    prior = prior_of_notice(signals)
    assert 0.0 < prior < 1.0
    parts, base = fuse(signals, weights=sets)
    odds = np.exp(sum(parts.values(), base))
    expected = [prior * math.exp(3.0 - 5.0) + (1 - prior) * math.exp(1.0 - 1.0)]
    expected += [prior * math.exp(-5.0) + (1 - prior) * math.exp(-1.0)]
    assert odds.tolist() == pytest.approx(expected)
    assert 1.0 < parts["day"][0] < 3.0


def test_where_few_documents_name_the_process_a_notice_that_does_still_beats_one_of_another_process() -> None:
    texts = {
        "2020-03-02_Permits.txt": "From 9 March 2020 travel permits are signed twice: a second signature is added.",
        "2020-03-03_Orders.txt": "From 9 March 2020 lab orders are signed twice: a second signature is added.",
        **{f"2020-0{month}-10_Menu.txt": "The canteen has a new menu." for month in range(1, 8)},
    }
    ranking = rank(Corpus.from_texts(texts), DRIFT)
    assert ranking[0].document == "2020-03-02_Permits.txt"
    assert ranking[0].score - ranking[1].score > 1.2  # more than its weight in prose


@given(st.lists(st.floats(-700, 700), min_size=1, max_size=20))
def test_confidences_are_shares_of_one_that_leave_room_for_none(scores: list[float]) -> None:
    chances = confidences(scores)
    assert 0.0 <= chances.min() <= chances.sum() <= 1.0 + 1e-12
    assert int(np.argmax(scores)) in np.flatnonzero(chances == chances.max())


def test_the_chance_of_any_is_the_sum() -> None:
    ranking = rank(Corpus.from_texts(TEXTS), DRIFT)
    assert chance_of_any(ranking) == pytest.approx(sum(scored.confidence for scored in ranking))
    assert chance_of_any(()) == 0.0


@pytest.mark.parametrize("given", [{"process": -1.0}, {"day": math.nan}, {"off": 1.0}, {"nonsense": 1.0}])
def test_impossible_weights_are_refused(given: dict[str, float]) -> None:
    with pytest.raises(InvalidInput, match=f"weights: .*{next(iter(given))}"):
        Weights(factors=given)


def test_weights_move_the_ranking() -> None:
    ranking = rank(Corpus.from_texts(TEXTS), DRIFT, weights=Weights(factors={"date": 1.0}))
    assert ranking[-1].document == "2019-03-02_Notice.txt"
