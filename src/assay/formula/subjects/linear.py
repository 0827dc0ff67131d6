"""The linear baseline: ordinary least squares, written out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.arrays import FloatArray, column_spreads
from assay.formula.expression.expression import Expression, Number, Symbol, add, multiply
from assay.formula.subjects.adapter import CHECKED_ROWS, Adapter, Candidate, mean_squared_error

__all__ = ["Linear", "least_squares", "linear_candidate", "weighted_sum"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Linear(Adapter):
    """A weighted sum of all variables and a constant."""

    title = "linear"

    def fit(self, inputs: FloatArray, target: FloatArray, *, seconds: float, seed: int) -> list[Candidate]:
        """One model; the mean alone beside it."""
        terms: list[Expression] = [Symbol(f"x{place}") for place in range(inputs.shape[1])]
        mean = float(np.mean(target))
        return [
            linear_candidate(inputs, target, *least_squares(inputs, target), terms),
            Candidate(Number(mean), mean_squared_error(target, np.full_like(target, mean))),
        ]


def least_squares(columns: FloatArray, target: FloatArray) -> tuple[float, FloatArray]:
    """The constant and the weights of the best weighted sum; the smallest weights where several are best."""
    centre, scale = columns.mean(axis=0), column_spreads(columns)
    scale = np.where(scale > 0, scale, 1.0)
    scaled_weights, *_ = np.linalg.lstsq((columns - centre) / scale, target - target.mean(), rcond=None)
    weights: FloatArray = scaled_weights / scale
    return float(target.mean() - centre @ weights), weights


def linear_candidate(
    columns: FloatArray, target: FloatArray, offset: float, weights: FloatArray, terms: list[Expression]
) -> Candidate:
    """The weighted sum of the columns, which the terms are the formulas of, with its error and predictions."""
    predicted = offset + columns @ weights
    error = mean_squared_error(target, predicted)
    return Candidate(weighted_sum(offset, weights, terms), error, predicted[:CHECKED_ROWS])


def weighted_sum(offset: float, weights: FloatArray, terms: list[Expression]) -> Expression:
    """The sum as a tree; terms with weight 0 are left out.

    >>> from assay.formula.expression.expression import to_text
    >>> to_text(weighted_sum(0.5, np.array([2.0, 0.0, -1.0]), [Symbol("a"), Symbol("b"), Symbol("c")]))
    '2.0*a + -1.0*c + 0.5'
    """
    parts = [multiply(Number(float(weight)), term) for weight, term in zip(weights, terms, strict=True) if weight]
    return add(*parts, Number(float(offset))) if parts else Number(float(offset))
