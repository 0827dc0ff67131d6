"""How many problems it takes to tell two subjects apart."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from assay.core import InvalidInput
from assay.stats.clusters import cluster_count
from assay.stats.resampling import FloatArray, IntArray
from assay.stats.signflip import smallest_p_value

__all__ = ["PlannedSize", "plan_size"]

MOST_UNITS = 10_000_000  # beyond that no study is planned


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSize:
    """So many ``problems`` show a mean difference of ``effect`` with this ``power`` at this ``level``.

    ``spread`` is the standard deviation of one difference, or of a cluster's contribution where problems share
    ``clusters``; these are then needed in that number, of the sizes that were seen. ``measured`` is the number of
    problems that the spread was learnt from; ``reached`` is the power that they have themselves.
    """

    effect: float
    power: float
    level: float
    problems: int
    clusters: int
    spread: float
    measured: int
    reached: float


def plan_size(
    differences: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    effect: float | None = None,
    power: float = 0.8,
    level: float = 0.05,
) -> PlannedSize:
    r"""The number of problems at which a paired test finds a mean difference, from the spread of recorded differences.

    The smallest n with

    $$P\bigl(|T_{n-1}(\sqrt{n}\,\delta / s)| > t_{n-1,\,1-\alpha/2}\bigr) \ge \text{power}$$

    of the noncentral t distribution, and at least so many that a sign-flip test can reach the level at all. With
    clusters n counts clusters, and s is the spread of their contributions to the mean. By default the effect is the
    observed mean difference, which flatters: a difference that was picked for its size is smaller in the next sample.

    >>> planned = plan_size([0.1, 0.3, -0.1, 0.2, 0.0, 0.1])
    >>> planned.problems, round(planned.effect, 2), round(planned.spread, 3)
    (18, 0.1, 0.141)
    """
    values = np.asarray(differences, dtype=np.float64)
    groups = np.arange(values.size) if clusters is None else np.unique(np.asarray(clusters), return_inverse=True)[1]
    _check(values, groups, effect, power, level)
    shift = abs(float(values.mean())) if effect is None else abs(effect)
    sums = np.bincount(groups, weights=values - values.mean()) * np.unique(groups).size / values.size
    spread = float(np.sqrt(np.sum(sums**2) / (sums.size - 1)))
    if shift == 0.0:
        raise InvalidInput("the two do not differ at all here: give the difference that matters to you as the effect.")
    units = _units(shift / spread if spread else math.inf, power, level)
    related = bool(cluster_count(groups))
    return PlannedSize(
        effect=shift,
        power=power,
        level=level,
        problems=math.ceil(units * values.size / sums.size) if related else units,
        clusters=units if related else 0,
        spread=spread,
        measured=values.size,
        reached=_power(sums.size, shift / spread if spread else math.inf, level),
    )


def _check(values: FloatArray, groups: IntArray, effect: float | None, power: float, level: float) -> None:
    if values.ndim != 1 or values.shape != groups.shape:
        raise InvalidInput(f"planning needs a row of differences and a cluster for each, got shape {values.shape}.")
    if not np.isfinite(values).all() or np.unique(groups).size < 3:
        raise InvalidInput(
            f"planning needs finite differences on at least three problems or clusters, got {values.size} on "
            f"{np.unique(groups).size}: run the two subjects on more problems first."
        )
    for name, share in (("power", power), ("level", level)):
        if not 0 < share < 1:
            raise InvalidInput(f"{name} must lie between 0 and 1, got {share!r}.")
    if power <= level:
        raise InvalidInput(f"power must be above the level of the test, {level:g}; got {power!r}.")
    if effect is not None and not (math.isfinite(effect) and effect != 0):
        raise InvalidInput(f"effect must be a difference other than 0, got {effect!r}.")


def _power(units: int, ratio: float, level: float) -> float:
    """The chance that a t test of so many units finds an effect of so many spreads."""
    from scipy.special import nctdtr, stdtrit

    if smallest_p_value(units) > level or units < 2:
        return 0.0
    if math.isinf(ratio):
        return 1.0
    bound = -float(stdtrit(units - 1, level / 2))
    centre = math.sqrt(units) * ratio
    if centre > 30 + bound:  # certain, and the distribution function gives up there
        return 1.0
    below, above = nctdtr(units - 1, centre, -bound), nctdtr(units - 1, centre, bound)
    return float(1 - above + (0.0 if math.isnan(below) else below))


def _units(ratio: float, power: float, level: float) -> int:
    """The smallest number of units with this power, which grows with the number."""
    units = bisect_left(range(MOST_UNITS + 1), power, lo=2, key=lambda count: _power(count, ratio, level))
    if units > MOST_UNITS:
        raise InvalidInput(
            f"more than {MOST_UNITS:,} problems would be needed for so small an effect: give a larger one."
        )
    return units
