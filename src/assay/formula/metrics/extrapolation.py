"""How well a model's values fit outside the training box."""

from __future__ import annotations

import math

import numpy.typing as npt

from assay.core import Metric
from assay.formula.examine.evidence import FormulaEvidence
from assay.formula.metrics.accuracy import LOWEST, bounded_r2, r_squared
from assay.formula.metrics.reading import beyond, floor_where, has_beyond, over_parts, share

__all__ = ["extrapolation_score"]


def extrapolation_score(actual: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    r"""R² on the partition outside the training box, clipped to [0, 1].

    $$\min(1, \max(0, R^2_\mathrm{extrapolation}))$$

    Parameters
    ----------
    actual : array-like of shape (n,)
        The true targets outside of the training box.
    predicted : array-like of shape (n,)
        The values of the model, in the same order.

    Returns
    -------
    float
        A number from 0 to 1, or nan where R² is undefined.

    Examples
    --------
    >>> extrapolation_score([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]), extrapolation_score([1.0, 2.0, 3.0], [9.0, 9.0, 9.0])
    (1.0, 0.0)
    """
    r2 = r_squared(actual, predicted)
    return r2 if math.isnan(r2) else min(1.0, max(0.0, r2))


METRICS: tuple[Metric[FormulaEvidence], ...] = (
    share("extrapolation", over_parts(beyond(extrapolation_score)), extrapolation_score, has_beyond),
    Metric(
        "extrapolation_r2",
        over_parts(beyond(bounded_r2)),
        bounded_r2,
        floor=floor_where(LOWEST, has_beyond),
        oracle=1.0,
        limits=(LOWEST, 1),
    ),
)
