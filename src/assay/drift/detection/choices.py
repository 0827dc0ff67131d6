"""What was chosen at every event: the next activity, who does it, how long it took; and where the choices change.

A change can reach cases from their start on, or running cases at one moment. Both are steps of the same choices, put in
order by case or by time, so that their likelihoods can be compared; so is a slope along which cases are new ones with a
rising chance, and a change that reaches every kind of choice at a place of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from assay.core.arrays import BoolArray, FloatArray, IntArray
from assay.drift.detection.features import Perspective
from assay.drift.logs.event_log import EventLog, Times

__all__ = ["Choices", "Course", "Stretch", "all_choices"]

_LEVELS = (0.25, 0.5, 0.75)
_PRIOR = 2.0  # choices that every side is thought to have seen, with the shares of both
_ODD = 0.02  # of the choices follow no rule: no single one weighs more than this allows
_CERTAIN = 0.01
_ROUNDS = 4
_SURE = 12.0  # of log-likelihood, before a stretch of cases is believed to be as those on the other side of a step
_SLOPES = 28  # places tried for the foot and the top of a slope
_MIXTURES = (0.0, 0.05, 0.15, 0.3, 0.5, 0.7, 0.85, 0.95, 1.0)
_BETWEEN = 24  # places tried between two others
_LEAST = 1.0  # of log-likelihood that one place must gain over two, which have a share more
_LIKELIEST = 400  # log-odds of a case, at most


class Choices(NamedTuple):
    """One entry per choice, by case: ``kinds[pairs]`` is what was chosen about; ``moments`` are those of the cases."""

    pairs: IntArray
    kinds: IntArray
    cases: IntArray
    times: Times
    moments: Times | None

    def stretch(self, low: int, high: int) -> Stretch:
        """The choices of the cases from one place to another."""
        first, last = np.searchsorted(self.cases, [low, high])
        rows = slice(int(first), int(last))
        moments = None if self.moments is None else self.moments[low:high]
        return Stretch(self.pairs[rows], self.kinds, self.cases[rows] - low, self.times[rows], moments, high - low)

    def in_flight(self, case: int) -> int:
        """How many cases run when a case starts; a change that reaches them one by one mixes so many old and new."""
        if self.moments is None:
            return 0
        ends = np.full(len(self.moments), np.iinfo(np.int64).min)
        np.maximum.at(ends, self.cases, self.times.astype(np.int64))
        now = self.moments[min(case, len(self.moments) - 1)]
        return int(((self.moments < now) & (ends > now)).sum())


def all_choices(log: EventLog, perspectives: Sequence[Perspective]) -> Choices:
    """The choices of a log from these perspectives."""
    codes, offsets, size = log.activity_codes.astype(np.int64), log.offsets, len(log.activities)
    owners = log.case_codes.astype(np.int64)
    opens = np.zeros(len(codes), dtype=np.bool_)
    opens[offsets[:-1]] = True
    parts: list[tuple[IntArray, IntArray, IntArray, Times]] = []  # kind, outcome, case, time
    if "flow" in perspectives:
        before = np.concatenate([[size], codes[:-1]])
        before[opens] = size
        lasts = offsets[1:] - 1
        parts.append((before, codes, owners, log.times))
        parts.append((codes[lasts], np.full(len(lasts), size), np.arange(len(log)), log.times[lasts]))
    if "resource" in perspectives and log.resource_codes is not None:
        named = log.resource_codes >= 0
        who = log.resource_codes[named].astype(np.int64)
        parts.append((size + 1 + codes[named], who, owners[named], log.times[named]))
    if "time" in perspectives:
        inner = np.flatnonzero(~opens)
        waits = (log.times[inner] - log.times[inner - 1]).astype(np.float64)
        slow = np.zeros(len(inner), dtype=np.int64)
        for code in range(size):
            of = codes[inner] == code
            if of.any():
                slow[of] = np.searchsorted(np.quantile(waits[of], _LEVELS), waits[of])
        parts.append((2 * size + 1 + codes[inner], slow, owners[inner], log.times[inner - 1]))
    kinds, outcomes, cases, times = (
        np.concatenate([part[at] for part in parts] or [np.zeros(0, np.int64)]) for at in range(4)
    )
    width = int(outcomes.max(initial=0)) + 1
    combinations, pairs = np.unique(kinds * width + outcomes, return_inverse=True)
    _, of_pairs = np.unique(combinations // width, return_inverse=True)
    order = np.argsort(cases, kind="stable")
    return Choices(pairs[order], of_pairs, cases[order], times[order], log.moments())


class Course(NamedTuple):
    """A change that was fitted: its likelihood, and the places of its first and last case."""

    likelihood: float
    first: int
    last: int
    is_by_time: bool = False
    rival: float = -np.inf  # of a slope: the likelihood of a step between two mixtures of the same old and new cases


class Stretch:
    """The choices of some cases in a row, in which something changes."""

    def __init__(
        self, pairs: IntArray, kinds: IntArray, cases: IntArray, times: Times, moments: Times | None, size: int
    ) -> None:
        self.pairs, self.kinds, self.cases, self.times = pairs, kinds, cases, times
        self.moments, self.size = moments, size

    def changed(self, before: int, after: int) -> BoolArray:
        """Which kinds of choices differ for sure between the cases before one place and those after another."""
        from scipy.stats import chi2

        old, new = (self._count(chosen) for chosen in (self.cases < before, self.cases >= after))
        gain = self._fit(old) + self._fit(new) - self._fit(old + new)
        degrees = self._per_kind((old + new > 0).astype(np.float64)) - 1
        tested = (degrees > 0) & (self._per_kind(old) > 0) & (self._per_kind(new) > 0)
        p_values = np.ones(len(gain))
        p_values[tested] = chi2.sf(2 * np.maximum(gain[tested], 0.0), degrees[tested])
        return p_values * max(1, int(tested.sum())) <= _CERTAIN

    def only(self, kinds: BoolArray) -> Stretch:
        """The choices of these kinds."""
        rows = kinds[self.kinds[self.pairs]]
        return Stretch(self.pairs[rows], self.kinds, self.cases[rows], self.times[rows], self.moments, self.size)

    def _count(self, chosen: BoolArray | FloatArray) -> FloatArray:
        return _weighed(self.pairs, chosen, len(self.kinds))

    def _per_kind(self, counts: FloatArray) -> FloatArray:
        return _weighed(self.kinds, counts, 0)

    def _fit(self, counts: FloatArray) -> FloatArray:
        """Per kind, the log-likelihood of the counts under their own shares."""
        from scipy.special import xlogy

        whole = self._per_kind(counts)
        fit: FloatArray = self._per_kind(xlogy(counts, counts)) - xlogy(whole, whole)
        return fit

    def _shares(self, new: BoolArray | FloatArray) -> tuple[FloatArray, FloatArray]:
        """Log-shares of every choice before and after, given how far each entry is a new one."""
        after = self._count(new)
        both = self._count(np.ones(len(self.pairs)))
        pooled = both / np.maximum(self._per_kind(both)[self.kinds], 1e-12)
        log_shares = []
        for counts in (both - after, after):
            of = self._per_kind(counts)[self.kinds]
            share = (np.maximum(counts, 0.0) + _PRIOR * pooled) / (np.maximum(of, 0.0) + _PRIOR)
            log_shares.append(np.log((1 - _ODD) * share + _ODD * pooled + 1e-12))
        return log_shares[0], log_shares[1]

    def step(self, near: int, *, by_time: bool) -> Course:
        """The best single step: between two cases, or at a moment that running cases pass."""
        if by_time and self.moments is None:
            return Course(-np.inf, near, near)
        keys = self.times if by_time else self.cases
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        new = self._from(near, by_time)
        best = (-np.inf, near, near)
        for _ in range(_ROUNDS):
            old_log, new_log = self._shares(new)
            gains = np.cumsum((new_log - old_log)[self.pairs[order]][::-1])[::-1]
            # entries of one case, or of one moment, change together
            opens = np.flatnonzero(np.diff(keys, prepend=keys[0] - 1))
            at = int(opens[gains[opens].argmax()])
            value = float(old_log[self.pairs].sum() + gains[at])
            place = int(np.searchsorted(self.moments, keys[at])) if by_time else int(keys[at])  # type: ignore[arg-type]
            if value <= best[0] + 1e-9:
                break
            best = (value, place, place)
            new = np.zeros(len(keys), dtype=np.bool_)
            new[order[at:]] = True
        return Course(*best, is_by_time=by_time)

    def _from(self, place: int, by_time: bool) -> BoolArray:
        if not by_time or self.moments is None:
            return self.cases >= place
        later: BoolArray = self.times >= self.moments[min(max(place, 0), len(self.moments) - 1)]
        return later

    def best_step(self, near: int) -> Course:
        """The better one of a step between cases and a step in time."""
        return max(
            (self.step(near, by_time=by_time) for by_time in (False, True)), key=lambda course: course.likelihood
        )

    def relapse(self, place: int, margin: int, *, after: bool) -> tuple[int, int] | None:
        """The cases after a step that are as those before it, or the other way round; None without certain ones.

        They lie at least a margin away from the step, and are at least as many.
        """
        beyond = self.cases >= place
        new, span = beyond, None
        for _ in range(2):
            old_log, new_log = self._shares(new)
            gains = (old_log - new_log)[self.pairs] if after else (new_log - old_log)[self.pairs]
            odds = np.bincount(self.cases, weights=gains, minlength=self.size)
            low, high = (place + margin, self.size) if after else (0, place - margin)
            if high - low < margin:
                return None
            sums = np.concatenate([[0.0], np.cumsum(odds[low:high])])
            lowest = np.minimum.accumulate(sums)
            end = int((sums - lowest).argmax())
            start = int(sums[: end + 1].argmin())
            if sums[end] - sums[start] < _SURE or end - start < margin:
                return None
            span = low + start, low + end
            new = beyond ^ ((self.cases >= span[0]) & (self.cases < span[1]))
        return span

    def effect(self, place: int) -> FloatArray:
        """By how much the share of every choice among those of its kind differs from one place on."""
        shares = []
        for chosen in (self.cases < place, self.cases >= place):
            counts = self._count(chosen)
            shares.append(counts / np.maximum(self._per_kind(counts)[self.kinds], 1.0))
        return shares[1] - shares[0]

    def slope(self, near: tuple[int, int]) -> Course:
        """Cases are old or new ones, new with a chance that rises from the first to the last place."""
        new = np.clip((self.cases + 1 - near[0]) / max(1, near[1] - near[0] + 1), 0.0, 1.0)
        grid = np.unique(np.linspace(0, self.size, _SLOPES).round().astype(np.int64))
        best = Course(-np.inf, *near)
        for _ in range(_ROUNDS):
            old_log, new_log = self._shares(new)
            odds = _weighed(self.cases, (new_log - old_log)[self.pairs], self.size)
            odds = np.clip(odds, -_LIKELIEST, _LIKELIEST)
            base = float(old_log[self.pairs].sum())
            first, last, gain = _best_slope(odds, grid, grid)
            for reach in (self.size // _SLOPES, self.size // _SLOPES // 4):  # finer around the best
                near_first = np.unique(np.linspace(first - reach, first + reach, 9).round().astype(np.int64))
                near_last = np.unique(np.linspace(last - reach, last + reach, 9).round().astype(np.int64))
                inside = [places[(places >= 0) & (places <= self.size)] for places in (near_first, near_last)]
                first, last, gain = _best_slope(odds, *inside)
            if base + gain <= best.likelihood + 1e-6:
                break
            best = Course(base + gain, first, last, rival=base + _best_mixed_step(odds))
            chance = _rise(first, last, self.size)
            with np.errstate(over="ignore"):
                posterior = chance / (chance + (1 - chance) * np.exp(-odds))
            new = np.nan_to_num(posterior)[self.cases]
        return best

    def steps(self, near: Sequence[int], apart: int, least: float, *, by_time: bool) -> tuple[float, tuple[int, ...]]:
        """The places at which kinds of choices change; and what more than one of them gains.

        Places are those given and the best one of every kind. Each must gain so much over the kinds that change there
        for more than chance, and lie so far apart from the others.
        """
        places = set(near)
        for kind in np.unique(self.kinds[self.pairs]):
            alone = self.only(np.arange(int(self.kinds.max()) + 1) == kind)
            places.add(alone.step(near[0], by_time=by_time).first)
        tried = sorted(place for place in places if 0 < place < self.size)
        whole = self._count(np.ones(len(self.pairs)))
        chance = 1.0 + 1.5 * np.maximum(self._per_kind((whole > 0).astype(np.float64)) - 1, 0.0)
        before = {place: self._count(~self._from(place, by_time)) for place in tried} | {0: whole * 0, self.size: whole}

        def gain(place: int, others: Sequence[int]) -> float:
            """Of one place more, between its neighbours."""
            low = max((other for other in (0, *others) if other < place), default=0)
            high = min((other for other in (*others, self.size) if other > place), default=self.size)
            left, right = before[place] - before[low], before[high] - before[place]
            return float(np.maximum(self._fit(left) + self._fit(right) - self._fit(left + right) - chance, 0.0).sum())

        chosen: list[int] = []
        while free := [place for place in tried if all(abs(place - other) >= apart for other in chosen)]:
            best = max(free, key=lambda place: gain(place, chosen))
            if chosen and gain(best, chosen) < least:
                break
            chosen.append(best)
        while len(chosen) > 1:
            losses = {place: gain(place, [other for other in chosen if other != place]) for place in chosen}
            weakest = min(chosen, key=lambda place: losses[place])
            if losses[weakest] >= least:
                break
            chosen.remove(weakest)
        gains = [gain(place, chosen[:at]) for at, place in enumerate(chosen)]
        return float(sum(gains[1:])), tuple(sorted(chosen))

    def between(self, one: int, two: int, margin: int, *, by_time: bool) -> tuple[float, int]:
        """The place between two others at which kinds of choices change once, and what that gains.

        A kind that changes there alone is compared with one that changes at both of the others. Everything before and
        after them tells its shares, so that a step between them shows in few cases.
        """
        inner = np.unique(np.linspace(one + margin, two - margin, _BETWEEN).round().astype(np.int64))
        if one + margin > two - margin:
            return 0.0, one
        whole = self._count(np.ones(len(self.pairs)))
        first, last = (self._count(~self._from(place, by_time)) for place in (one, two))
        rival = self._fit(first) + self._fit(last - first) + self._fit(whole - last)

        def gain(place: int) -> float:
            old = self._count(~self._from(place, by_time))
            return float(np.maximum(self._fit(old) + self._fit(whole - old) - rival - _LEAST, 0.0).sum())

        gains = [gain(int(place)) for place in inner]
        at = int(np.argmax(gains))
        return gains[at], int(inner[at])

    def pieces(self, places: Sequence[int], *, by_time: bool) -> float:
        """The likelihood when everything changes at each of these places."""
        total = 0.0
        piece = sum(self._from(place, by_time).astype(np.int64) for place in places)
        for number in range(len(places) + 1):
            new = np.asarray(piece == number)
            _, log_share = self._shares(new)
            total += float(log_share[self.pairs[new]].sum())
        return total


def _rise(first: int, last: int, size: int) -> FloatArray:
    chance: FloatArray = np.clip((np.arange(size) + 1 - first) / (last - first + 1), 0.0, 1.0)
    return chance


def _best_mixed_step(odds: FloatArray) -> float:
    """The likelihood when the chance of a new case jumps once, from any share to any other."""
    sums = []
    for share in _MIXTURES:
        with np.errstate(divide="ignore"):
            likelihoods = np.logaddexp(np.log1p(-share), np.log(share) + odds)
        sums.append(np.concatenate([[0.0], np.cumsum(likelihoods)]))
    return max(float((one + two[-1] - two).max()) for one in sums for two in sums)


def _weighed(codes: IntArray, weights: BoolArray | FloatArray, least: int) -> FloatArray:
    """The sum of the weights of every code."""
    return np.bincount(codes, weights=weights, minlength=least).astype(np.float64, copy=False)


def _best_slope(odds: FloatArray, firsts: IntArray, lasts: IntArray) -> tuple[int, int, float]:
    """The foot and the top under which the cases are likeliest, and how much likelier than if all were old."""
    after = np.concatenate([np.cumsum(odds[::-1])[::-1], [0.0]])
    best = (0, 0, -np.inf)
    for first in firsts.tolist():
        for last in lasts[lasts >= first].tolist():
            chance = _rise(first, last, len(odds))[first:last]
            inner = np.logaddexp(np.log1p(-chance), np.log(chance) + odds[first:last]).sum() if last > first else 0.0
            value = float(inner + after[last])
            if value > best[2]:
                best = (first, last, value)
    return best
