"""Spaces in which another metric is the Euclidean distance: standardised, whitened, or of directions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from assay.cases.neighbors.checks import FloatArray
from assay.core import InvalidInput

__all__ = ["Rotation", "fit_directions", "fit_mahalanobis", "fit_spreads"]

# rows, and whether they are queries
Rotation: TypeAlias = Callable[[FloatArray, bool], FloatArray]


def fit_spreads(scaled: FloatArray, V: Any) -> Rotation:
    """Divide by the standard deviations; ``V`` are the variances, those of the training cases by default."""
    if V is None:
        variances = scaled.var(axis=0, ddof=1) if len(scaled) > 1 else np.ones(scaled.shape[1])
        variances = np.where(variances > 0, variances, 1.0)  # a constant feature is compared as it is
    else:
        variances = _numbers(V, (scaled.shape[1],), "V")
        if not (variances > 0).all():
            raise InvalidInput(f"metric_params: variances V must be above 0, got {variances[~(variances > 0)][0]}.")
    return _Divided(np.sqrt(variances))


def fit_mahalanobis(scaled: FloatArray, *, V: Any = None, VI: Any = None) -> Rotation:
    """Multiply by a root of the inverse covariance ``VI``; ``V`` is the covariance, of the training cases by default.

    A singular covariance is inverted where it can be: directions in which the training cases do not vary do not count.
    """
    features = scaled.shape[1]
    if V is not None and VI is not None:
        raise InvalidInput("metric_params: give V (covariance) or VI (its inverse), not both.")
    if VI is not None:
        inverse = _symmetric(_numbers(VI, (features, features), "VI"), "VI")
    else:
        if V is not None:
            covariance = _symmetric(_numbers(V, (features, features), "V"), "V")
        elif len(scaled) > 1:
            covariance = np.asarray(np.cov(scaled, rowvar=False), dtype=np.float64).reshape(features, features)
        else:
            covariance = np.eye(features)
        inverse = np.asarray(np.linalg.pinv(covariance, hermitian=True), dtype=np.float64)
    values, vectors = np.linalg.eigh(inverse)
    if values.min() < -1e-9 * max(1.0, float(values.max())):
        parameter = "V" if VI is None else "VI"
        raise InvalidInput(f"metric_params: {parameter} must have no negative eigenvalue, found one.")
    return _Turned(vectors * np.sqrt(np.maximum(values, 0.0)))


def fit_directions(*, centred: bool) -> Rotation:
    """Rows of length one; ``centred``: after each row's own mean was taken off."""
    return _Directions(centred)


@dataclass(frozen=True, slots=True)
class _Divided:
    spreads: FloatArray

    def __call__(self, rows: FloatArray, query: bool) -> FloatArray:
        return rows / self.spreads


@dataclass(frozen=True, slots=True)
class _Turned:
    root: FloatArray

    def __call__(self, rows: FloatArray, query: bool) -> FloatArray:
        # sums in a fixed order: a row's place in its batch must not move a digit
        return np.stack([(rows * column).sum(axis=-1) for column in self.root.T], axis=-1)


@dataclass(frozen=True, slots=True)
class _Directions:
    """Two more columns keep rows of length zero at cosine distance 1 from everything, each other included."""

    centred: bool

    def __call__(self, rows: FloatArray, query: bool) -> FloatArray:
        largest = np.abs(rows).max(axis=1)
        if self.centred:
            rows = rows - rows.mean(axis=1, keepdims=True)
        lengths = np.sqrt(np.square(rows).sum(axis=1))
        if self.centred:
            lengths[lengths <= 1e-12 * largest] = 0.0  # a row of equal values has no direction, only rounding
        directions = np.zeros((len(rows), rows.shape[1] + 2))
        np.divide(rows, lengths[:, None], out=directions[:, :-2], where=lengths[:, None] > 0)
        directions[:, -1 if query else -2] = lengths == 0
        return directions


def _numbers(values: Any, shape: tuple[int, ...], name: str) -> FloatArray:
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"metric_params: {name} must be numbers, got {values!r}.") from None
    if numbers.shape != shape or not np.isfinite(numbers).all():
        raise InvalidInput(f"metric_params: {name} must be finite numbers of shape {shape}, got shape {numbers.shape}.")
    return numbers


def _symmetric(matrix: FloatArray, name: str) -> FloatArray:
    if not np.allclose(matrix, matrix.T, rtol=1e-8, atol=1e-12 * max(1.0, float(np.abs(matrix).max()))):
        raise InvalidInput(f"metric_params: {name} must be symmetric.")
    return (matrix + matrix.T) / 2
