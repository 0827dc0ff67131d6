import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp
from sklearn.kernel_ridge import KernelRidge

import assay.cases.subjects.posterior as posterior_module
from assay.cases.subjects.posterior import fit_posterior

RNG = np.random.default_rng(6)


def clouds(count: int, classes: int = 3, features: int = 4, apart: float = 1.5) -> tuple[np.ndarray, np.ndarray]:
    labels = np.arange(count) % classes
    return RNG.normal(size=(count, features)) + apart * np.eye(classes, features)[labels], labels


def chequers(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Three classes on the squares of a board, one label in ten changed: near and far cases both have a say."""
    rng = np.random.default_rng(9)
    X = rng.uniform(0, 4, size=(count, 2))
    return X, (np.floor(X).astype(int).sum(axis=1) + (rng.random(count) < 0.1)) % 3


def ridge_by_hand(cases: np.ndarray, y: np.ndarray, x: np.ndarray, width: float, penalty: float) -> np.ndarray:
    """Kernel ridge regression on the membership in each class, relative to its share, by another library."""
    member = (np.unique(y) == y[:, None]) - np.bincount(np.unique(y, return_inverse=True)[1]) / len(y)
    model = KernelRidge(kernel="rbf", gamma=0.5 / width**2, alpha=penalty * len(y)).fit(cases, member)
    return np.asarray(model.predict(x[None])[0])


def closeness_by_hand(cases: np.ndarray, y: np.ndarray, x: np.ndarray, shortest: float) -> np.ndarray:
    """Of the 2 and the 10 nearest cases of each class, straight from the definition."""
    d = np.linalg.norm(cases - x, axis=1)
    logs = [np.log(np.sort(d[y == c])[:10] + shortest) for c in np.unique(y)]
    return np.array([[-nearest_logs[:2].mean(), -nearest_logs.mean()] for nearest_logs in logs])


def shortest_by_hand(scaled: np.ndarray) -> float:
    distances = np.linalg.norm(scaled[:, None] - scaled[None], axis=2)
    return float(0.05 * np.median(np.sort(distances, axis=1)[:, 1]))


def test_the_probabilities_are_those_of_the_definition() -> None:
    X, y = chequers(120)
    fitted = fit_posterior(X, y)
    assert (fitted.weights > 0.05).all()  # else a feature could be anything
    scaled, shortest = fitted.scaling.apply(X), shortest_by_hand(fitted.scaling.apply(X))
    typical = np.median(np.linalg.norm(scaled[:, None] - scaled[None], axis=2))
    # which width and penalty leave the smallest errors at left-out cases, found by really leaving them out
    settings = [(width * typical, penalty) for width in (0.35, 0.7) for penalty in (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)]
    others = [np.arange(120) != row for row in range(0, 120, 3)]
    member = np.eye(3)[y] - np.bincount(y) / 120
    errors = []
    for width, penalty in settings:
        gamma, alpha = 0.5 / width**2, penalty * 120  # the share of all cases, and the penalty of all cases
        models = [KernelRidge(kernel="rbf", gamma=gamma, alpha=alpha).fit(scaled[k], member[k]) for k in others]
        missed = [model.predict(scaled[~k])[0] - member[~k][0] for model, k in zip(models, others, strict=True)]
        np.testing.assert_allclose(surprise_by_hand(scaled, member, width, alpha)[::3], -np.array(missed), atol=1e-6)
        errors.append((surprise_by_hand(scaled, member, width, alpha) ** 2).sum())
    width, penalty = settings[int(np.argmin(errors))]
    queries = RNG.uniform(0, 4, size=(15, 2))
    for x, probabilities in zip(fitted.scaling.apply(queries), fitted.of(queries), strict=True):
        vote = 5 * ridge_by_hand(scaled, y, x, width, penalty)
        logits = np.column_stack([closeness_by_hand(scaled, y, x, shortest), vote]) @ fitted.weights
        np.testing.assert_allclose(probabilities, np.exp(logits) / np.exp(logits).sum(), atol=1e-7)


def surprise_by_hand(scaled: np.ndarray, member: np.ndarray, width: float, alpha: float) -> np.ndarray:
    """The textbook formula for left-out residuals of a ridge regression, with an explicit inverse."""
    kernel = np.exp(-0.5 * (np.linalg.norm(scaled[:, None] - scaled[None], axis=2) / width) ** 2)
    inverse = np.linalg.inv(kernel + alpha * np.eye(len(kernel)))
    return np.asarray(inverse @ member / np.diag(inverse)[:, None])


def test_the_weights_maximise_the_penalised_likelihood_of_cases_left_out() -> None:
    X, y = clouds(90)
    fitted = fit_posterior(X, y)
    scaled, shortest = fitted.scaling.apply(X), shortest_by_hand(fitted.scaling.apply(X))
    left_out = [np.arange(90) != row for row in range(90)]
    near = [closeness_by_hand(scaled[k], y[k], scaled[~k][0], shortest) for k in left_out]
    vote = 5 * fitted._cases.vote.left_out
    stacked = np.concatenate([np.array(near), vote[:, :, None]], axis=2)

    def loss(weights: np.ndarray) -> float:
        logits = stacked @ weights
        return float(
            (logsumexp(logits, axis=1) - logits[np.arange(90), y]).sum() + 0.5 * ((weights - 1 / 3) ** 2).sum()
        )

    best = minimize(loss, np.full(3, 1 / 3), bounds=[(0, None)] * 3)
    np.testing.assert_allclose(fitted.weights, best.x, atol=1e-3)
    assert loss(fitted.weights) < loss(np.full(3, 1 / 3))


def test_log_odds_are_those_of_the_probabilities_and_keep_their_digits_near_certainty() -> None:
    X, y = clouds(150)
    fitted = fit_posterior(X, y)
    queries, labels = RNG.normal(size=(20, 4)), np.arange(20) % 3
    chance = fitted.of(queries)[np.arange(20), labels]
    np.testing.assert_allclose(fitted.log_odds(queries, labels), np.log(chance / (1 - chance)), atol=1e-9)
    assert fitted.log_odds(queries[:2], np.array([-1, 9])).tolist() == [-np.inf, -np.inf]
    alone = fit_posterior(X, np.zeros(150, dtype=int))
    assert alone.log_odds(queries[:1], np.array([0])).tolist() == [np.inf]


def test_the_vote_tells_classes_apart_that_neighbours_confuse() -> None:
    # one feature in twelve decides: near cases are near for other reasons
    X = RNG.normal(size=(400, 12))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    fitted = fit_posterior(X[:250], y[:250])
    d = np.linalg.norm(fitted.scaling.apply(X[250:])[:, None] - fitted.scaling.apply(X[:250])[None], axis=2)
    nearest = y[:250][np.argsort(d, axis=1)[:, :5]].mean(axis=1) > 0.5
    right = (fitted.of(X[250:]).argmax(axis=1) == y[250:]).mean()
    assert right > (nearest == y[250:]).mean() + 0.03


@pytest.mark.soak
def test_probabilities_are_about_calibrated_on_new_data() -> None:
    surplus: dict[float, list[float]] = {low: [] for low in (0.3, 0.5, 0.7, 0.9)}
    for _ in range(6):  # one case base of 500 may be off by 0.1; on average it must not be
        X, y = clouds(500)
        queries, truth = clouds(1000)
        chance = fit_posterior(X, y).of(queries)
        np.testing.assert_allclose(chance.sum(axis=1), 1.0)
        for low, surpluses in surplus.items():
            inside = (chance >= low) & (chance < low + 0.1)
            surpluses.append(chance[inside].mean() - (np.arange(3) == truth[:, None])[inside].mean())
    assert all(abs(np.mean(surpluses)) < 0.07 for surpluses in surplus.values())


def test_a_changed_label_is_more_suspect_than_a_true_one() -> None:
    X, y = clouds(300, apart=4.0)
    changed = y.copy()
    changed[:30] = (changed[:30] + 1) % 3
    doubt = fit_posterior(X, changed).suspicion(changed)
    assert np.median(doubt[:30]) > 0.9
    assert np.median(doubt[30:]) < 0.15  # one label in ten is wrong, and the doubt knows it


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
    fitted = fit_posterior(X, y)
    assert not np.array_equal(whole, fitted.weights)
    assert np.isfinite(fitted.weights).all()
    # cases without a voice are judged by all that have one, at their own place
    silent = np.setdiff1d(np.arange(200), fitted._cases.vote.rows)
    assert len(silent) == 150
    vote, scaled = fitted._cases.vote, fitted.scaling.apply(X)
    np.testing.assert_array_equal(vote.at_cases(silent, scaled[silent]), vote.at(scaled[silent]))
    np.testing.assert_array_equal(vote.at_cases(vote.rows, scaled[vote.rows]), vote.left_out)
    assert ((fitted.suspicion(y) >= 0) & (fitted.suspicion(y) <= 1)).all()


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


def test_of_very_many_cases_an_even_choice_of_each_class_doubts_the_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = clouds(300, apart=4.0)
    changed = y.copy()
    changed[:30] = (changed[:30] + 1) % 3
    fitted = fit_posterior(X, changed)
    by_all = fitted.suspicion(changed)
    monkeypatch.setattr(posterior_module, "MOST_JUDGING", 100)
    by_some = fitted.suspicion(changed)
    assert not np.array_equal(by_all, by_some)
    assert np.median(by_some[:30]) > 0.9
    assert np.median(by_some[30:]) < 0.15
    # a case is never its own judge: the first of a class, which judges, is judged by the other judges
    judges = [np.flatnonzero(changed == label)[::3] for label in range(3)]
    scaled = fitted.scaling.apply(X)
    table = fitted._cases.features_left_out(np.array([judges[1][0]]), step=3)
    gaps = np.sort(np.linalg.norm(scaled[judges[1][1:]] - scaled[judges[1][0]], axis=1))
    assert table[0, 1, 0] == pytest.approx(-np.log(gaps[:2] + fitted._cases.shortest).mean())


def test_large_classes_can_be_searched_approximately_and_the_recall_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("faiss")
    X, y = clouds(600, classes=2)
    assert fit_posterior(X, y).recall is None
    assert fit_posterior(X, y, algorithm="faiss").recall is None  # so few are searched exactly
    monkeypatch.setattr(posterior_module, "_FEWEST_APPROXIMATE", 200)
    fitted = fit_posterior(X, y, algorithm="faiss")
    assert [index.algorithm for index in fitted._cases.by_class] == ["faiss", "faiss"]
    assert fitted.recall is not None
    assert fitted.recall >= 0.99
    queries = RNG.normal(size=(40, 4))
    assert np.abs(fitted.of(queries) - fit_posterior(X, y).of(queries)).mean() < 0.02
