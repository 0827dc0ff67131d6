"""What one answer comes to: its property's score, whether it is a solution, and whether it is what it claims to be."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from assay.core import InvalidInput, UnknownName
from assay.formula.equivalence.certificate import POSITIVE, VERDICTS, Verdict
from assay.formula.metrics.accuracy import SOLVED, nmse, r_squared

__all__ = [
    "LOWEST",
    "accurate",
    "behavioural_distance",
    "bounded_nmse",
    "bounded_r2",
    "prediction_mismatch",
    "property_score",
    "solved",
    "solved_in_front",
    "undecided",
]

# below this all models are equally useless, and one of them must not decide a mean
LOWEST = -1.0


def property_score(property: str, scores: Mapping[str, float]) -> float:
    r"""The score of the property that a problem was made for, in [0, 1]; their mean is the headline.

    $$s_{\mathrm{property}(p)}$$

    Undefined (nan) where that score is.

    >>> property_score("noise", {"rediscovery": 0.4, "noise": 0.9})
    0.9
    """
    if property not in scores:
        raise UnknownName("property", property, scores)
    score = scores[property]
    if not (math.isnan(score) or 0 <= score <= 1):
        raise InvalidInput(f"the score of {property!r} must lie in [0, 1], got {score}.")
    return score


def solved(verdict: Verdict) -> float:
    r"""1 for a formula that was found, up to constants, else 0; the mean over problems is the solution rate.

    $$[v \in \{\text{identical, offset, factor, affine, form}\}]$$

    Undefined (nan) for an undecided verdict: it is no "no", and its rate is published beside.

    >>> solved("affine"), solved("different"), solved("undecided")
    (1.0, 0.0, nan)
    """
    if verdict not in VERDICTS:
        raise UnknownName("verdict", verdict, VERDICTS)
    return math.nan if verdict == "undecided" else float(verdict in POSITIVE)


def solved_in_front(verdicts: Sequence[Verdict]) -> float:
    r"""1 when any model of the subject's Pareto set is the formula, else 0.

    $$\max_{m} [v_m \in \{\text{identical, offset, factor, affine, form}\}]$$

    Undefined (nan) when none is and one is undecided, or when there is no verdict.

    >>> solved_in_front(["different", "form"]), solved_in_front(["different"])
    (1.0, 0.0)
    """
    found = [solved(verdict) for verdict in verdicts]
    if 1.0 in found:
        return 1.0
    return math.nan if not found or any(math.isnan(one) for one in found) else 0.0


def undecided(verdict: Verdict) -> float:
    r"""1 where the comparison with the truth reached its limits, else 0; the mean over problems is the undecided rate.

    $$[v = \text{undecided}]$$

    >>> undecided("undecided"), undecided("different")
    (1.0, 0.0)
    """
    if verdict not in VERDICTS:
        raise UnknownName("verdict", verdict, VERDICTS)
    return float(verdict == "undecided")


def accurate(r2: float) -> float:
    r"""1 when R² exceeds 0.999, else 0; the mean over problems is the share of accurate solutions.

    $$[R^2 > 0.999]$$

    Undefined (nan) where R² is.

    >>> accurate(0.9995), accurate(0.999), accurate(float("-inf"))
    (1.0, 0.0, 0.0)
    """
    return math.nan if math.isnan(r2) else float(r2 > SOLVED)


def bounded_r2(actual: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    r"""R², at least -1: a model without values, or beyond that, must not decide a mean over problems.

    $$\max\left(-1,\; 1 - \frac{\sum_i (y_i - \hat y_i)^2}{\sum_i (y_i - \bar y)^2}\right)$$

    >>> bounded_r2([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]), bounded_r2([1.0, 2.0, 3.0], [1.0, 2.0, float("nan")])
    (1.0, -1.0)
    """
    found = r_squared(actual, predicted)
    return found if math.isnan(found) else max(LOWEST, found)


def bounded_nmse(actual: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    r"""Mean squared error as a share of the target's variance, at most 2; 0 is perfect.

    $$\min\left(2,\; \frac{\sum_i (y_i - \hat y_i)^2}{\sum_i (y_i - \bar y)^2}\right)$$

    >>> bounded_nmse([1.0, 2.0, 3.0], [2.0, 2.0, 2.0]), bounded_nmse([1.0, 2.0], [1.0, float("inf")])
    (1.0, 2.0)
    """
    found = nmse(actual, predicted)
    return found if math.isnan(found) else min(1.0 - LOWEST, found)


def behavioural_distance(truth: npt.ArrayLike, model: npt.ArrayLike) -> float:
    r"""Root mean square of the difference in standard deviations of the truth, at most 1.

    $$\min\left(1,\; \frac{\sqrt{\frac{1}{n} \sum_i (t_i - m_i)^2}}{\mathrm{sd}(t)}\right)$$

    1 where the model has no value.

    >>> behavioural_distance([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]), behavioural_distance([1.0, 2.0, 3.0], [9.0, 9.0, 9.0])
    (0.0, 1.0)
    """
    share = nmse(truth, model)
    return share if math.isnan(share) else min(1.0, math.sqrt(share))


def prediction_mismatch(said: npt.ArrayLike, computed: npt.ArrayLike, target: npt.ArrayLike) -> float:
    r"""How far the subject's own predictions lie from the values of its formula, in standard deviations of the target.

    $$\frac{\sqrt{\frac{1}{n} \sum_i (p_i - f(x_i))^2}}{\mathrm{sd}(y)}$$

    Infinite where only one of the two has a value; rows without either count as agreement.

    >>> prediction_mismatch([1.0, 2.0], [1.0, 2.0], [0.0, 5.0])
    0.0
    >>> prediction_mismatch([1.0, 2.0], [1.0, float("nan")], [0.0, 5.0])
    inf
    """
    p, f, y = (np.asarray(values, dtype=np.float64) for values in (said, computed, target))
    if p.ndim != 1 or p.shape != f.shape or not len(p):
        raise InvalidInput(f"said and computed must be two lists of one length, got shapes {p.shape} and {f.shape}.")
    here, there = np.isfinite(p), np.isfinite(f)
    if (here != there).any():
        return math.inf
    if not here.any():
        return 0.0
    apart = p[here] - f[here]
    largest = float(np.max(np.abs(apart)))
    if largest == 0.0:
        return 0.0
    spread = float(np.std(y)) or float(np.max(np.abs(y), initial=0.0)) or 1.0
    # scaled first: squares of large differences overflow
    return largest * float(np.sqrt(np.mean(np.square(apart / largest)))) / spread
