"""Thresholds that follow a stream: adaptive conformal inference, its aggregation over step sizes, and PID control."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import deque
from math import ceil, inf, log, pi, tan
from typing import Protocol

import numpy as np

from assay.conformal.calibration.quantile import worst_ranks
from assay.conformal.sets.checks import FloatArray, IntArray

__all__ = ["Aci", "DtAci", "Pid", "ScoreWindow", "Tracker"]

_STEPS = (0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128)  # of the experts, from nearly fixed to very quick
_HORIZON = 500  # steps over which the experts' regret is kept small
_WARM = 30  # scores, before which PID control has no scale to work in
_SATURATION = 5.0  # of the integrator: how large an excess of misses may become before regions are everything


class ScoreWindow:
    """The last scores of a stream, one row or several; thresholds at any level, infinite beyond both ends."""

    def __init__(self, rows: int, size: int) -> None:
        self.rows, self.size = rows, size
        self._recent: deque[FloatArray] = deque()
        self._ordered: list[float] = []  # of a single row
        self._kept: tuple[FloatArray, IntArray] | None = None  # of several, until the next sample

    def __len__(self) -> int:
        return len(self._recent)

    def add(self, scores: FloatArray) -> None:
        """Take one more sample in, and let the oldest go when full."""
        self._recent.append(scores)
        self._kept = None
        if self.rows == 1:
            insort(self._ordered, float(scores[0]))
        if len(self._recent) > self.size:
            gone = self._recent.popleft()
            if self.rows == 1:
                del self._ordered[bisect_left(self._ordered, float(gone[0]))]

    def at(self, alpha: float) -> FloatArray:
        """The thresholds [rows] at a level; everything is inside at 0 and below, nothing at 1 and above."""
        if alpha >= 1:
            return np.full(self.rows, -np.inf)
        place = ceil((len(self) + 1) * (1 - alpha))  # one order statistic of the scores, or of the worst ranks
        if alpha <= 0 or place > len(self):
            return np.full(self.rows, np.inf)
        if self.rows == 1:
            return np.asarray([self._ordered[place - 1]])
        ordered, worst = self._ranked()
        rank = int(np.partition(worst, place - 1)[place - 1])
        return ordered[:, rank] if rank < len(self) else np.full(self.rows, np.inf)

    def level_of(self, scores: FloatArray) -> float:
        """About the largest level at which the sample would still be inside."""
        if self.rows == 1:
            below = bisect_left(self._ordered, float(scores[0]))
            return 1 - below / (len(self) + 1)
        if not len(self):
            return 1.0
        ordered, worst = self._ranked()
        rank = max(int(np.searchsorted(row, score, side="left")) for row, score in zip(ordered, scores, strict=True))
        return 1 - float((worst < rank).sum()) / (len(self) + 1)

    def largest(self, scales: FloatArray) -> float:
        """The largest finite absolute score, in units of each row's scale; 0 where there is none."""
        if self.rows == 1:
            first, last = bisect_right(self._ordered, -inf), bisect_left(self._ordered, inf) - 1
            return max(abs(self._ordered[first]), abs(self._ordered[last])) / float(scales[0]) if first <= last else 0.0
        sizes = np.abs(np.asarray(self._recent) / scales)
        return float(sizes.max(initial=0.0, where=np.isfinite(sizes)))

    def scales(self) -> FloatArray:
        """The median finite absolute score of each row; 1 where it is 0 or there is none."""
        sizes = np.abs(np.asarray(self._recent))
        medians = [np.median(row[np.isfinite(row)]) if np.isfinite(row).any() else 0.0 for row in sizes.T]
        return np.asarray([median or 1.0 for median in medians])

    def _ranked(self) -> tuple[FloatArray, IntArray]:
        if self._kept is None:
            self._kept = worst_ranks(np.asarray(self._recent).T)
        return self._kept


