"""The part of the feature space that is covered worst: a slab between two parallel planes."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.conformal.metrics.hits import jointly_covered, label_matrix
from assay.conformal.sets.checks import MISSING, BoolArray, FloatArray, to_numpy
from assay.core import InvalidInput
from assay.core.arrays import column_spreads
from assay.core.checks import as_whole, demand_fraction, demand_whole

__all__ = ["worst_slab_coverage"]

_WIDTHS = (1.0, 1.25, 1.5, 1.75, 2.0)  # a wider slab holds one of these that is covered no better


def worst_slab_coverage(
    sets: Any, labels: Any, features: Any, *, share: float = 0.1, directions: int = 200, seed: int = 0
) -> float:
    r"""The joint coverage of the worst slab of the feature space that holds at least a share of the samples.

    $$\min_{v, a < b} P\bigl(\forall t : y_t \in S_t \mid a \leq v^\top x \leq b\bigr), \qquad
    P(a \leq v^\top x \leq b) \geq \delta$$

    Directions are drawn by the seed. The slab is looked for on one half of the samples and judged on the other: judged
    where it was found, the worst of many would look bad by chance alone. Samples with a missing label are left out.
    Undefined (nan) when a half holds fewer than 2/δ samples.

    Parameters
    ----------
    sets : PredictionSets, or sequence of (n, C) matrices
        One boolean matrix per task.
    labels : sequence of n class numbers per task, or (n, T) matrix
        What is right; -1 is missing.
    features : array of shape (n, features)
        Where the samples lie.
    share : float, default 0.1
        The share of the samples that a slab must hold.
    directions : int, default 200
        How many are tried.
    seed : int, default 0
        The seed of everything that is drawn.

    Returns
    -------
    float
        From 0 to 1, or nan.

    Examples
    --------
    >>> x = [[place] for place in range(400)]
    >>> sets = [[place >= 100, place < 100] for place in range(400)]  # wrong in the lowest quarter
    >>> worst_slab_coverage([sets], [[0] * 400], x, share=0.2)
    0.0
    """
    demand_fraction(share, "share")
    demand_whole(directions, "directions", least=1)
    together = jointly_covered(sets, labels)
    x = to_numpy(features).astype(np.float64)
    if x.ndim != 2 or len(x) != len(together) or not np.isfinite(x).all():
        raise InvalidInput(f"features: give a row of finite numbers for each of the {len(together)} samples.")
    labelled = (label_matrix(sets, labels) != MISSING).all(axis=1)
    rng = np.random.default_rng(as_whole(seed, "seed"))
    order = rng.permutation(np.flatnonzero(labelled))
    looking, judging = order[::2], order[1::2]
    if len(judging) * share < 2:
        return float("nan")
    spread = column_spreads(x)
    scaled = (x - x.mean(axis=0)) / np.where(spread > 0, spread, 1)
    worst, coverage = np.inf, float("nan")
    for _ in range(directions):
        along = scaled @ rng.normal(size=x.shape[1])
        value, low, high = _lowest_window(along[looking], together[looking], share)
        inside = (along[judging] >= low) & (along[judging] <= high)
        if value < worst and inside.any():
            worst, coverage = value, float(together[judging][inside].mean())
    return coverage


def _lowest_window(along: FloatArray, hits: BoolArray, share: float) -> tuple[float, float, float]:
    """The lowest coverage of consecutive samples, and from where to where they lie."""
    order = np.argsort(along, kind="stable")
    sums = np.concatenate([[0], np.cumsum(hits[order])])
    best = (np.inf, 0.0, 0.0)
    for width in _WIDTHS:
        count = min(max(1, round(width * share * len(along))), len(along))
        means = (sums[count:] - sums[:-count]) / count
        start = int(np.argmin(means))
        if means[start] < best[0]:
            best = (float(means[start]), float(along[order[start]]), float(along[order[start + count - 1]]))
    return best
