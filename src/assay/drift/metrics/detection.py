"""How well detected change points agree with the true ones: optimal one-to-one matching inside a lag."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from assay.core import InvalidInput
from assay.core.checks import as_whole

__all__ = [
    "DetectionCounts",
    "always_fire",
    "count_detections",
    "detection_f1",
    "detection_lag",
    "detection_precision",
    "detection_recall",
    "match_points",
    "pool_detections",
]


class DetectionCounts(NamedTuple):
    """True points found, detections that are none, true points missed, and the sum of the lags of those found.

    Attributes
    ----------
    found : int
        True points that were detected.
    false : int
        Detections that are no true point.
    missed : int
        True points that were not detected.
    total_lag : float
        The sum of the distances, in cases, of the points found.

    Examples
    --------
    >>> counts = DetectionCounts(found=1, false=1, missed=0, total_lag=20.0)
    >>> counts.precision, counts.recall, counts.lag
    (0.5, 1.0, 20.0)
    """

    found: int
    false: int
    missed: int
    total_lag: float

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; nan when nothing is true and nothing was detected."""
        return _share(2 * self.found, 2 * self.found + self.false + self.missed)

    @property
    def precision(self) -> float:
        """The share of detections that are true; nan without detections."""
        return _share(self.found, self.found + self.false)

    @property
    def recall(self) -> float:
        """The share of true points that were found; nan when nothing is true."""
        return _share(self.found, self.found + self.missed)

    @property
    def lag(self) -> float:
        """The mean distance of the found points from the true ones, in cases; nan when none was found."""
        return _share(self.total_lag, self.found)


