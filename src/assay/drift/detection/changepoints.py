"""Change points of many yes-or-no series at once: likelihood ratios over seeded intervals, then pruning."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.core.arrays import FloatArray, IntArray
from assay.drift.detection.features import FeatureTable

__all__ = ["ChangePoint", "Evidence", "find_change_points"]


_GRID = 48  # splits tried per interval before the best is refined
_SHRINK = 2**-0.5  # lengths of the seeded intervals, from one layer to the next


class ChangePoint(NamedTuple):
    """The first case of the new behaviour, how strong the evidence is, and the threshold that it passed."""

    case: int
    statistic: float
    threshold: float


class Evidence:
    """Likelihood-ratio statistics of splits of the log; under no change each is about chi-squared with one degree."""

    def __init__(self, table: FeatureTable) -> None:
        self.edges = table.edges
        self.bins = len(table.edges) - 1
        self.sums = np.zeros((self.bins + 1, table.counts.shape[1]), dtype=np.int32)
        np.cumsum(table.counts, axis=0, out=self.sums[1:])
        numbers = np.arange(table.cases + 1, dtype=np.float64)
        # k ln k for all counts that can occur
        self._terms = np.multiply(numbers, np.log(np.maximum(numbers, 1.0)))

    def ratios(self, low: int, splits: IntArray, high: int) -> FloatArray:
        """For each split of the bins from low to high, and each feature: twice the gain of log-likelihood."""
        terms, edges = self._terms, self.edges
        left = (edges[splits] - edges[low])[:, None]
        size = int(edges[high] - edges[low])
        yes = self.sums[splits] - self.sums[low]
        total = self.sums[high] - self.sums[low]
        apart = terms[yes] + terms[left - yes] + terms[total - yes] + terms[size - left - (total - yes)]
        whole = terms[total] + terms[size - total]
        ratios: FloatArray = 2.0 * (apart - terms[left] - terms[size - left] - whole + terms[size])
        return ratios

    def shares(self, low: int, high: int) -> FloatArray:
        """The share of cases from low to high that say yes, per feature."""
        shares: FloatArray = (self.sums[high] - self.sums[low]) / (self.edges[high] - self.edges[low])
        return shares

    def effect(self, low: int, split: int, high: int) -> FloatArray:
        """The differences of the shares before and after a split."""
        return self.shares(split, high) - self.shares(low, split)

    def best(self, low: int, high: int, margin: int, min_effect: float) -> tuple[int, float]:
        """The split with the strongest single feature whose effect counts; -1 when there is none."""
        first, last = self._inner(low, high, margin)
        if first > last:
            return -1, 0.0
        splits = np.unique(np.linspace(first, last, _GRID).round().astype(np.int64))
        ratios = self.ratios(low, splits, high)
        top = ratios.max(axis=1)
        split = int(splits[top.argmax()])
        strength = self._strength(low, split, high, ratios[top.argmax()], min_effect)
        return (split, strength) if strength > 0 else (-1, 0.0)

    def refine(self, low: int, high: int, margin: int, near: int, threshold: float) -> int:
        """The split with the greatest sum over the features that change at the given one."""
        first, last = self._inner(low, high, margin)
        chosen = self.ratios(low, np.array([near]), high)[0] >= threshold
        if first > last or not chosen.any():
            return near
        splits = np.arange(first, last + 1)
        sums = np.zeros(len(splits))
        for start in range(0, len(splits), 512):
            sums[start : start + 512] = self.ratios(low, splits[start : start + 512], high)[:, chosen].sum(axis=1)
        return int(splits[sums.argmax()])

    def strength(self, low: int, split: int, high: int, min_effect: float) -> float:
        """The strongest feature whose effect counts."""
        return self._strength(low, split, high, self.ratios(low, np.array([split]), high)[0], min_effect)

    def _strength(self, low: int, split: int, high: int, ratios: FloatArray, min_effect: float) -> float:
        large = np.abs(self.effect(low, split, high)) >= min_effect
        return float(ratios[large].max()) if large.any() else 0.0

    def _inner(self, low: int, high: int, margin: int) -> tuple[int, int]:
        """The first and the last split that leave enough cases on either side."""
        first = int(np.searchsorted(self.edges, self.edges[low] + margin))
        last = int(np.searchsorted(self.edges, self.edges[high] - margin, side="right")) - 1
        return max(first, low + 1), min(last, high - 1)


def find_change_points(
    table: FeatureTable, *, alpha: float, min_cases: int, min_effect: float
) -> tuple[ChangePoint, ...]:
    """Change points in order; ``alpha`` is the chance of a false one in a log without changes."""
    if not len(table.features) or table.cases < 2 * min_cases:
        return ()
    evidence = Evidence(table)
    intervals = _seeded(evidence.bins, table.edges, min_cases)
    threshold = _threshold(table, alpha, len(intervals))
    candidates = _candidates(evidence, intervals, min_cases, min_effect, threshold)
    chosen: list[int] = []
    for split, low, high, _ in sorted(candidates, key=lambda candidate: -candidate[3]):
        if not any(low < point < high for point in chosen):
            chosen.append(evidence.refine(low, high, min_cases, split, threshold))
    points = _prune(evidence, sorted(set(chosen)), min_cases, min_effect, threshold)
    return tuple(ChangePoint(int(table.edges[split]), value, threshold) for split, value in points)


def _threshold(table: FeatureTable, alpha: float, intervals: int) -> float:
    """Corrected for features, intervals and splits; neighbouring splits are nearly one test."""
    from scipy.stats import chi2

    return float(chi2.isf(alpha / (len(table.features) * intervals * 8), 1))


def _seeded(bins: int, edges: IntArray, min_cases: int) -> list[tuple[int, int]]:
    """Intervals of falling lengths; those of one length overlap by half or more."""
    cases, intervals, share = int(edges[-1]), [], 1.0
    while share * cases >= 2 * min_cases:
        length = share * bins
        count = 2 * int(np.ceil(1.0 / share)) - 1
        starts = np.linspace(0.0, bins - length, count)
        intervals += [(int(start), min(bins, int(np.ceil(start + length)))) for start in starts]
        share *= _SHRINK
    return list(dict.fromkeys(intervals))


def _candidates(
    evidence: Evidence, intervals: list[tuple[int, int]], min_cases: int, min_effect: float, threshold: float
) -> list[tuple[int, int, int, float]]:
    candidates = []
    for low, high in intervals:
        split, strength = evidence.best(low, high, min_cases, min_effect)
        if strength >= threshold:
            candidates.append((split, low, high, strength))
    return candidates


def _prune(
    evidence: Evidence, points: list[int], min_cases: int, min_effect: float, threshold: float
) -> list[tuple[int, float]]:
    """Each point between its neighbours: moved to its best place, and left out when it is weak there."""
    for _ in range(3):
        for place in range(len(points)):
            low, high = ([0, *points][place], [*points, evidence.bins][place + 1])
            points[place] = evidence.refine(low, high, min_cases, points[place], threshold)
    while points:
        borders = [0, *points, evidence.bins]
        values = [
            evidence.strength(borders[at], borders[at + 1], borders[at + 2], min_effect) for at in range(len(points))
        ]
        weakest = int(np.argmin(values))
        if values[weakest] >= threshold:
            return list(zip(points, values, strict=True))
        del points[weakest]
    return []
