"""How well a model's values fit."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from assay.core import InvalidInput, Metric, MetricFamily
from assay.formula.equivalence.comparison import unit_of
from assay.formula.examine.evidence import FormulaEvidence, PartEvidence
from assay.formula.metrics.reading import on_test, over_parts, share
from assay.formula.problem.task import OWN

__all__ = ["accurate", "bounded_nmse", "bounded_r2", "explained_share", "nmse", "r_squared", "solution_share"]

SOLVED = 0.999

# below this all models are equally useless, and one of them must not decide a mean
LOWEST = -1.0


def _pair(actual: npt.ArrayLike, predicted: npt.ArrayLike) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    y, p = np.asarray(actual, dtype=np.float64), np.asarray(predicted, dtype=np.float64)
    if y.ndim != 1 or p.shape != y.shape:
        raise InvalidInput(f"actual and predicted must be two lists of one length, got shapes {y.shape} and {p.shape}.")
    if len(y) < 2:
        raise InvalidInput(f"actual and predicted need at least two values, got {len(y)}.")
    if not np.isfinite(y).all():
        raise InvalidInput("actual must be finite; remove the rows without a target.")
    return y, p


def nmse(actual: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    r"""Mean squared error as a share of the target's variance; 0 is perfect, 1 is what the mean reaches.

    $$\mathrm{NMSE} = \frac{\sum_i (y_i - \hat y_i)^2}{\sum_i (y_i - \bar y)^2}$$

    Infinite when a prediction is not a finite number: such a model is not excused at the points where it fails.
    Undefined (nan) for a target that does not vary, unless it is met exactly.

    Parameters
    ----------
    actual : array-like of shape (n,)
        The true targets.
    predicted : array-like of shape (n,)
        The values of the model, in the same order.

    Returns
    -------
    float
        At least 0; may be infinite, or nan.

    Raises
    ------
    InvalidInput
        The two differ in length or hold fewer than two values, or a target is not finite.

    Examples
    --------
    >>> nmse([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]), nmse([1.0, 2.0, 3.0], [2.0, 2.0, 2.0])
    (0.0, 1.0)
    >>> nmse([1.0, 2.0], [1.0, float("nan")])
    inf
    """
    y, p = _pair(actual, predicted)
    if not np.isfinite(p).all():
        return math.inf
    if y.min() == y.max():  # its mean may be rounded, so the deviations from it are not all zero
        return 0.0 if (y == p).all() else math.nan
    unit = unit_of(y)
    with np.errstate(over="ignore"):
        y, p = y / unit, p / unit
        return float(np.sum(np.square(y - p))) / float(np.sum(np.square(y - y.mean())))


def r_squared(actual: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    r"""Share of the target's variance that the model explains; 1 is perfect, below 0 is worse than the mean.

    $$R^2 = 1 - \frac{\sum_i (y_i - \hat y_i)^2}{\sum_i (y_i - \bar y)^2}$$

    Minus infinity when a prediction is not a finite number. Undefined (nan) for a target that does not vary, unless it
    is met exactly.

    Parameters
    ----------
    actual : array-like of shape (n,)
        The true targets.
    predicted : array-like of shape (n,)
        The values of the model, in the same order.

    Returns
    -------
    float
        At most 1; may be minus infinity, or nan.

    Raises
    ------
    InvalidInput
        The two differ in length or hold fewer than two values, or a target is not finite.

    Examples
    --------
    >>> r_squared([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]), r_squared([1.0, 2.0, 3.0], [2.0, 2.0, 2.0])
    (1.0, 0.0)
    """
    return 1.0 - nmse(actual, predicted)


def bounded_r2(actual: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    r"""R², at least -1: a model without values, or beyond that, must not decide a mean over problems.

    $$\max\left(-1,\; 1 - \frac{\sum_i (y_i - \hat y_i)^2}{\sum_i (y_i - \bar y)^2}\right)$$

    Parameters
    ----------
    actual : array-like of shape (n,)
        The true targets.
    predicted : array-like of shape (n,)
        The values of the model, in the same order.

    Returns
    -------
    float
        A number from -1 to 1, or nan.

    Examples
    --------
    >>> bounded_r2([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]), bounded_r2([1.0, 2.0, 3.0], [1.0, 2.0, float("nan")])
    (1.0, -1.0)
    """
    r2 = r_squared(actual, predicted)
    return r2 if math.isnan(r2) else max(LOWEST, r2)


def bounded_nmse(actual: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    r"""Mean squared error as a share of the target's variance, at most 2; 0 is perfect.

    $$\min\left(2,\; \frac{\sum_i (y_i - \hat y_i)^2}{\sum_i (y_i - \bar y)^2}\right)$$

    Parameters
    ----------
    actual : array-like of shape (n,)
        The true targets.
    predicted : array-like of shape (n,)
        The values of the model, in the same order.

    Returns
    -------
    float
        A number from 0 to 2, or nan.

    Examples
    --------
    >>> bounded_nmse([1.0, 2.0, 3.0], [2.0, 2.0, 2.0]), bounded_nmse([1.0, 2.0], [1.0, float("inf")])
    (1.0, 2.0)
    """
    error = nmse(actual, predicted)
    return error if math.isnan(error) else min(1.0 - LOWEST, error)


def accurate(r2: float, *, threshold: float = SOLVED) -> float:
    r"""1 when R² exceeds the threshold, else 0; the mean over problems is the share of accurate solutions.

    $$[R^2 > \tau], \quad \tau = 0.999 \text{ by default}$$

    Undefined (nan) where R² is.

    Parameters
    ----------
    r2 : float
        R² on the test rows.
    threshold : float, default 0.999
        What R² must exceed.

    Returns
    -------
    float
        1.0 or 0.0, or nan.

    Examples
    --------
    >>> accurate(0.9995), accurate(0.999), accurate(float("-inf"))
    (1.0, 0.0, 0.0)
    >>> accurate(0.95, threshold=0.9)
    1.0
    """
    return math.nan if math.isnan(r2) else float(r2 > threshold)


def solution_share(qualities: npt.ArrayLike, *, threshold: float = SOLVED) -> float:
    r"""Share of problems on which R² exceeds 0.999; an undefined R² is no solution.

    $$\frac{|\{p : R^2_p > 0.999\}|}{n}$$

    Parameters
    ----------
    qualities : array-like of shape (problems,)
        R² on every problem.
    threshold : float, default 0.999
        What R² must exceed.

    Returns
    -------
    float
        A share from 0 to 1, or nan without problems.

    Examples
    --------
    >>> solution_share([1.0, 0.999, 0.5, float("nan")])
    0.25
    """
    values = np.asarray(qualities, dtype=np.float64)
    return float(np.mean(values > threshold)) if values.size else math.nan


def explained_share(model_r2: float, truth_r2: float = 1.0) -> float:
    r"""What the model explains of the test rows as a share of what the truth explains there, from 0 to 1.

    $$\min\left(1, \max\left(0, \frac{R^2_\mathrm{model}}{R^2_\mathrm{truth}}\right)\right)$$

    The truth explains everything on rows free of noise. Undefined (nan) where the truth explains nothing, or R² is
    undefined.

    Parameters
    ----------
    model_r2 : float
        R² of the model on the test rows.
    truth_r2 : float, default 1.0
        R² of the true formula there; 1 where it is not known.

    Returns
    -------
    float
        A share from 0 to 1, or nan.

    Examples
    --------
    >>> explained_share(0.45), explained_share(0.45, 0.5), explained_share(float("-inf"))
    (0.45, 0.9, 0.0)
    """
    if not truth_r2 > 0 or math.isnan(model_r2):
        return math.nan
    return min(1.0, max(0.0, model_r2 / truth_r2))


def explained_of_part(evidence: FormulaEvidence, part: PartEvidence) -> float:
    """The explained share of a part's model; undefined for a table of one's own, which was made for no property."""
    if evidence.property == OWN:
        return math.nan
    truth = evidence.truth_test
    truth_r2 = 1.0 if truth is None else r_squared(evidence.test_target, truth)
    return explained_share(r_squared(evidence.test_target, part.test), truth_r2)


def _accurate(name: str, threshold: float) -> Metric[FormulaEvidence]:
    return Metric(
        name,
        over_parts(lambda evidence, part: accurate(r_squared(evidence.test_target, part.test), threshold=threshold)),
        accurate,
        oracle=1.0,
    )


FAMILIES: tuple[MetricFamily[FormulaEvidence], ...] = (
    MetricFamily(
        name="accurate",
        parameter="r2",
        make=lambda threshold: _accurate(f"accurate@{threshold:.15g}", threshold),
        example=0.99,
        whole=False,
        least=0,
        most=1,
    ),
)

METRICS: tuple[Metric[FormulaEvidence], ...] = (
    Metric("r2", over_parts(on_test(bounded_r2)), bounded_r2, floor=LOWEST, oracle=1.0),
    Metric("nmse", over_parts(on_test(bounded_nmse)), bounded_nmse, goal="min", floor=1.0 - LOWEST, oracle=0.0),
    _accurate("accurate", SOLVED),
    share("explained_share", over_parts(explained_of_part), explained_share, lambda task, truth: truth.property != OWN),
)
