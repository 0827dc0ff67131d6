from typing import Any

import numpy as np
import pytest
from scipy.stats import norm, rankdata, spearmanr

from assay.cases.detector import default_detector_scores
from assay.cases.metrics import auroc, brier
from assay.cases.posterior import fit_posterior
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
    given = {"train_X": TRAIN, "train_y": LABELS, "query_X": QUERIES, "predicted": PREDICTED}
    return default_detector_scores(**{**given, "probabilities": spread_out(confidence), **changes})


def test_the_score_is_the_documented_formula() -> None:
    found = scores()
    t = fit_posterior(TRAIN, LABELS).of(QUERIES)[np.arange(300), PREDICTED]
    z = norm.ppf((rankdata(CONFIDENCE) - 0.5) / 300)
    rho = spearmanr(t, CONFIDENCE).statistic
    np.testing.assert_allclose(found.by_cases, t, atol=1e-12)
    assert found.confidence_weight == pytest.approx(rho, abs=1e-9)
    np.testing.assert_allclose(found.relative, (t - t.mean()) / t.std() + rho * z, atol=1e-9)


def test_confidence_that_the_cases_bear_out_helps_and_that_which_they_do_not_is_ignored() -> None:
    informed = scores()
    assert informed.confidence_weight > 0.2
    assert auroc(informed.relative, WRONG) > auroc(informed.by_cases, WRONG) + 0.01
    misleading = scores(1.3 - CONFIDENCE)
    assert misleading.confidence_weight == 0.0
    assert auroc(misleading.relative, WRONG) == auroc(misleading.by_cases, WRONG)


@pytest.mark.parametrize("confidence", [np.ones(300), np.full(300, 0.5), 0.7 + RNG.integers(-1, 2, 300) * 1.2e-16])
def test_constant_confidence_has_no_influence(confidence: np.ndarray) -> None:
    found = scores(confidence)
    assert found.confidence_weight == 0.0
    assert auroc(found.relative, WRONG) == pytest.approx(auroc(found.by_cases, WRONG))


def test_the_probability_keeps_the_order_and_is_better_calibrated_than_a_constant() -> None:
    found = scores()
    order = np.argsort(found.relative)
    assert (np.diff(found.probability[order]) > 0).all()
    assert found.probability.min() >= 0
    assert found.probability.max() <= 1
    assert auroc(found.probability, WRONG) == auroc(found.relative, WRONG)
    assert brier(found.probability, WRONG) < brier(np.full(300, 1 - WRONG.mean()), WRONG)
    assert found.probability.mean() == pytest.approx(found.by_cases.mean(), abs=1e-4)


def test_units_order_and_names_of_classes_do_not_matter() -> None:
    found, scale = scores(), np.array([1e5, 1e-5, 3.0, 1.0])
    scaled = scores(train_X=TRAIN * scale + 7, query_X=QUERIES * scale + 7)
    np.testing.assert_allclose(scaled.relative, found.relative, atol=1e-6)
    shuffled = RNG.permutation(300)
    moved = scores(CONFIDENCE[shuffled], query_X=QUERIES[shuffled], predicted=PREDICTED[shuffled])
    np.testing.assert_allclose(moved.relative, found.relative[shuffled], atol=1e-9)
    names = np.array(["ant", "bee", "cat"])
    named = scores(train_y=names[LABELS], predicted=names[PREDICTED])
    np.testing.assert_array_equal(named.relative, found.relative)
    again = scores(posterior=fit_posterior(TRAIN, LABELS))
    np.testing.assert_array_equal(again.probability, found.probability)


def test_one_query_two_queries_and_none_are_answered() -> None:
    one = scores(CONFIDENCE[:1], query_X=QUERIES[:1], predicted=PREDICTED[:1])
    assert one.relative.tolist() == [0.0]
    assert one.probability[0] == pytest.approx(one.by_cases[0], abs=1e-5)
    assert len(scores(CONFIDENCE[:2], query_X=QUERIES[:2], predicted=PREDICTED[:2]).relative) == 2
    assert len(scores(CONFIDENCE[:0], query_X=QUERIES[:0], predicted=PREDICTED[:0]).relative) == 0


def test_a_class_without_training_cases_is_not_trusted() -> None:
    predicted = PREDICTED.copy()
    predicted[0] = 7
    found = scores(predicted=predicted)
    assert found.by_cases[0] == 0.0
    assert found.by_cases[1:].min() > 0
    assert np.isfinite(found.relative).all()


def test_tiny_case_bases_and_two_classes_work() -> None:
    found = default_detector_scores([[0.0], [1.0]], ["a", "b"], [[0.1], [0.9]], ["a", "a"], [[0.6, 0.4], [0.6, 0.4]])
    assert found.probability[0] > found.probability[1]


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
