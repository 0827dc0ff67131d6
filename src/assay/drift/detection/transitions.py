"""From change points to drifts: which points belong together, and in which manner the behaviour changed."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay.core.arrays import FloatArray
from assay.drift.detection.changepoints import ChangePoint, Evidence
from assay.drift.detection.drift import DriftType
from assay.drift.detection.features import FeatureTable

__all__ = ["Transition", "find_transitions"]


# points are steps of one drift when they are nearer than these shares of the shorter stable stretch beside them and of
# the whole log; two steps alone must be nearer, because two sudden drifts look the same
_CLOSE, _CLOSE_PAIR = 0.75, 0.35
_PART, _PART_PAIR = 1 / 6, 1 / 10
_PARALLEL = 0.7  # cosine of two changes of which the second goes on where the first ended
_OPPOSITE = -0.7  # cosine of two changes of which the second undoes the first
_RAMP_GAIN = 8.0  # of the log of the residuals times the cases, before a slope is believed rather than a step
_RAMP_GRID = 36
_MOST_FEATURES = 40


class Transition(NamedTuple):
    """One drift in bins: its manner, first and last place, and the strongest of its change points."""

    type: DriftType
    first: int
    last: int
    point: ChangePoint


def find_transitions(
    table: FeatureTable, points: tuple[ChangePoint, ...], *, min_cases: int, returns: int
) -> tuple[Transition, ...]:
    """Group the points; ``returns`` is how often a behaviour must come back to be called recurring."""
    if not points:
        return ()
    evidence = Evidence(table)
    places = [int(np.searchsorted(table.edges, point.case)) for point in points]
    cosines = _cosines(evidence, points, places)
    groups = [run for run in _runs(cosines <= _OPPOSITE) if len(run) > returns]
    taken = {at for group in groups for at in group}
    transitions = [_recurrence(points, places, group) for group in groups]
    for group in _clusters(table, places, cosines >= _PARALLEL, taken):
        left = places[group[0] - 1] if group[0] else 0
        right = places[group[-1] + 1] if group[-1] + 1 < len(places) else evidence.bins
        chosen, where = [points[at] for at in group], [places[at] for at in group]
        transitions.append(_judge(table, evidence, chosen, where, (left, right), min_cases))
    return tuple(sorted(transitions, key=lambda transition: transition.first))


def _strongest(points: list[ChangePoint]) -> ChangePoint:
    return max(points, key=lambda point: point.statistic)


def _recurrence(points: tuple[ChangePoint, ...], places: list[int], group: list[int]) -> Transition:
    return Transition("recurring", places[group[0]], places[group[-1]], _strongest([points[at] for at in group]))


def _cosines(evidence: Evidence, points: tuple[ChangePoint, ...], places: list[int]) -> FloatArray:
    """Between the change at each point and that at the next: 1 goes on, 0 is another matter, -1 undoes it."""
    borders = [0, *places, evidence.bins]
    effects, strong = [], []
    for at in range(len(places)):
        low, split, high = borders[at : at + 3]
        effects.append(evidence.effect(low, split, high))
        strong.append(evidence.ratios(low, np.array([split]), high)[0] >= points[at].threshold)
    cosines = np.zeros(len(places) - 1)
    for at in range(len(places) - 1):
        chosen = strong[at] | strong[at + 1]
        one, two = effects[at][chosen], effects[at + 1][chosen]
        cosines[at] = float(one @ two) / max(float(np.linalg.norm(one) * np.linalg.norm(two)), 1e-12)
    return cosines


def _runs(joined: npt.NDArray[np.bool_]) -> list[list[int]]:
    """Points in a row, cut where one is not joined with the next."""
    runs = [[0]]
    for at, together in enumerate(joined, 1):
        if together:
            runs[-1].append(at)
        else:
            runs.append([at])
    return runs


def _clusters(
    table: FeatureTable, places: list[int], parallel: npt.NDArray[np.bool_], taken: set[int]
) -> list[list[int]]:
    """Points that go on in one direction, or that are nearer to each other than to the rest of the log."""
    cases = [0, *(int(table.edges[place]) for place in places), table.cases]
    runs = [run for run in _runs(parallel) if not taken.intersection(run)]

    def close(first: int, last: int) -> bool:
        """Whether all points from one run to another are near, counting a run as one stretch."""
        members = [at for run in runs[first : last + 1] for at in run]
        if members != list(range(members[0], members[-1] + 1)):
            return False
        gaps = [cases[two[0] + 1] - cases[one[-1] + 1] for one, two in pairwise(runs[first : last + 1])]
        before = cases[members[0] + 1] - cases[members[0]]
        after = cases[members[-1] + 2] - cases[members[-1] + 1]
        near, part = (_CLOSE, _PART) if len(gaps) > 1 else (_CLOSE_PAIR, _PART_PAIR)
        return max(gaps) <= min(near * min(before, after), part * table.cases)

    clusters, first = [], 0
    while first < len(runs):
        last = next((at for at in range(len(runs) - 1, first, -1) if close(first, at)), first)
        clusters.append([at for run in runs[first : last + 1] for at in run])
        first = last + 1
    return clusters


def _judge(
    table: FeatureTable,
    evidence: Evidence,
    points: list[ChangePoint],
    places: list[int],
    around: tuple[int, int],
    min_cases: int,
) -> Transition:
    """Sudden, gradual or incremental."""
    low, high = around
    ratios = _between(evidence, (low, places[0]), (places[-1], high))
    chosen = np.flatnonzero(ratios >= points[0].threshold)
    chosen = chosen[np.argsort(-ratios[chosen], kind="stable")[:_MOST_FEATURES]]
    ramp = _fit_ramp(table, evidence, chosen, (low, high), (places[0], places[-1])) if len(chosen) else None
    strongest = _strongest(points)
    if ramp is not None and ramp.gain > _RAMP_GAIN and _wide(table, ramp, min_cases):
        if len(points) > 1 and _steps_fit_better(table, evidence, chosen, (low, high), ramp):
            return Transition("incremental", places[0], places[-1], strongest)
        return Transition("gradual", ramp.first, ramp.last, strongest)
    if len(points) > 1:
        return Transition("incremental", places[0], places[-1], strongest)
    return Transition("sudden", places[0], places[0], strongest)


class _Ramp(NamedTuple):
    first: int
    last: int
    gain: float


def _wide(table: FeatureTable, ramp: _Ramp, min_cases: int) -> bool:
    return int(table.edges[ramp.last] - table.edges[ramp.first]) >= min_cases


def _between(evidence: Evidence, one: tuple[int, int], two: tuple[int, int]) -> FloatArray:
    """Likelihood ratios between two stretches that need not touch."""
    yes = [(evidence.sums[high] - evidence.sums[low]).astype(np.float64) for low, high in (one, two)]
    size = [float(evidence.edges[high] - evidence.edges[low]) for low, high in (one, two)]

    def likelihood(count: FloatArray, of: float) -> FloatArray:
        share = np.clip(count / of, 1e-12, 1 - 1e-12)
        value: FloatArray = count * np.log(share) + (of - count) * np.log1p(-share)
        return value

    apart = likelihood(yes[0], size[0]) + likelihood(yes[1], size[1])
    return 2.0 * (apart - likelihood(yes[0] + yes[1], size[0] + size[1]))


def _fit_ramp(
    table: FeatureTable,
    evidence: Evidence,
    chosen: npt.NDArray[np.int64],
    around: tuple[int, int],
    inner: tuple[int, int],
) -> _Ramp:
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
        return _Ramp(inner[0], inner[0], 0.0)
    cases = float(weights[-1])
    return _Ramp(best[1], best[2], cases * float(np.log(step / max(best[0], 1e-12 * max(square, 1.0)))))


def _residual(rise: FloatArray, score: FloatArray, sizes: FloatArray) -> float:
    total = sizes.sum()
    x, y = rise - (rise * sizes).sum() / total, score - (score * sizes).sum() / total
    spread = float((x * x * sizes).sum())
    slope = float((x * y * sizes).sum()) / spread if spread else 0.0
    return float((sizes * (y - slope * x) ** 2).sum())


def _steps_fit_better(
    table: FeatureTable, evidence: Evidence, chosen: npt.NDArray[np.int64], around: tuple[int, int], ramp: _Ramp
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


def _log_likelihood(yes: npt.NDArray[np.int32], sizes: npt.NDArray[np.int64], share: FloatArray) -> FloatArray:
    # noise alone breaks a rule in a few cases, so that no share is quite 0 or 1
    safe = np.clip(share, 0.005, 0.995)
    total: FloatArray = (yes * np.log(safe) + (sizes - yes) * np.log1p(-safe)).sum(axis=0)
    return total
