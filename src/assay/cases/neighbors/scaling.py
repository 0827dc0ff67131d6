"""The units in which features are compared: raw, or measured by the training cases."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from assay.cases.neighbors.checks import LARGEST, FloatArray
from assay.core import InvalidInput, UnknownName

__all__ = ["Scale", "Scaling", "fit_minmax", "fit_robust", "fit_scaling", "no_scaling", "scale_name"]

Scale: TypeAlias = bool | Literal["standard", "minmax", "robust", "none"]
_ScaleName: TypeAlias = Literal["standard", "minmax", "robust", "none"]


class Scaling(NamedTuple):
    """Per feature, what is subtracted and what it is divided by."""

    centre: FloatArray
    spread: FloatArray

    def apply(self, X: FloatArray) -> FloatArray:
        """The rows in the scaled space, as a new array; what is missing stays missing."""
        with np.errstate(over="ignore"):
            scaled = X - self.centre
            scaled /= self.spread
        if scaled.size and not (scaled.min() > -LARGEST and scaled.max() < LARGEST):
            far = np.argwhere(np.abs(scaled) >= LARGEST)
            if len(far):
                row, column = far[0]
                raise InvalidInput(
                    f"row {row}, feature {column}: {X[row, column]} is too far from the training cases to compare "
                    f"(mean {self.centre[column]}, spread {self.spread[column]}). Check the units of this feature."
                )
        return scaled

    def weighted(self, factors: FloatArray) -> Scaling:
        """The same units with each feature stretched by a factor; a factor of 0 takes the feature out."""
        with np.errstate(divide="ignore"):
            return Scaling(self.centre, self.spread / factors)


def scale_name(scale: object) -> _ScaleName:
    """The name of a way to scale; True and False are the short forms of "standard" and "none".

    >>> scale_name(True), scale_name("robust")
    ('standard', 'robust')
    """
    if isinstance(scale, bool | np.bool_):
        return "standard" if scale else "none"
    for name in get_args(_ScaleName):
        if isinstance(scale, str) and scale == name:
            return name  # type: ignore[no-any-return]
    raise UnknownName("scale", str(scale), get_args(_ScaleName))


def fit_scaling(X: FloatArray) -> Scaling:
    r"""Mean and standard deviation of each feature of the training cases.

    $$z_{ij} = (x_{ij} - \bar x_j) / s_j, \qquad s_j = \sqrt{\tfrac1n \sum_i (x_{ij} - \bar x_j)^2}$$

    A constant feature has $$s_j = 1$$: it says nothing about the training cases, and a query that differs in it is
    that far away. Missing values are left out; a feature that is missing everywhere has mean 0.

    >>> fit_scaling(np.array([[0.0, 7.0], [2.0, 7.0]]))
    Scaling(centre=array([1., 7.]), spread=array([1., 1.]))
    """
    return _by_feature(X, _mean_and_deviation)


def _mean_and_deviation(column: FloatArray) -> tuple[float, float]:
    deviation = column - column[0]
    largest = np.abs(deviation).max()
    if not largest > 0:
        return column[0], 0.0
    # relative to the largest deviation, so that squares of tiny numbers do not vanish
    relative = deviation / largest
    return column[0] + largest * relative.mean(), largest * relative.std()


def fit_minmax(X: FloatArray) -> Scaling:
    """Smallest value and range of each feature; a constant feature has spread 1.

    >>> fit_minmax(np.array([[0.0, 7.0], [4.0, 7.0]]))
    Scaling(centre=array([0., 7.]), spread=array([4., 1.]))
    """
    return _by_feature(X, lambda column: (column.min(), column.max() - column.min()))


def fit_robust(X: FloatArray) -> Scaling:
    """Median and interquartile range of each feature; where the range is 0 the spread is 1.

    >>> fit_robust(np.array([[0.0], [1.0], [2.0], [3.0], [1e6]]))
    Scaling(centre=array([2.]), spread=array([2.]))
    """

    def median_and_range(column: FloatArray) -> tuple[float, float]:
        low, median, high = np.percentile(column, (25, 50, 75))
        return median, high - low

    return _by_feature(X, median_and_range)


def no_scaling(features: int) -> Scaling:
    """The raw space."""
    return Scaling(np.zeros(features), np.ones(features))


def _by_feature(X: FloatArray, measure: Callable[[FloatArray], tuple[float, float]]) -> Scaling:
    """Centre and spread of what is present of each feature; a spread of 0 counts as 1."""
    scaling = no_scaling(X.shape[1])
    for feature, column in enumerate(X.T):  # a column at a time: no second copy of the data
        missing = np.isnan(column)
        present = column[~missing] if missing.any() else column
        if len(present):
            scaling.centre[feature], spread = measure(present)
            scaling.spread[feature] = spread or 1.0
    return scaling
