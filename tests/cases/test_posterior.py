import numpy as np
import pytest
from scipy.optimize import minimize

import assay.cases.posterior as posterior_module
from assay.cases.posterior import fit_posterior

RNG = np.random.default_rng(6)


def clouds(count: int, classes: int = 3, features: int = 4, apart: float = 1.5) -> tuple[np.ndarray, np.ndarray]:
    labels = np.arange(count) % classes
    return RNG.normal(size=(count, features)) + apart * np.eye(classes, features)[labels], labels


def features_by_hand(cases: np.ndarray, y: np.ndarray, x: np.ndarray, shortest: float) -> np.ndarray:
    """Votes of the 10 and 40 nearest, and closeness of each class, straight from the definition."""
    d = np.linalg.norm(cases - x, axis=1)
    order = np.argsort(d, kind="stable")
    classes, counts = np.unique(y, return_counts=True)
    columns = []
    for k in (10, 40):
        near = order[:k]
        w = np.exp(-0.5 * (1.5 * d[near] / d[near][-1]) ** 2)
        prior = counts / counts.sum()
        columns.append(
            [np.log((w[y[near] == c].sum() + w[0] * p) / (w.sum() + w[0])) for c, p in zip(classes, prior, strict=True)]
        )
    columns.append([-np.log(np.sort(d[y == c])[:5] + shortest).mean() for c in classes])
    return np.array(columns).T


def test_the_features_and_probabilities_are_those_of_the_definition() -> None:
    X, y = clouds(120)
    fitted = fit_posterior(X, y)
    scaled = fitted.scaling.apply(X)
    nearest = np.sort(np.linalg.norm(scaled[:, None] - scaled[None], axis=2), axis=1)[:, 1]
    queries = RNG.normal(size=(15, 4))
    for x, found in zip(fitted.scaling.apply(queries), fitted.of(queries), strict=True):
        logits = features_by_hand(scaled, y, x, 0.05 * np.median(nearest)) @ fitted.weights
        expected = np.exp(logits) / np.exp(logits).sum()
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_the_weights_maximise_the_penalised_likelihood_of_cases_left_out() -> None:
    X, y = clouds(90)
    fitted = fit_posterior(X, y)
    scaled = fitted.scaling.apply(X)
    nearest = np.sort(np.linalg.norm(scaled[:, None] - scaled[None], axis=2), axis=1)[:, 1]
    table = []
    for row in range(len(X)):
        others = np.arange(len(X)) != row
        features = features_by_hand(scaled[others], y[others], scaled[row], 0.05 * np.median(nearest))
        prior_own, prior_left = np.bincount(y) / 90, np.bincount(y[others]) / 89
        assert np.abs(prior_own - prior_left).max() < 0.02  # the smoothing uses the shares of all cases
        table.append(features)
    stacked = np.array(table)

    def loss(weights: np.ndarray) -> float:
        logits = stacked @ weights
        own = logits[np.arange(90), y]
        top = np.log(np.exp(logits - logits.max(1, keepdims=True)).sum(1)) + logits.max(1)
        return float((top - own).sum() + 0.5 * ((weights - 1 / 3) ** 2).sum())

    best = minimize(loss, np.full(3, 1 / 3), bounds=[(0, None)] * 3)
    np.testing.assert_allclose(fitted.weights, best.x, atol=0.05)
    assert loss(fitted.weights) < loss(np.full(3, 1 / 3))


def test_probabilities_are_about_calibrated_on_new_data() -> None:
    surplus: dict[float, list[float]] = {low: [] for low in (0.3, 0.5, 0.7, 0.9)}
    for _ in range(6):  # one case base of 500 may be off by 0.1; on average it must not be
        X, y = clouds(500)
        queries, truth = clouds(1000)
        chance = fit_posterior(X, y).of(queries)
        np.testing.assert_allclose(chance.sum(axis=1), 1.0)
        for low, found in surplus.items():
            inside = (chance >= low) & (chance < low + 0.1)
            found.append(chance[inside].mean() - (np.arange(3) == truth[:, None])[inside].mean())
    assert all(abs(np.mean(found)) < 0.07 for found in surplus.values())


def test_a_changed_label_is_more_suspect_than_a_true_one() -> None:
    X, y = clouds(300, apart=4.0)
    changed = y.copy()
    changed[:30] = (changed[:30] + 1) % 3
    doubt = fit_posterior(X, changed).suspicion(changed)
    assert np.median(doubt[:30]) > 0.9
    assert np.median(doubt[30:]) < 0.1


def test_units_do_not_matter_and_the_result_is_always_the_same() -> None:
    X, y = clouds(80)
    queries = RNG.normal(size=(20, 4))
    scale = np.array([1e6, 1e-6, 3.0, 1.0])
    np.testing.assert_allclose(
        fit_posterior(X * scale, y).of(queries * scale), fit_posterior(X, y).of(queries), atol=1e-6
    )
    assert np.array_equal(fit_posterior(X, y).of(queries), fit_posterior(X, y).of(queries))


def test_many_cases_are_fitted_on_some_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = clouds(200)
    whole = fit_posterior(X, y).weights
    monkeypatch.setattr(posterior_module, "MOST_FITTED", 50)
    some = fit_posterior(X, y).weights
    assert not np.array_equal(whole, some)
    assert np.isfinite(some).all()


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[0.0]], [0]),  # one case
        ([[0.0], [1.0]], [0, 0]),  # one class
        ([[0.0], [1.0]], [0, 1]),  # one case per class
        ([[1.0]] * 60, [0, 1] * 30),  # all cases equal
        ([[0.0]] * 59 + [[1.0]], [0] * 59 + [1]),  # duplicates beyond every k
        ([[0.0], [1.0], [2.0]], ["b", "a", "b"]),
    ],
)
def test_tiny_and_degenerate_case_bases_give_probabilities(X: list[list[float]], y: list[object]) -> None:
    labels = np.array(y)
    fitted = fit_posterior(np.array(X), labels)
    chance = fitted.of(np.array([[0.5], [1.0], [100.0]]))
    assert chance.shape == (3, len(np.unique(labels)))
    assert np.isfinite(chance).all()
    np.testing.assert_allclose(chance.sum(axis=1), 1.0)
    assert ((fitted.suspicion(labels) >= 0) & (fitted.suspicion(labels) <= 1)).all()
    assert fitted.nearest(np.array([[0.5]]), 10).indices.shape == (1, min(10, len(X)))
