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
from assay.drift.explanation.retrieve import WEIGHTS, Weights, chance_of_any, fuse, logistic, rank
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
    for scored in rank(Corpus.from_texts(TEXTS), DRIFT):
        assert scored.score == pytest.approx(WEIGHTS.base + sum(scored.contributions.values()))
        assert scored.confidence == pytest.approx(logistic(scored.score))
        assert set(scored.signals) == set(scored.contributions) == set(SIGNALS)


def test_equal_documents_keep_the_order_of_names() -> None:
    ranking = rank(Corpus.from_texts({"b.txt": "x", "a.txt": "x", "c.txt": "x"}), DRIFT)
    assert [scored.document for scored in ranking] == ["a.txt", "b.txt", "c.txt"]


def test_the_ranking_does_not_depend_on_the_order_of_the_texts() -> None:
    backwards = dict(reversed(TEXTS.items()))
    assert repr(rank(Corpus.from_texts(TEXTS), DRIFT)) == repr(rank(Corpus.from_texts(backwards), DRIFT))


@given(st.lists(st.floats(0.0, 1.0), min_size=len(SIGNALS), max_size=len(SIGNALS)), st.integers(0, len(SIGNALS) - 1))
def test_a_better_signal_never_lowers_the_score(values: list[float], at: int) -> None:
    signals = {name: np.array([value, value]) for name, value in zip(SIGNALS, values, strict=True)}
    signals[SIGNALS[at]] = np.array([values[at], min(1.0, values[at] + 0.1)])
    low, high = sum(fuse(signals).values(), np.zeros(2))
    assert high >= low


def test_unknown_signals_add_nothing() -> None:
    parts = fuse({name: np.array([math.nan]) for name in SIGNALS})
    assert all(part.tolist() == [0.0] for part in parts.values())


def test_the_day_of_issue_stands_in_where_a_text_names_no_day() -> None:
    unknown = {name: np.array([math.nan]) for name in SIGNALS}
    far, near = (fuse({**unknown, "date": np.array([fit])})["day"][0] for fit in (0.0, 1.0))
    named = fuse({**unknown, "day": np.array([1.0])})["day"][0]
    assert far < near < named


@given(st.floats(-700, 700))
def test_the_logistic_is_symmetric_and_stays_a_probability(score: float) -> None:
    assert 0.0 <= logistic(score) <= 1.0
    assert logistic(score) + logistic(-score) == pytest.approx(1.0)


def test_the_chance_of_any_is_at_least_the_best() -> None:
    ranking = rank(Corpus.from_texts(TEXTS), DRIFT)
    assert ranking[0].confidence <= chance_of_any(ranking) <= sum(scored.confidence for scored in ranking)
    assert chance_of_any(()) == 0.0


@pytest.mark.parametrize("given", [{"process": -1.0}, {"day": math.nan}, {"base": math.inf}])
def test_impossible_weights_are_refused(given: dict[str, float]) -> None:
    with pytest.raises(InvalidInput, match=f"weights: {next(iter(given))}"):
        Weights(**given)


def test_weights_move_the_ranking() -> None:
    only_date = Weights(process=0, words=0, change=0, day=0, announcement=0, date=1)
    ranking = rank(Corpus.from_texts(TEXTS), DRIFT, weights=only_date)
    assert ranking[-1].document == "2019-03-02_Notice.txt"
