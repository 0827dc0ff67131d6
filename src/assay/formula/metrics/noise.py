"""How much worse a method gets with noise in its data."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

from assay.core import InvalidInput, Metric
from assay.formula.examine.evidence import FormulaEvidence
from assay.formula.metrics.accuracy import bounded_r2
from assay.formula.metrics.reading import floor_where, share
from assay.formula.problem.task import FormulaTask, FormulaTruth

__all__ = ["noise_robustness", "noise_sensitivity", "noise_sensitivity_noisy"]

# below this noise-free quality a flat curve says nothing
GOOD_ENOUGH = 0.5


def _as_lists(qualities: Iterable[float], levels: Iterable[float]) -> tuple[list[float], list[float]]:
    """Both as floats, from lists, arrays and series of any type."""
    qualities, levels = [float(quality) for quality in qualities], [float(level) for level in levels]
    if len(qualities) != len(levels):
        raise InvalidInput(f"qualities and levels need one length, got {len(qualities)} and {len(levels)}.")
    if len(set(levels)) != len(levels):
        raise InvalidInput(f"levels must differ from each other, got {levels}.")
    if any(not (0 <= level < 1) for level in levels):
        raise InvalidInput(f"levels are shares of the target's variance, from 0 to below 1, got {levels}.")
    return qualities, levels


def noise_sensitivity(qualities: Sequence[float], levels: Sequence[float]) -> float:
    r"""Change of quality on clean rows per change of noise level, averaged over all pairs of levels; 0 is best.

    $$\frac{1}{|P|} \sum_{(a, b) \in P} \frac{|Q_a - Q_b|}{|n_a - n_b|}$$

    Undefined (nan) with fewer than two levels, or when a quality is undefined.

    Parameters
    ----------
    qualities : sequence of float
        The quality reached at each noise level, such as R² on noise-free test rows.
    levels : sequence of float
        The noise levels, in the same order.

    Returns
    -------
    float
        At least 0, or nan.

    Raises
    ------
    InvalidInput
        Qualities and levels differ in length, or the levels are not different shares from 0 to below 1.

    Examples
    --------
    >>> round(noise_sensitivity([0.9, 0.8], [0.1, 0.2]), 9)
    1.0
    >>> noise_sensitivity([0.4, 0.4], [0.1, 0.2])
    0.0
    """
    qualities, levels = _as_lists(qualities, levels)
    pairs = list(combinations(zip(qualities, levels, strict=True), 2))
    if not pairs or any(math.isnan(quality) for quality in qualities):
        return math.nan
    # two models that fail alike have not changed: infinity minus infinity must not hide that
    changes = [0.0 if a == b else abs(a - b) / abs(m - n) for (a, m), (b, n) in pairs]
    return sum(changes) / len(changes)


def noise_sensitivity_noisy(qualities: Sequence[float], levels: Sequence[float]) -> float:
    r"""The same on test rows as noisy as the training rows, where the truth itself has 1.

    $$\frac{1}{|P|} \sum_{(a, b) \in P} \frac{|Q'_a - Q'_b|}{|n_a - n_b|}, \quad Q'_a = (1 - n_a)\, Q_a$$

    Noise of the level n makes up that share of the variance, and no model explains it: of a quality Q on clean rows
    1 - n is left on average over the noise. So no noise is drawn, and the number does not depend on chance. The truth's
    quality falls with the noise itself, 1, 0.95, 0.9, 0.8 at 0, 5, 10 and 20 %. Below 1 are models that explain little,
    and those that get better with noise. Undefined (nan) with fewer than two levels, or when a quality is undefined.

    Parameters
    ----------
    qualities : sequence of float
        R² at each noise level on noise-free test rows.
    levels : sequence of float
        The noise levels, in the same order.

    Returns
    -------
    float
        At least 0, or nan.

    Raises
    ------
    InvalidInput
        Qualities and levels differ in length, or the levels are not different shares from 0 to below 1.

    Examples
    --------
    >>> round(noise_sensitivity_noisy([1.0, 1.0, 1.0, 1.0], [0.0, 0.05, 0.1, 0.2]), 9)
    1.0
    >>> round(noise_sensitivity_noisy([1.0, 0.9], [0.0, 0.1]), 9), noise_sensitivity_noisy([0.0, 0.0], [0.0, 0.1])
    (1.9, 0.0)
    """
    qualities, levels = _as_lists(qualities, levels)
    return noise_sensitivity([(1 - n) * quality for quality, n in zip(qualities, levels, strict=True)], levels)


def noise_robustness(qualities: Sequence[float], levels: Sequence[float]) -> float:
    r"""One minus the noise sensitivity, at least 0; 0 for a method that is bad without noise already.

    $$\max(0, 1 - \mathrm{sensitivity}) \text{ if } Q_{n_\min} \ge 0.5, \text{ else } 0$$

    The noise-free quality is that at the lowest level.

    Parameters
    ----------
    qualities : sequence of float
        The quality reached at each noise level, such as R² on noise-free test rows.
    levels : sequence of float
        The noise levels, in the same order.

    Returns
    -------
    float
        A number from 0 to 1, or nan.

    Raises
    ------
    InvalidInput
        Qualities and levels differ in length, or the levels are not different shares from 0 to below 1.

    Examples
    --------
    >>> noise_robustness([1.0, 1.0, 1.0, 1.0], [0.0, 0.05, 0.1, 0.2])
    1.0
    >>> noise_robustness([0.4, 0.4], [0.0, 0.2])
    0.0
    """
    qualities, levels = _as_lists(qualities, levels)
    sensitivity = noise_sensitivity(qualities, levels)
    if math.isnan(sensitivity):
        return math.nan
    clean = qualities[levels.index(min(levels))]
    return max(0.0, 1.0 - sensitivity) if clean >= GOOD_ENOUGH else 0.0


def _of_levels(score: Callable[..., float]) -> Callable[[FormulaEvidence], float]:
    def function(evidence: FormulaEvidence) -> float:
        if len(evidence.parts) < 2:
            return math.nan
        qualities = [bounded_r2(evidence.test_target, part.test) for part in evidence.parts]
        return score(qualities, [part.noise for part in evidence.parts])

    return function


def _has_levels(task: FormulaTask, truth: FormulaTruth) -> bool:
    return len(task.parts) > 1


METRICS: tuple[Metric[FormulaEvidence], ...] = (
    share("noise_robustness", _of_levels(noise_robustness), noise_robustness, _has_levels),
    # a failed subject has no quality whose change could be measured: it gets the sensitivity whose robustness is 0
    Metric(
        "noise_sensitivity",
        _of_levels(noise_sensitivity),
        noise_sensitivity,
        goal="min",
        floor=floor_where(1.0, _has_levels),
        oracle=0.0,
    ),
    # twice what noise itself takes away: its robustness on clean rows is 0 as well
    Metric(
        "noise_sensitivity_noisy",
        _of_levels(noise_sensitivity_noisy),
        noise_sensitivity_noisy,
        goal="min",
        floor=floor_where(2.0, _has_levels),
        oracle=1.0,
    ),
)
