from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit
from scipy.stats import norm, rankdata

from assay.cases.metrics import auroc, brier
from assay.cases.subjects.neighbourhood_detector import fit_neighbourhood_detector, neighbourhood_detector_scores
from assay.cases.subjects.posterior import fit_posterior
from assay.core import InvalidInput

RNG = np.random.default_rng(9)


def clouds(count: int, classes: int = 3) -> tuple[np.ndarray, np.ndarray]:
    labels = np.arange(count) % classes
    return RNG.normal(size=(count, 4)) + 2.0 * np.eye(classes, 4)[labels], labels


TRAIN, LABELS = clouds(240)
QUERIES, TRUTH = clouds(300)
# a classifier that is wrong for one query in five, and knows something about it
WRONG = RNG.random(300) < 0.2
PREDICTED = np.where(WRONG, (TRUTH + 1) % 3, TRUTH)
CONFIDENCE = 0.4 + 0.5 / (1 + np.exp(-2 * (RNG.normal(size=300) + 1.5 * (1 - 2 * WRONG))))


def spread_out(confidence: np.ndarray) -> np.ndarray:
    rest = (1 - confidence)[:, None] / 2
    return np.concatenate([confidence[:, None], rest, rest], axis=1)


def scores(confidence: np.ndarray = CONFIDENCE, **changes: Any) -> Any:
    inputs = {"train_X": TRAIN, "train_y": LABELS, "query_X": QUERIES, "predicted": PREDICTED}
    return neighbourhood_detector_scores(**{**inputs, "probabilities": spread_out(confidence), **changes})


def test_the_score_is_the_documented_formula() -> None:
    detected = scores()
    odds = fit_posterior(TRAIN, LABELS).log_odds(QUERIES, PREDICTED)
    t, m = expit(odds), logit(expit(odds).mean())
    z = norm.ppf((rankdata(CONFIDENCE) - 0.5) / 300)

    def loss(level_and_slope: np.ndarray) -> float:
        a, b = level_and_slope
        return float(np.sum(np.logaddexp(0, a + b * z) - t * (a + b * z)) + 0.5 * b**2)

    a, b = minimize(loss, [m, 0.0], tol=1e-12).x
    np.testing.assert_allclose(detected.by_cases, t, atol=1e-12)
    assert b > 0
    assert detected.confidence_weight == pytest.approx(1.5 * b, abs=1e-4)
    expected = expit(m + ((odds - m) + 1.5 * (a + b * z - m)) / (1 + min(b, 1)))
    np.testing.assert_allclose(detected.probability, expected, atol=1e-4)


def test_confidence_that_the_cases_bear_out_helps_and_that_which_they_do_not_is_ignored() -> None:
    informed = scores()
    assert informed.confidence_weight > 0.2
    assert auroc(informed.probability, WRONG) > auroc(informed.by_cases, WRONG) + 0.01
    misleading = scores(1.3 - CONFIDENCE)
    assert misleading.confidence_weight == 0.0
    np.testing.assert_allclose(misleading.probability, misleading.by_cases, atol=1e-12)


def test_only_the_order_of_the_confidence_counts() -> None:
    detected = scores()
    np.testing.assert_array_equal(scores(np.sqrt(CONFIDENCE)).probability, detected.probability)
    np.testing.assert_array_equal(scores(0.2 + CONFIDENCE / 2).probability, detected.probability)


@pytest.mark.parametrize("confidence", [np.ones(300), np.full(300, 0.5), 0.7 + RNG.integers(-1, 2, 300) * 1.2e-16])
def test_constant_confidence_has_no_influence(confidence: np.ndarray) -> None:
    detected = scores(confidence)
    assert detected.confidence_weight == 0.0
    np.testing.assert_allclose(detected.probability, detected.by_cases, atol=1e-12)


def test_more_confidence_never_lowers_the_order_of_a_query() -> None:
    raised = CONFIDENCE.copy()
    raised[7] = 0.999
    before, after = scores(), scores(raised)
    assert (after.probability < after.probability[7]).sum() >= (before.probability < before.probability[7]).sum()


def test_the_probability_is_better_calibrated_than_a_constant_and_the_confidence() -> None:
    detected = scores()
    assert detected.probability.min() >= 0
    assert detected.probability.max() <= 1
    assert brier(detected.probability, WRONG) < brier(np.full(300, 1 - WRONG.mean()), WRONG)
    assert brier(detected.probability, WRONG) < brier(CONFIDENCE, WRONG)
    assert detected.probability.mean() == pytest.approx(detected.by_cases.mean(), abs=0.05)


def test_units_order_and_names_of_classes_do_not_matter() -> None:
    detected, scale = scores(), np.array([1e5, 1e-5, 3.0, 1.0])
    scaled = scores(train_X=TRAIN * scale + 7, query_X=QUERIES * scale + 7)
    np.testing.assert_allclose(scaled.probability, detected.probability, atol=1e-6)
    shuffled = RNG.permutation(300)
    moved = scores(CONFIDENCE[shuffled], query_X=QUERIES[shuffled], predicted=PREDICTED[shuffled])
    np.testing.assert_allclose(moved.probability, detected.probability[shuffled], atol=1e-9)
    names = np.array(["ant", "bee", "cat"])
    named = scores(train_y=names[LABELS], predicted=names[PREDICTED])
    np.testing.assert_array_equal(named.probability, detected.probability)
    again = scores(posterior=fit_posterior(TRAIN, LABELS))
    np.testing.assert_array_equal(again.probability, detected.probability)


