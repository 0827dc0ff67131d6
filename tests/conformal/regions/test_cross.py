"""Cross intervals: their promise by simulation, their edges, and what is refused. MAPIE's are in test_mapie."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression, LogisticRegression

from assay.conformal.regions import CrossRegressor, cross_coverage, cross_intervals
from assay.core import InvalidInput


def hits_of_means(trials: int, *, folds: int | None, method: Any, alpha: float = 0.1, n: int = 20) -> int:
    """Hits of one new number each; the model of a fold is the mean of the other samples."""
    rng = np.random.default_rng(0)
    fold = np.arange(n) % (folds or n)
    hits = 0
    for _ in range(trials):
        y = rng.standard_t(2, size=n + 1)
        models = np.array([y[:n][fold != k].mean() for k in range(fold.max() + 1)])
        intervals = cross_intervals(models[fold], y[:n], models[:, None], alpha=alpha, folds=fold, method=method)
        hits += bool(intervals.contains(y[n:])[0])
    return hits


@pytest.mark.parametrize(("folds", "method"), [(None, "plus"), (5, "plus"), (5, "minmax")])
def test_cross_intervals_keep_their_promise(folds: int | None, method: Any) -> None:
    promised = cross_coverage(20, folds or 20, 0.1, method=method)
    hits = hits_of_means(1500, folds=folds, method=method)
    assert hits >= stats.binom.ppf(1e-6, 1500, promised)
    assert hits >= stats.binom.ppf(1e-6, 1500, 0.87)  # what is seen in practice, above what is proved


@pytest.mark.soak
@pytest.mark.parametrize("n", [19, 20, 50])
@pytest.mark.parametrize(("folds", "method"), [(None, "plus"), (5, "plus"), (None, "minmax"), (5, "minmax")])
def test_cross_intervals_keep_their_promise_in_many_trials(
    n: int, folds: int | None, method: Any, record_property: Callable[[str, object], None]
) -> None:
    hits = hits_of_means(30_000, folds=folds, method=method, n=n)
    promised = cross_coverage(n, folds or n, 0.1, method=method)
    record_property("promised", promised)
    record_property("coverage", hits / 30_000)  # the table of docs/tracks/conformal.md
    assert hits >= stats.binom.ppf(1e-6, 30_000, promised)


def test_too_few_samples_give_infinite_ends() -> None:
    intervals = cross_intervals([1.0, 2.0], [1.0, 2.0], [[1.0], [2.0]], alpha=0.1)
    assert intervals.low.tolist() == [-np.inf]
    assert intervals.high.tolist() == [np.inf]


def test_many_new_samples_in_blocks_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    out, truth, new = rng.normal(size=30), rng.normal(size=30), rng.normal(size=(30, 17))
    whole = cross_intervals(out, truth, new, alpha=0.1)
    monkeypatch.setattr("assay.conformal.regions.cross._AT_ONCE", 100)
    assert np.array_equal(np.asarray(cross_intervals(out, truth, new, alpha=0.1)), np.asarray(whole))


def test_a_missing_truth_leaves_its_sample() -> None:
    rng = np.random.default_rng(0)
    out, truth, new = rng.normal(size=30), rng.normal(size=30), rng.normal(size=(5, 4))
    folds = np.arange(30) % 5
    gone = np.where(np.arange(30) == 3, np.nan, truth)
    rest = np.arange(30) != 3
    intervals = cross_intervals(out, gone, new, alpha=0.1, folds=folds)
    expected = cross_intervals(out[rest], truth[rest], new, alpha=0.1, folds=folds[rest])
    assert np.array_equal(np.asarray(intervals), np.asarray(expected))


def test_the_promise_of_jackknife_is_that_of_cv_with_as_many_folds_as_samples() -> None:
    assert cross_coverage(100, 100, 0.1) == 0.8
    assert cross_coverage(100, 10, 0.1) == pytest.approx(0.8 - min(1.8 / 11, 0.9 / 11))
    assert cross_coverage(4, 2, 0.45) == 0.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: CrossRegressor(LogisticRegression()), "LogisticRegression is a classifier; give a regressor"),
        (lambda: CrossRegressor(3), "int needs fit"),
        (lambda: CrossRegressor(LinearRegression(), folds=1), "at least 2"),
        (lambda: CrossRegressor(LinearRegression(), folds=9).fit([[1.0], [2.0]], [1.0, 2.0]), "9 folds need"),
        (lambda: CrossRegressor(LinearRegression()).predict([[1.0]]), "call fit"),
        (lambda: cross_intervals([1.0], [1.0], [1.0], alpha=0.1), r"\(folds, samples\) matrix"),
        (lambda: cross_intervals([1.0, 2.0], [1.0, 2.0], [[1.0]], alpha=0.1), "predictions of 1 models"),
        (lambda: cross_intervals([1.0], [1.0], [[1.0]], alpha=0.1, method="minmx"), "Did you mean 'minmax'"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_done_is_said(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        call()


def test_it_introduces_itself() -> None:
    model = CrossRegressor(LinearRegression(), folds=3)
    assert repr(model) == "CrossRegressor(LinearRegression, 3 folds, plus, not fitted)"
    x = np.arange(9.0)[:, None]
    assert repr(model.fit(x, x[:, 0])) == "CrossRegressor(LinearRegression, 3 folds, plus, fitted on 9 samples)"
    np.testing.assert_allclose(model.predict([[4.5]]), [4.5])


def test_models_must_predict_finite_numbers_for_new_samples() -> None:
    with pytest.raises(InvalidInput, match="new: give a .* matrix of finite numbers"):
        cross_intervals([1.0, 2.0, 3.0], [1.5, 2.0, 2.0], [[4.0], [np.nan], [5.0]], alpha=0.25)


def test_a_promise_needs_a_method_and_folds_that_there_can_be() -> None:
    for arguments, message in (
        ({"samples": 10, "folds": 0}, "folds must be a whole number of at least 2"),
        ({"samples": 5, "folds": 10}, "samples must be a whole number of at least 10"),
        ({"samples": 10, "folds": 5, "method": "pluss"}, "cross method"),
    ):
        with pytest.raises(InvalidInput, match=message):
            cross_coverage(**arguments, alpha=0.1)
    with pytest.raises(InvalidInput, match="cross method"):
        CrossRegressor(LinearRegression(), method="pluss")  # type: ignore[arg-type]
