"""Where "high" and "medium" begin, fitted on held-out predictions whose truth is known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from assay.cases.explanation.facts import Thresholds
from assay.cases.metrics.agreement import HIGH, MEDIUM
from assay.cases.metrics.arrays import BoolArray, as_judged
from assay.cases.neighbors.checks import FloatArray
from assay.core import Interval, InvalidInput
from assay.core.checks import demand_confidence
from assay.core.display import counted, object_html

__all__ = ["CalibratedThresholds", "calibrate_thresholds"]

FEWEST_ERRORS = 10  # below this a share of errors above a threshold is a matter of luck
FEWEST_ABOVE = 10  # predictions that must lie above a threshold for its accuracy to mean anything
_RESAMPLES = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibratedThresholds:
    """Thresholds with their uncertainty, and where they come from; made by :func:`calibrate_thresholds`.

    Parameters
    ----------
    high, medium : Interval
        From where on a correspondence is called so.
    source : "fitted" or "document"
        "document" where the data do not allow a fit and 0.85 and 0.70 stand.
    reason : str
        Why they were not fitted; empty when they were.
    target_accuracy : tuple of two floats
        What was asked of the predictions called high, and medium.
    accuracy : tuple of two floats
        What the predictions from "high" up reach, and those called medium; nan if there is none.
    predictions : int
        How many predictions were given.
    errors : int
        How many of them are wrong.

    Examples
    --------
    >>> fitted = calibrate_thresholds([0.9] * 40 + [0.6] * 40 + [0.3] * 20, [False] * 75 + [True] * 25)
    >>> fitted
    CalibratedThresholds(high 0.900 [0.600, 0.900], medium 0.600 [0.600, 0.900], fitted on 100 predictions, 25 wrong)
    >>> fitted.thresholds
    Thresholds(high=0.9, medium=0.6)
    """

    high: Interval
    medium: Interval
    source: Literal["fitted", "document"]
    reason: str
    target_accuracy: tuple[float, float]
    accuracy: tuple[float, float]  # of the predictions from "high" up, and of those called medium; nan if none is
    predictions: int
    errors: int

    def __repr__(self) -> str:
        origin = "fitted on" if self.source == "fitted" else "not fitted,"
        of = f"{origin} {counted(self.predictions, 'prediction')}, {self.errors} wrong"
        return f"CalibratedThresholds(high {self.high}, medium {self.medium}, {of})"

    def _repr_html_(self) -> str:
        columns = ("band", "from correspondence", "accuracy asked", "accuracy reached")
        rows = zip(("high", "medium"), (self.high, self.medium), self.target_accuracy, self.accuracy, strict=True)
        facts = {"predictions": self.predictions, "wrong": self.errors, "source": self.source}
        return object_html(
            "CalibratedThresholds", facts | ({"reason": self.reason} if self.reason else {}), columns=columns, rows=rows
        )

    @property
    def thresholds(self) -> Thresholds:
        """The two numbers."""
        return Thresholds(self.high.value, self.medium.value)


def calibrate_thresholds(
    correspondence: npt.ArrayLike,
    wrong: npt.ArrayLike,
    *,
    target_accuracy: tuple[float, float] = (0.95, 0.80),
    confidence: float = 0.95,
    seed: int = 0,
) -> CalibratedThresholds:
    r"""The lowest thresholds above which the predictions are as accurate as asked.

    $$\theta_\mathrm{high} = \min\{\theta : \mathrm{acc}(c \ge \theta) \ge a_\mathrm{high}\}, \qquad
    \theta_\mathrm{medium} = \min\{\theta : \mathrm{acc}(\theta \le c < \theta_\mathrm{high}) \ge a_\mathrm{medium}\}$$

    among the correspondences that occur, with at least 10 predictions in the band. The medium band is judged by itself,
    because the accurate high one would lift anything; where none is accurate enough, medium begins where high does.
    Intervals are percentile intervals of a bootstrap over the predictions; resamples that allow no fit are left out,
    and the bounds are nan when more than half of them do not.

    The document's thresholds are kept, and ``source`` says so, with fewer than 10 wrong predictions, or when not even
    the highest correspondences are accurate enough. Fit on predictions that were not used for training.

    Parameters
    ----------
    correspondence : sequence of n numbers from 0 to 1
        The correspondence of held-out predictions.
    wrong : sequence of n booleans
        Which of them are wrong.
    target_accuracy : tuple of two floats, default (0.95, 0.80)
        What predictions called high, and medium, must reach.
    confidence : float, default 0.95
        The confidence of the intervals.
    seed : int, default 0
        The seed of the bootstrap.

    Returns
    -------
    CalibratedThresholds
        Pass its ``thresholds`` to ``CaseExplainer(..., thresholds=...)``.

    Raises
    ------
    InvalidInput
        When a correspondence lies outside 0 to 1, or the targets are not in order.

    Examples
    --------
    >>> fitted = calibrate_thresholds([0.9] * 40 + [0.6] * 40 + [0.3] * 20, [False] * 75 + [True] * 25)
    >>> fitted.thresholds, fitted.source, fitted.accuracy
    (Thresholds(high=0.9, medium=0.6), 'fitted', (1.0, 0.875))
    >>> calibrate_thresholds([0.9, 0.2], [False, True]).reason
    '1 wrong prediction of 2; at least 10 are needed'
    """
    c, is_wrong = as_judged(correspondence, wrong, what="correspondence")
    if not ((c >= 0) & (c <= 1)).all():
        raise InvalidInput(f"correspondence: {c[(c < 0) | (c > 1)][0]} does not lie between 0 and 1.")
    targets = _as_targets(target_accuracy)
    demand_confidence(confidence)
    fitted = _fit(c, is_wrong, targets)
    errors = int(is_wrong.sum())
    reason = ""
    if errors < FEWEST_ERRORS:
        count = "1 wrong prediction" if errors == 1 else f"{errors} wrong predictions"
        reason = f"{count} of {len(c)}; at least {FEWEST_ERRORS} are needed"
    elif fitted is None:
        reason = f"from no correspondence on are {targets[0]:.0%} of the predictions right"
    if reason or fitted is None:
        high, medium = Interval(HIGH, math.nan, math.nan), Interval(MEDIUM, math.nan, math.nan)
    else:
        high, medium = _intervals(c, is_wrong, targets, fitted, confidence, seed)
    return CalibratedThresholds(
        high=high,
        medium=medium,
        source="document" if reason else "fitted",
        reason=reason,
        target_accuracy=targets,
        accuracy=(
            _accuracy(is_wrong[c >= high.value]),
            _accuracy(is_wrong[(c >= medium.value) & (c < high.value)]),
        ),
        predictions=len(c),
        errors=errors,
    )


def _as_targets(target_accuracy: tuple[float, float]) -> tuple[float, float]:
    try:
        high, medium = (float(target) for target in target_accuracy)
    except (TypeError, ValueError):
        raise InvalidInput(f"target_accuracy must be two numbers (high, medium), got {target_accuracy!r}.") from None
    if not 0 < medium <= high <= 1:
        raise InvalidInput(f"target_accuracy must satisfy 0 < medium <= high <= 1, got {target_accuracy!r}.")
    return high, medium


def _fit(c: FloatArray, wrong: BoolArray, targets: tuple[float, float]) -> tuple[float, float] | None:
    """Both thresholds; None where even the highest correspondences are not accurate enough."""
    high = _lowest(c, wrong, targets[0])
    if high is None:
        return None
    medium = _lowest(c[c < high], wrong[c < high], targets[1])
    return high, high if medium is None else medium


def _lowest(c: FloatArray, wrong: BoolArray, target: float) -> float | None:
    """The lowest correspondence from which on the predictions are accurate enough; None without one."""
    order = np.argsort(-c, kind="stable")
    values, count = c[order], np.arange(1, len(c) + 1)
    # a cut lies behind the last of equal correspondences
    is_cut = np.append(values[1:] < values[:-1], True)[: len(c)]
    # counts, not shares, so that 19 of 20 is 95 %; the slack is for the rounding of target * n
    enough = is_cut & (count >= FEWEST_ABOVE) & (np.cumsum(~wrong[order]) >= target * count - 1e-9)
    return float(values[np.flatnonzero(enough)[-1]]) if enough.any() else None


def _intervals(
    c: FloatArray,
    wrong: BoolArray,
    targets: tuple[float, float],
    fitted: tuple[float, float],
    confidence: float,
    seed: int,
) -> tuple[Interval, Interval]:
    rng = np.random.default_rng(seed)
    resampled = []
    for _ in range(_RESAMPLES):
        rows = rng.integers(len(c), size=len(c))
        again = _fit(c[rows], wrong[rows], targets)
        if again is not None:
            resampled.append(again)
    if 2 * len(resampled) < _RESAMPLES:
        return Interval(fitted[0], math.nan, math.nan), Interval(fitted[1], math.nan, math.nan)
    tail = (1 - confidence) / 2
    low, high = np.quantile(np.array(resampled), (tail, 1 - tail), axis=0)
    return (
        Interval(fitted[0], float(min(low[0], fitted[0])), float(max(high[0], fitted[0]))),
        Interval(fitted[1], float(min(low[1], fitted[1])), float(max(high[1], fitted[1]))),
    )


def _accuracy(wrong: BoolArray) -> float:
    return float((~wrong).mean()) if len(wrong) else math.nan