def test_one_query_two_queries_and_none_are_answered() -> None:
    one = scores(CONFIDENCE[:1], query_X=QUERIES[:1], predicted=PREDICTED[:1])
    assert one.confidence_weight == 0.0
    assert one.probability[0] == pytest.approx(one.by_cases[0], abs=1e-12)
    assert len(scores(CONFIDENCE[:2], query_X=QUERIES[:2], predicted=PREDICTED[:2]).probability) == 2
    assert len(scores(CONFIDENCE[:0], query_X=QUERIES[:0], predicted=PREDICTED[:0]).probability) == 0


def test_a_class_without_training_cases_is_not_trusted() -> None:
    predicted = PREDICTED.copy()
    predicted[0] = 7
    detected = scores(predicted=predicted)
    assert detected.by_cases[0] == 0.0
    assert detected.by_cases[1:].min() > 0
    assert np.isfinite(detected.probability).all()


def test_tiny_case_bases_and_two_classes_work() -> None:
    detected = neighbourhood_detector_scores(
        [[0.0], [1.0]], ["a", "b"], [[0.1], [0.9]], ["a", "a"], [[0.6, 0.4], [0.6, 0.4]]
    )
    assert detected.probability[0] > detected.probability[1]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"train_y": LABELS[:5]}, "240 rows for 5 labels"),
        ({"predicted": PREDICTED[:5]}, "got 300, 5 and 300"),
        ({"query_X": QUERIES[:, :2]}, "query_X has 2 features, train_X has 4"),
        ({"predicted": np.full(300, "a")}, "text with number"),
        ({"query_X": np.full((300, 4), np.nan)}, "query_X: row 0"),
    ],
)
def test_input_that_does_not_fit_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        scores(**changes)


def test_a_fitted_detector_scores_one_query_at_a_time_as_it_scores_the_batch() -> None:
    words = spread_out(CONFIDENCE)
    fitted = fit_neighbourhood_detector(TRAIN, LABELS, QUERIES, PREDICTED, words)
    together = scores()
    batch = fitted.scores(QUERIES, PREDICTED, words)
    np.testing.assert_array_equal(batch.probability, together.probability)
    assert batch.confidence_weight == together.confidence_weight
    for row in range(0, 300, 11):
        alone = fitted.scores(QUERIES[row : row + 1], PREDICTED[row : row + 1], words[row : row + 1])
        np.testing.assert_allclose(alone.probability, together.probability[row : row + 1], rtol=1e-9)
        np.testing.assert_allclose(alone.by_cases, together.by_cases[row : row + 1], rtol=1e-9)


def test_a_detector_fitted_on_earlier_queries_finds_the_errors_of_later_ones_as_well_as_a_batch_does() -> None:
    words = spread_out(CONFIDENCE)
    earlier, later = slice(0, 150), slice(150, 300)
    fitted = fit_neighbourhood_detector(TRAIN, LABELS, QUERIES[earlier], PREDICTED[earlier], words[earlier])
    streamed = fitted.scores(QUERIES[later], PREDICTED[later], words[later])
    batch = neighbourhood_detector_scores(TRAIN, LABELS, QUERIES[later], PREDICTED[later], words[later])
    streamed_auroc, batch_auroc = (auroc(detected.probability, WRONG[later]) for detected in (streamed, batch))
    assert streamed_auroc == pytest.approx(batch_auroc, abs=0.01)
    assert streamed_auroc > auroc(streamed.by_cases, WRONG[later])  # alone, without the state, the cases would decide


def test_a_confidence_beyond_all_earlier_ones_has_the_rank_of_the_last() -> None:
    words = spread_out(CONFIDENCE)
    fitted = fit_neighbourhood_detector(TRAIN, LABELS, QUERIES, PREDICTED, words)
    order = np.argsort(CONFIDENCE)
    for extreme, last in ((0.34, order[0]), (1.0, order[-1])):
        row = slice(last, last + 1)
        beyond = fitted.scores(QUERIES[row], PREDICTED[row], spread_out(np.array([extreme])))
        assert beyond.probability == fitted.scores(QUERIES[row], PREDICTED[row], words[row]).probability


def test_a_fitted_detector_refuses_what_does_not_fit() -> None:
    words = spread_out(CONFIDENCE)
    with pytest.raises(InvalidInput, match="batch_X: is empty"):
        fit_neighbourhood_detector(TRAIN, LABELS, QUERIES[:0], PREDICTED[:0], words[:0])
    with pytest.raises(InvalidInput, match="batch_X, batch_predicted and batch_probabilities need one entry"):
        fit_neighbourhood_detector(TRAIN, LABELS, QUERIES, PREDICTED[:3], words)
    fitted = fit_neighbourhood_detector(TRAIN, LABELS, QUERIES, PREDICTED, words)
    with pytest.raises(InvalidInput, match="query_X has 2 features, train_X has 4"):
        fitted.scores(QUERIES[:, :2], PREDICTED, words)
    assert len(fitted.scores(QUERIES[:0], PREDICTED[:0], words[:0]).probability) == 0