def match_points(detected: Sequence[int], true: Sequence[int], *, lag: int) -> tuple[tuple[int, int], ...]:
    r"""Pairs of a detected and a true point: as many as possible, and of those the least sum of squared lags.

    $$M^* = \arg\min_{M \in \mathcal{M}} \sum_{(d, t) \in M} (d - t)^2$$

    over the largest one-to-one matchings whose pairs are at most ``lag`` cases apart. Any order, pairs by true point.

    Parameters
    ----------
    detected : sequence of int
        The detected change points, as case numbers.
    true : sequence of int
        The true change points, as case numbers.
    lag : int
        How many cases apart the points of a pair may lie.

    Returns
    -------
    tuple of (int, int)
        Pairs of a detected and a true point.

    Examples
    --------
    >>> match_points([90, 105, 300], [100, 200], lag=20)
    ((105, 100),)
    >>> match_points([90, 105], [100, 110], lag=20)
    ((90, 100), (105, 110))
    """
    lag = as_whole(lag, "lag")
    points, targets = _points(detected, "detected"), _points(true, "true")
    # points lie on a line, so that an optimal matching without crossings exists: pairs are chosen from left to right
    best: list[list[tuple[int, int]]] = [[(0, 0)] * (len(targets) + 1) for _ in range(len(points) + 1)]
    for i, point in enumerate(points, 1):
        for j, target in enumerate(targets, 1):
            options = [best[i - 1][j], best[i][j - 1]]
            if abs(point - target) <= lag:
                count, cost = best[i - 1][j - 1]
                options.append((count + 1, cost - (point - target) ** 2))
            best[i][j] = max(options)
    pairs = []
    i, j = len(points), len(targets)
    while i and j:
        if best[i][j] == best[i - 1][j]:
            i -= 1
        elif best[i][j] == best[i][j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            pairs.append((points[i], targets[j]))
    return tuple(reversed(pairs))


def count_detections(detected: Sequence[int], true: Sequence[int], *, lag: int = 200) -> DetectionCounts:
    """Found, false and missed points of one log; a second detection of one true point is false.

    Parameters
    ----------
    detected : sequence of int
        The detected change points, as case numbers.
    true : sequence of int
        The true change points, as case numbers.
    lag : int, default 200
        How many cases apart a detection and a true point may lie.

    Returns
    -------
    DetectionCounts
        The counts.

    Examples
    --------
    >>> count_detections([480, 520], [500], lag=200)
    DetectionCounts(found=1, false=1, missed=0, total_lag=20.0)
    """
    pairs = match_points(detected, true, lag=lag)
    total = float(sum(abs(point - target) for point, target in pairs))
    return DetectionCounts(len(pairs), len(detected) - len(pairs), len(true) - len(pairs), total)


def pool_detections(counts: Iterable[DetectionCounts]) -> DetectionCounts:
    """The counts of several logs together.

    Parameters
    ----------
    counts : iterable of DetectionCounts
        The counts of each log.

    Returns
    -------
    DetectionCounts
        Their sums.

    Examples
    --------
    >>> pool_detections([DetectionCounts(1, 0, 0, 3.0), DetectionCounts(1, 2, 1, 5.0)])
    DetectionCounts(found=2, false=2, missed=1, total_lag=8.0)
    """
    pooled = np.sum([(0, 0, 0, 0.0), *counts], axis=0)
    return DetectionCounts(int(pooled[0]), int(pooled[1]), int(pooled[2]), float(pooled[3]))


def detection_f1(detected: Sequence[int], true: Sequence[int], *, lag: int = 200) -> float:
    r"""Harmonic mean of precision and recall of change points, matched one to one within ``lag`` cases.

    $$F_1 = \frac{2\,|M^*|}{|D| + |T|}$$

    Undefined (nan) when nothing is true and nothing was detected. A detector that always fires has a score too:
    see ``always_fire``.

    Parameters
    ----------
    detected : sequence of int
        The detected change points, as case numbers.
    true : sequence of int
        The true change points, as case numbers.
    lag : int, default 200
        How many cases apart a detection and a true point may lie.

    Returns
    -------
    float
        A number from 0 to 1, or nan.

    Examples
    --------
    >>> detection_f1([480], [500])
    1.0
    >>> detection_f1([100, 480], [500])
    0.6666666666666666
    >>> detection_f1([], [500])
    0.0
    """
    return count_detections(detected, true, lag=lag).f1


def detection_precision(detected: Sequence[int], true: Sequence[int], *, lag: int = 200) -> float:
    r"""Share of the detected change points that are true ones.

    $$P = |M^*| / |D|$$

    Undefined (nan) without detections.

    Parameters
    ----------
    detected : sequence of int
        The detected change points, as case numbers.
    true : sequence of int
        The true change points, as case numbers.
    lag : int, default 200
        How many cases apart a detection and a true point may lie.

    Returns
    -------
    float
        A share from 0 to 1, or nan.

    Examples
    --------
    >>> detection_precision([100, 480], [500])
    0.5
    """
    return count_detections(detected, true, lag=lag).precision


def detection_recall(detected: Sequence[int], true: Sequence[int], *, lag: int = 200) -> float:
    r"""Share of the true change points that were detected.

    $$R = |M^*| / |T|$$

    Undefined (nan) when nothing is true.

    Parameters
    ----------
    detected : sequence of int
        The detected change points, as case numbers.
    true : sequence of int
        The true change points, as case numbers.
    lag : int, default 200
        How many cases apart a detection and a true point may lie.

    Returns
    -------
    float
        A share from 0 to 1, or nan.

    Examples
    --------
    >>> detection_recall([480], [500, 900])
    0.5
    """
    return count_detections(detected, true, lag=lag).recall


def detection_lag(detected: Sequence[int], true: Sequence[int], *, lag: int = 200) -> float:
    r"""Mean distance in cases between detected points and the true ones that they are matched with.

    $$\frac{1}{|M^*|} \sum_{(d, t) \in M^*} |d - t|$$

    Undefined (nan) when none is matched.

    Parameters
    ----------
    detected : sequence of int
        The detected change points, as case numbers.
    true : sequence of int
        The true change points, as case numbers.
    lag : int, default 200
        How many cases apart a detection and a true point may lie.

    Returns
    -------
    float
        At least 0 and at most ``lag``, or nan.

    Examples
    --------
    >>> detection_lag([480, 1010], [500, 1000])
    15.0
    """
    return count_detections(detected, true, lag=lag).lag


def always_fire(cases: int, *, lag: int = 200) -> tuple[int, ...]:
    """The detections of a detector that looks at nothing and fires so often that hardly a change is out of reach.

    Parameters
    ----------
    cases : int
        The number of cases of the log.
    lag : int, default 200
        The first detection lies so many cases from the beginning, the others twice as many apart; in a shorter log the
        only one lies in its middle.

    Returns
    -------
    tuple of int
        The detected points, as case numbers.

    Examples
    --------
    >>> always_fire(1000, lag=200)
    (200, 600)
    """
    cases, lag = as_whole(cases, "always_fire: cases", least=1), as_whole(lag, "always_fire: lag", least=1)
    fired = tuple(range(lag, cases, 2 * lag))
    return fired or (cases // 2,)


def _points(points: Sequence[int], what: str) -> list[int]:
    array = np.asarray(points)
    if array.size and (array.ndim != 1 or not np.issubdtype(array.dtype, np.integer)):
        raise InvalidInput(f"{what} must be a list of whole numbers (places of cases), got {points!r}.")
    return sorted(int(point) for point in array)


def _share(part: float, whole: float) -> float:
    return float(part / whole) if whole else float("nan")
