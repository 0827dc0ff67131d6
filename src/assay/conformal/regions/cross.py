"""Intervals without a calibration set: CV+, jackknife+ and their minmax forms."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from assay.conformal.calibration.quantile import conformal_quantile, conformal_rank
from assay.conformal.regions.region import Intervals, as_numbers
from assay.conformal.sets.checks import FloatArray, IntArray, as_alpha, to_numpy
from assay.core import InvalidInput, UnknownName
from assay.core.checks import demand_whole

__all__ = ["CrossRegressor", "cross_coverage", "cross_intervals"]

CrossMethod: TypeAlias = Literal["plus", "minmax"]

_AT_ONCE = 4_000_000  # numbers of one block of new samples


def cross_intervals(
    out_of_fold: Any,
    truth: Any,
    new: Any,
    *,
    alpha: float | Fraction,
    folds: Any = None,
    method: CrossMethod = "plus",
) -> Intervals:
    r"""Intervals from models that each left out a fold: CV+, and jackknife+ where every sample is its own fold.

    $$\bigl[\hat q^-_\alpha\{\mu_{-k(i)}(x) - R_i\},\; \hat q^+_\alpha\{\mu_{-k(i)}(x) + R_i\}\bigr], \qquad
    R_i = |y_i - \mu_{-k(i)}(x_i)|$$

    with $\hat q^+$ the ⌈(1 - α)(n + 1)⌉-th smallest and $\hat q^-$ the ⌊α(n + 1)⌋-th. ``minmax`` adds the quantile of
    the residuals to the largest and smallest prediction. :func:`cross_coverage` says what each promises.

    Parameters
    ----------
    out_of_fold : array of n numbers
        What is predicted for each training sample by the model that did not see it.
    truth : array of n numbers
        The true numbers; nan is missing.
    new : (K, m) matrix
        What the model of each fold predicts for the m new samples.
    alpha : float or Fraction
        The share of errors that is aimed at.
    folds : array of n numbers from 0 to K - 1, optional
        The fold of each training sample; left out, sample i is fold i (jackknife).
    method : "plus" or "minmax"
        How the models are combined.

    Returns
    -------
    Intervals
        One per new sample.

    Raises
    ------
    InvalidInput
        When shapes do not fit.

    Examples
    --------
    >>> intervals = cross_intervals([1.0, 2.0, 3.0], [1.5, 2.0, 2.0], [[4.0], [4.5], [5.0]], alpha=0.25)
    >>> intervals.low.tolist(), intervals.high.tolist()
    ([3.5], [6.0])
    """
    level = as_alpha(alpha)
    _demand_method(method)
    predicted = as_numbers(out_of_fold, "out_of_fold", finite=True)
    right = as_numbers(truth, "truth", samples=len(predicted))
    matrix = to_numpy(new).astype(np.float64)
    if matrix.ndim != 2 or not np.isfinite(matrix).all():
        raise InvalidInput(f"new: give a (folds, samples) matrix of finite numbers, got shape {matrix.shape}.")
    fold = _folds(folds, len(predicted), len(matrix))
    labelled = ~np.isnan(right)
    residuals, fold = np.abs(right - predicted)[labelled], fold[labelled]
    if method == "minmax":
        reach = conformal_quantile(residuals, level)
        return Intervals(matrix.min(axis=0) - reach, matrix.max(axis=0) + reach)
    samples, columns = len(residuals), matrix.shape[1]
    upper, lower = conformal_rank(samples, level), floor((samples + 1) * level)
    low, high = np.full(columns, -np.inf), np.full(columns, np.inf)
    block = max(1, _AT_ONCE // max(samples, 1))
    for start in range(0, columns, block):
        part = slice(start, start + block)
        predictions = matrix[:, part][fold]
        if lower >= 1:
            low[part] = np.partition(predictions - residuals[:, None], lower - 1, axis=0)[lower - 1]
        if upper <= samples:
            high[part] = np.partition(predictions + residuals[:, None], upper - 1, axis=0)[upper - 1]
    return Intervals(low, high)


def cross_coverage(samples: int, folds: int, alpha: float | Fraction, *, method: CrossMethod = "plus") -> float:
    r"""What cross intervals promise for exchangeable samples, whatever the model.

    $$1 - 2\alpha - \min\left\{\frac{2(1 - 1/K)}{n/K + 1}, \frac{1 - K/n}{K + 1}\right\} \text{ (plus)}, \qquad
    1 - \alpha \text{ (minmax)}$$

    With K = n (jackknife+) it is 1 - 2α. In practice the coverage of ``plus`` is close to 1 - α.

    Parameters
    ----------
    samples : int
        Training samples, n.
    folds : int
        Folds, K, of equal size.
    alpha : float or Fraction
        The share of errors that is aimed at.
    method : "plus" or "minmax"
        As in :func:`cross_intervals`.

    Returns
    -------
    float
        The guaranteed coverage; not below 0.

    Examples
    --------
    >>> cross_coverage(100, 100, 0.1), cross_coverage(100, 10, 0.1, method="minmax")
    (0.8, 0.9)
    """
    level = as_alpha(alpha)
    _demand_method(method)
    demand_whole(folds, "folds", least=2)
    demand_whole(samples, "samples", least=folds)
    if method == "minmax":
        return float(1 - level)
    size = Fraction(samples, folds)
    lost = min(2 * (1 - Fraction(1, folds)) / (size + 1), (1 - 1 / size) / (folds + 1))
    return float(max(1 - 2 * level - lost, Fraction(0)))


def _demand_method(method: str) -> None:
    if method not in get_args(CrossMethod):
        raise UnknownName("cross method", str(method), get_args(CrossMethod))


class CrossRegressor:
    """A regressor with intervals from cross-validation: all samples train and all calibrate.

    Parameters
    ----------
    estimator : regressor
        With ``fit`` and ``predict``; cloned for every fold.
    folds : int, optional
        How many; left out, every sample is its own fold (jackknife+).
    method : "plus" or "minmax"
        As in :func:`cross_intervals`.
    seed : int, default 0
        The seed of the order in which samples are dealt to folds.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> x = np.arange(30.0)
    >>> model = CrossRegressor(LinearRegression(), folds=10).fit(x[:, None], 2 * x + x % 2)
    >>> intervals = model.predict_intervals([[100.0]], alpha=0.1)
    >>> round(float(intervals.low[0])), round(float(intervals.high[0])), round(model.guarantee(0.1), 2)
    (200, 202, 0.74)
    """

    def __init__(
        self, estimator: Any, *, folds: int | None = None, method: CrossMethod = "plus", seed: int = 0
    ) -> None:
        _demand_method(method)
        if folds is not None:
            demand_whole(folds, "folds", least=2)
        if not callable(getattr(estimator, "fit", None)) or not callable(getattr(estimator, "predict", None)):
            raise InvalidInput(f"estimator: {type(estimator).__name__} needs fit() and predict(); give a regressor.")
        if hasattr(estimator, "predict_proba"):
            raise InvalidInput(
                f"estimator: {type(estimator).__name__} is a classifier; give a regressor, or "
                "MultiTaskConformalClassifier the classifier."
            )
        self.estimator, self.folds, self.method, self.seed = estimator, folds, method, seed
        self._models: list[Any] = []
        self._fold: IntArray = np.empty(0, dtype=np.int64)
        self._out: FloatArray = np.empty(0)
        self._truth: FloatArray = np.empty(0)

    def __repr__(self) -> str:
        folds = "jackknife" if self.folds is None else f"{self.folds} folds"
        state = f"fitted on {len(self._truth)} samples" if self._models else "not fitted"
        return f"CrossRegressor({type(self.estimator).__name__}, {folds}, {self.method}, {state})"

    def fit(self, X: Any, y: Any) -> CrossRegressor:
        """Fit one model per fold, each without the fold."""
        from sklearn.base import clone
        from sklearn.utils import _safe_indexing

        truth = as_numbers(y, "y", finite=True)
        count = len(truth) if self.folds is None else self.folds
        if count > len(truth) or len(truth) < 2:
            raise InvalidInput(f"folds: {count} folds need at least as many samples, got {len(truth)}.")
        order = np.random.default_rng(self.seed).permutation(len(truth))
        self._fold = np.empty(len(truth), dtype=np.int64)
        self._fold[order] = np.arange(len(truth)) % count
        self._models, self._out, self._truth = [], np.empty(len(truth)), truth
        for fold in range(count):
            outside, inside = np.flatnonzero(self._fold == fold), np.flatnonzero(self._fold != fold)
            model = clone(self.estimator).fit(_safe_indexing(X, inside), truth[inside])
            self._out[outside] = as_numbers(model.predict(_safe_indexing(X, outside)), "prediction", finite=True)
            self._models.append(model)
        return self

    def predict(self, X: Any) -> FloatArray:
        """The mean of the models' predictions."""
        mean: FloatArray = self._predictions(X).mean(axis=0)
        return mean

    def predict_intervals(self, X: Any, *, alpha: float | Fraction) -> Intervals:
        """The intervals of new samples."""
        return cross_intervals(
            self._out, self._truth, self._predictions(X), alpha=alpha, folds=self._fold, method=self.method
        )

    def guarantee(self, alpha: float | Fraction) -> float:
        """The coverage that is promised at a level."""
        self._demand_fitted()
        return cross_coverage(len(self._truth), len(self._models), alpha, method=self.method)

    def _predictions(self, X: Any) -> FloatArray:
        self._demand_fitted()
        return np.stack([as_numbers(model.predict(X), "prediction", finite=True) for model in self._models])

    def _demand_fitted(self) -> None:
        if not self._models:
            raise InvalidInput("not fitted yet: call fit(X, y) first.")


def _folds(folds: Any, samples: int, models: int) -> IntArray:
    fold = np.arange(samples) if folds is None else to_numpy(folds)
    if fold.shape != (samples,) or fold.dtype.kind not in "iu":
        raise InvalidInput(f"folds: give a fold number for each of the {samples} samples, got shape {fold.shape}.")
    if samples and (fold.min() < 0 or fold.max() >= models):
        raise InvalidInput(
            f"folds: numbers go from {fold.min()} to {fold.max()}, but new has the predictions of {models} models."
        )
    return fold.astype(np.int64)