class Tracker(Protocol):
    """Thresholds for the next sample, and what is learnt from its scores."""

    def limits(self) -> FloatArray:
        """Of the next sample, [rows]."""

    def learn(self, scores: FloatArray, missed: bool) -> None:
        """Its scores [rows], and whether it lay outside what was said."""


class Aci:
    r"""Adaptive conformal inference: $\alpha_{t+1} = \alpha_t + \gamma (\alpha - \mathrm{miss}_t)$."""

    def __init__(self, window: ScoreWindow, alpha: float, step: float) -> None:
        self._window, self._alpha, self._step = window, alpha, step
        self._level = alpha

    def limits(self) -> FloatArray:
        """At the level of now."""
        return self._window.at(self._level)

    def learn(self, scores: FloatArray, missed: bool) -> None:
        """A miss lowers the level, a hit raises it."""
        self._level += self._step * (self._alpha - missed)
        self._window.add(scores)


class DtAci:
    """Many step sizes at once, weighed by how well their levels fitted lately (dynamically tuned ACI)."""

    def __init__(self, window: ScoreWindow, alpha: float) -> None:
        self._window, self._alpha = window, alpha
        self._steps = np.asarray(_STEPS)
        self._levels = np.full(len(_STEPS), alpha)
        self._weights = np.full(len(_STEPS), 1 / len(_STEPS))
        spread = (1 - alpha) ** 2 * alpha**3 + alpha**2 * (1 - alpha) ** 3
        self._rate = (3 / _HORIZON * (log(len(_STEPS) * _HORIZON) + 2) / spread) ** 0.5
        self._mixing = 1 / (2 * _HORIZON)

    def limits(self) -> FloatArray:
        """At the weighted mean of the experts' levels."""
        return self._window.at(float(self._weights @ self._levels))

    def learn(self, scores: FloatArray, missed: bool) -> None:
        """Experts whose level was nearer to the sample's own gain weight (pinball loss)."""
        best = self._window.level_of(scores)
        away = best - self._levels
        loss = self._alpha * away - np.minimum(0.0, away)
        weights = self._weights * np.exp(-self._rate * loss)
        weights /= weights.sum()
        self._weights = (1 - self._mixing) * weights + self._mixing / len(weights)
        self._levels = self._levels + self._steps * (self._alpha - (self._levels > best))
        self._window.add(scores)


class Pid:
    """Control of the threshold itself: proportional quantile tracking and a saturating integral of the misses."""

    def __init__(self, window: ScoreWindow, alpha: float, rate: float) -> None:
        self._window, self._alpha, self._rate = window, alpha, rate
        self._threshold: float | None = None
        self._scales = np.ones(window.rows)
        self._excess, self._seen = 0.0, 0

    def limits(self) -> FloatArray:
        """The threshold, on the scale of each row."""
        self._warm_up()
        if self._threshold is None:
            return self._window.at(self._alpha)
        angle = self._excess * log(self._seen + 1) / ((self._seen + 1) * _SATURATION)
        if abs(angle) >= pi / 2:
            return np.full(self._window.rows, np.copysign(np.inf, angle))
        return (self._threshold + self._window.largest(self._scales) * tan(angle)) * self._scales

    def learn(self, scores: FloatArray, missed: bool) -> None:
        """A miss raises the threshold, a hit lowers it a little."""
        self._seen += 1
        self._excess += missed - self._alpha
        if self._threshold is not None:
            self._threshold += self._rate * self._window.largest(self._scales) * (missed - self._alpha)
        self._window.add(scores)

    def _warm_up(self) -> None:
        if self._threshold is None and len(self._window) >= _WARM:
            self._scales = self._window.scales()
            start = float((self._window.at(self._alpha) / self._scales).max())
            largest = self._window.largest(self._scales)
            if np.isfinite(start) or largest > 0:  # else no finite score was seen yet
                self._threshold = start if np.isfinite(start) else largest
