"""Predictions of numbers: intervals by residuals, normalised residuals and conformalised quantiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.conformal.regions.region import Intervals, as_numbers
from assay.conformal.sets.checks import FloatArray
from assay.core import InvalidInput

__all__ = ["Quantiles", "Values"]

_ERRORS = 4  # units in the last place by which a score and its way back are rounded, at most


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    r"""Predicted numbers, with a scale of each where the model has one: intervals by (normalised) residuals.

    $$s = |y - \mu(x)| / \sigma(x), \qquad [\mu(x) - \hat q \sigma(x),\; \mu(x) + \hat q \sigma(x)]$$

    Parameters
    ----------
    predicted : array of n numbers
        What the model says.
    scale : array of n positive numbers, optional
        How uncertain each is, in any unit: a standard deviation, a predicted absolute residual.
    symmetric : bool, default True
        False calibrates both ends apart, each at half of the allowed errors.

    Examples
    --------
    >>> Values([1.0, 2.0], scale=[1.0, 0.5]).scores([2.0, 3.0]).tolist()
    [[1.0, 2.0]]
    """

    predicted: Any
    scale: Any = None
    symmetric: bool = True

    def __post_init__(self) -> None:
        predicted = as_numbers(self.predicted, "predicted", finite=True)
        object.__setattr__(self, "predicted", predicted)
        if self.scale is not None:
            scale = as_numbers(self.scale, "scale", samples=len(predicted), finite=True)
            if (scale <= 0).any():
                where = int(np.argmax(scale <= 0))
                raise InvalidInput(
                    f"scale: must be positive, got {scale[where]:g} at sample {where}. Add a small number to all."
                )
            object.__setattr__(self, "scale", scale)

    @property
    def samples(self) -> int:
        """How many samples it is for."""
        return len(self.predicted)

    @property
    def rows(self) -> int:
        """One score, or one for each end."""
        return 1 if self.symmetric else 2

    @property
    def form(self) -> str:
        """Whether residuals are divided by a scale."""
        return "Values without a scale" if self.scale is None else "Values with a scale"

    def scores(self, truth: Any, seed: int = 0) -> FloatArray:
        """(Normalised) residuals."""
        residual = as_numbers(truth, "truth", samples=self.samples) - self.predicted
        if self.scale is not None:
            residual = residual / self.scale
        return np.abs(residual)[None] if self.symmetric else np.stack([-residual, residual])

    def region(self, thresholds: FloatArray, seed: int = 0) -> Intervals:
        """Intervals around the predicted numbers."""
        scale = 1.0 if self.scale is None else self.scale
        return Intervals(
            _end(self.predicted, -thresholds[0] * scale, -1), _end(self.predicted, thresholds[-1] * scale, 1)
        )


@dataclass(frozen=True, slots=True, eq=False)
class Quantiles:
    r"""A lower and an upper quantile, as quantile regression gives them: conformalised quantiles (CQR).

    $$s = \max\{l(x) - y,\; y - u(x)\}, \qquad [l(x) - \hat q,\; u(x) + \hat q]$$

    Where the threshold is negative intervals shrink; one that vanishes is empty.

    Parameters
    ----------
    low, high : arrays of n numbers
        The quantiles; any two of the model, not only those of the level that is wanted.
    symmetric : bool, default True
        False calibrates both ends apart, each at half of the allowed errors.

    Examples
    --------
    >>> Quantiles([0.0, 0.0], [1.0, 1.0]).scores([0.5, 3.0]).tolist()
    [[-0.5, 2.0]]
    """

    low: Any
    high: Any
    symmetric: bool = True

    def __post_init__(self) -> None:
        low = as_numbers(self.low, "low", finite=True)
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", as_numbers(self.high, "high", samples=len(low), finite=True))

    @property
    def samples(self) -> int:
        """How many samples it is for."""
        return len(self.low)

    @property
    def rows(self) -> int:
        """One score, or one for each end."""
        return 1 if self.symmetric else 2

    @property
    def form(self) -> str:
        """Always the same."""
        return "Quantiles"

    def scores(self, truth: Any, seed: int = 0) -> FloatArray:
        """How far outside the quantiles, negative inside."""
        values = as_numbers(truth, "truth", samples=self.samples)
        ends = np.stack([self.low - values, values - self.high])
        return ends.max(axis=0)[None] if self.symmetric else ends

    def region(self, thresholds: FloatArray, seed: int = 0) -> Intervals:
        """The quantiles, moved."""
        return Intervals(_end(self.low, -thresholds[0], -1), _end(self.high, thresholds[-1], 1))


def _end(origin: FloatArray, reach: FloatArray, outward: int) -> FloatArray:
    """Origin plus reach, moved outward by what the score and the way back may round: equal truths must stay inside."""
    end = origin + reach
    finite = np.isfinite(end)
    size = np.where(finite, np.maximum(np.maximum(np.abs(origin), np.abs(reach)), np.abs(end)), 1.0)
    return np.where(finite, end + outward * _ERRORS * np.spacing(size), end)
