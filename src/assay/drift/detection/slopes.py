"""Slopes over many series at once, and whether they fit better than steps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay.core.arrays import FloatArray, IntArray
from assay.drift.detection.changepoints import Evidence
from assay.drift.detection.features import FeatureTable

__all__ = ["Ramp", "fit_ramp", "ratios_between", "steps_fit_better"]


_RAMP_GRID = 36  # places tried for either end


class Ramp(NamedTuple):
    """A slope from one bin to another, and its gain: cases times the log of how much smaller the residuals are."""

    first: int
    last: int
    gain: float


def ratios_between(evidence: Evidence, one: tuple[int, int], two: tuple[int, int]) -> FloatArray:
    """Likelihood ratios between two stretches that need not touch."""
    yes = [(evidence.sums[high] - evidence.sums[low]).astype(np.float64) for low, high in (one, two)]
    size = [float(evidence.edges[high] - evidence.edges[low]) for low, high in (one, two)]

    def likelihood(count: FloatArray, of: float) -> FloatArray:
        share = np.clip(count / of, 1e-12, 1 - 1e-12)
        value: FloatArray = count * np.log(share) + (of - count) * np.log1p(-share)
        return value

    apart = likelihood(yes[0], size[0]) + likelihood(yes[1], size[1])
    return 2.0 * (apart - likelihood(yes[0] + yes[1], size[0] + size[1]))


def fit_ramp(
    table: FeatureTable,
    evidence: Evidence,
    chosen: IntArray,
    around: tuple[int, int],
    inner: tuple[int, int],
) -> Ramp:
    """The slope that fits the mean of the changed features best, and how much better it fits than any step."""
    low, high = around
    before, after = evidence.shares(low, inner[0])[chosen], evidence.shares(inner[1], high)[chosen]
    spread = (before * (1 - before) + after * (1 - after)) / 2 + 0.01
    weight = (after - before) / spread
    sizes = np.diff(table.edges[low : high + 1]).astype(np.float64)
    score = (table.counts[low:high, chosen] / sizes[:, None]) @ (weight / (weight @ (after - before)))
    middle = (table.edges[low:high] + table.edges[low + 1 : high + 1]) / 2.0
    # residuals of the best step, at any place
    sums, weights = np.cumsum(score * sizes), np.cumsum(sizes)
    with np.errstate(divide="ignore", invalid="ignore"):
        between = sums**2 / weights + (sums[-1] - sums) ** 2 / (weights[-1] - weights)
    square = float((score**2 * sizes).sum())
    step = square - float(np.nanmax(between[:-1]))
    starts = np.unique(np.linspace(low, high - 1, _RAMP_GRID).round().astype(np.int64))
    best = (step, -1, -1)
    for start in starts:
        for end in starts[starts > start]:
            rise = np.clip((middle - table.edges[start]) / (table.edges[end] - table.edges[start]), 0.0, 1.0)
            residual = _residual(rise, score, sizes)
            if residual < best[0]:
                best = (residual, int(start), int(end))
    if best[1] < 0:
        return Ramp(inner[0], inner[0], 0.0)
    cases = float(weights[-1])
    return Ramp(best[1], best[2], cases * float(np.log(step / max(best[0], 1e-12 * max(square, 1.0)))))


def _residual(rise: FloatArray, score: FloatArray, sizes: FloatArray) -> float:
    total = sizes.sum()
    x, y = rise - (rise * sizes).sum() / total, score - (score * sizes).sum() / total
    spread = float((x * x * sizes).sum())
    slope = float((x * y * sizes).sum()) / spread if spread else 0.0
    return float((sizes * (y - slope * x) ** 2).sum())


def steps_fit_better(
    table: FeatureTable, evidence: Evidence, chosen: IntArray, around: tuple[int, int], ramp: Ramp
) -> bool:
    """Whether each feature changes at a place of its own rather than all along one slope."""
    low, high = around
    splits = np.arange(low + 1, high)
    steps = np.concatenate(
        [evidence.ratios(low, part, high)[:, chosen] for part in np.array_split(splits, max(1, len(splits) // 512))]
    ).max(axis=0)
    middle = (table.edges[low:high] + table.edges[low + 1 : high + 1]) / 2.0
    rise = np.clip((middle - table.edges[ramp.first]) / (table.edges[ramp.last] - table.edges[ramp.first]), 0.0, 1.0)
    before, after = evidence.shares(low, max(ramp.first, low + 1)), evidence.shares(min(ramp.last, high - 1), high)
    share = before[chosen] + rise[:, None] * (after - before)[chosen]
    sizes = np.diff(table.edges[low : high + 1])[:, None]
    yes = table.counts[low:high][:, chosen]
    flat = yes.sum(axis=0) / sizes.sum()
    slope = 2.0 * (_log_likelihood(yes, sizes, share) - _log_likelihood(yes, sizes, flat[None, :]))
    return bool(steps.sum() > slope.sum())


def _log_likelihood(yes: npt.NDArray[np.int32], sizes: IntArray, share: FloatArray) -> FloatArray:
    # noise alone breaks a rule in a few cases, so that no share is quite 0 or 1
    safe = np.clip(share, 0.005, 0.995)
    total: FloatArray = (yes * np.log(safe) + (sizes - yes) * np.log1p(-safe)).sum(axis=0)
    return total
