"""The space in which cases are compared: raw, or standardised by the training cases."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.cases.checks import LARGEST, FloatArray
from assay.core import InvalidInput

__all__ = ["Scaling", "fit_scaling", "no_scaling"]


class Scaling(NamedTuple):
    """Per feature, what is subtracted and what it is divided by."""

    centre: FloatArray
    spread: FloatArray

    def apply(self, X: FloatArray) -> FloatArray:
        """The rows in the scaled space, as a new array."""
        with np.errstate(over="ignore"):
            scaled = X - self.centre
            scaled /= self.spread
        if scaled.size and not (scaled.min() > -LARGEST and scaled.max() < LARGEST):
            row, column = np.argwhere(~(np.abs(scaled) < LARGEST))[0]
            raise InvalidInput(
                f"row {row}, feature {column}: {X[row, column]} is too far from the training cases to compare "
                f"(mean {self.centre[column]}, spread {self.spread[column]}). Check the units of this feature."
            )
        return scaled


def fit_scaling(X: FloatArray) -> Scaling:
    r"""Mean and standard deviation of each feature of the training cases.

    $$z_{ij} = (x_{ij} - \bar x_j) / s_j, \qquad s_j = \sqrt{\tfrac1n \sum_i (x_{ij} - \bar x_j)^2}$$

    A constant feature has $$s_j = 1$$: it says nothing about the training cases, and a query that differs in it is
    that far away.

    >>> fit_scaling(np.array([[0.0, 7.0], [2.0, 7.0]]))
    Scaling(centre=array([1., 7.]), spread=array([1., 1.]))
    """
    centre, spread = np.empty(X.shape[1]), np.ones(X.shape[1])
    for feature, column in enumerate(X.T):  # a column at a time: no second copy of the data
        centre[feature] = column[0]
        deviation = column - column[0]
        largest = np.abs(deviation).max()
        if largest > 0:
            # relative to the largest deviation, so that squares of tiny numbers do not vanish
            relative = deviation / largest
            centre[feature] += largest * relative.mean()
            spread[feature] = largest * relative.std() or 1.0
    return Scaling(centre, spread)


def no_scaling(features: int) -> Scaling:
    """The raw space."""
    return Scaling(np.zeros(features), np.ones(features))
