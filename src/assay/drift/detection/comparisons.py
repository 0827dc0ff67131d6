"""What can be compared of the cases on two sides of a drift: shares of all kinds, and times, each with a test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from assay.core.arrays import FloatArray, IntArray
from assay.drift.detection.drift import Drift
from assay.drift.logs.event_log import EventLog
from assay.drift.logs.local_time import nanoseconds

__all__ = ["FEWEST", "WEEKDAYS", "ChangeKind", "ChangeRow", "compare", "people_of", "span_of"]

ChangeKind = Literal["activity", "relation", "variant", "duration", "resource", "weekday"]

FEWEST = 5  # cases on either side; with fewer nothing is tested
_MOST_VARIANTS = 15
_FAR = "{} → … → {}"  # the name of a relation at a distance
_HOUR = 3600e9
_DAY = 86_400_000_000_000
_WEEKS = 3  # that both sides must span before days of the week are compared
WEEKDAYS = ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays")


class ChangeRow(NamedTuple):
    """One thing that was compared; ``activities`` are those it speaks of.

    ``before`` and ``after`` are shares of cases, or median hours when ``kind`` is "duration". ``statistic`` is about
    chi-squared with one degree of freedom when nothing changed; ``p_value`` is corrected for all rows of the profile.
    """

    kind: ChangeKind
    name: str
    before: float
    after: float
    difference: float
    statistic: float
    p_value: float
    activities: tuple[str, ...]

    def figure(self, value: float) -> str:
        """A share as a percentage, a time in hours."""
        return f"{value:.1f} h" if self.kind == "duration" else f"{value:.0%}"

    @property
    def is_far(self) -> bool:
        """Whether it tells of one activity before another at any distance, not directly."""
        return self.kind == "relation" and self.name == _FAR.format(*self.activities)


def compare(log: EventLog, before: tuple[int, int], after: tuple[int, int], *, far: bool = False) -> list[ChangeRow]:
    """Everything that can be compared of two stretches of cases; with ``far``, relations at a distance as well.

    The p-values are those of single tests.
    """
    sides = _Side(log, *before), _Side(log, *after)
    rows = [*_activities(log, sides), *_relations(log, sides), *_variants(log, sides)]
    rows += [*_durations(log, sides), *_resources(log, sides), *_weekdays(log, sides)]
    return [*rows, *_far_relations(log, sides)] if far else rows


def people_of(log: EventLog, *stretches: tuple[int, int]) -> dict[str, tuple[str, ...]]:
    """Who did each activity in some stretches of cases, the busiest first."""
    if log.resource_codes is None:
        return {}
    places = [np.arange(*np.searchsorted(log.case_codes, stretch)) for stretch in stretches]
    rows = np.concatenate(places)
    rows = rows[log.resource_codes[rows] >= 0]
    pairs, counts = np.unique(
        np.stack([log.activity_codes[rows], log.resource_codes[rows]]), axis=1, return_counts=True
    )
    by_activity: dict[str, list[str]] = {}
    for at in np.argsort(-counts, kind="stable").tolist():
        by_activity.setdefault(log.activities[pairs[0, at]], []).append(log.resources[pairs[1, at]])
    return {activity: tuple(people) for activity, people in by_activity.items()}


class _Side:
    """The cases from one place to another."""

    def __init__(self, log: EventLog, low: int, high: int) -> None:
        first, last = np.searchsorted(log.case_codes, [low, high])
        self.cases = high - low
        self.rows = log.case_codes[first:last].astype(np.int64) - low
        self.codes = log.activity_codes[first:last].astype(np.int64)
        self.times = log.times[first:last]
        self.resources = None if log.resource_codes is None else log.resource_codes[first:last]
        self.opens = np.diff(self.rows, prepend=-1) != 0
        self.waits = np.diff(self.times, prepend=self.times[0]) / _HOUR

    def having(self, codes: IntArray, rows: IntArray, size: int) -> FloatArray:
        """In how many cases each code occurs."""
        distinct = np.unique(rows * size + codes)
        return np.bincount(distinct % size, minlength=size).astype(np.float64)


_Sides = tuple[_Side, _Side]


def span_of(log: EventLog, drift: Drift) -> tuple[int, int]:
    """The places of a drift's first and last case among those of the log; by time where the log does not know them."""
    places = []
    for case, when in ((drift.start_case, drift.start), (drift.end_case, drift.end)):
        try:
            places.append(log.cases.index(case))
        except ValueError:
            places.append(int(np.searchsorted(log.starts, nanoseconds(when))))
    return min(places), max(places)


def _compared(
    kind: ChangeKind, names: Sequence[tuple[str, tuple[str, ...]]], yes: Sequence[FloatArray], of: Sequence[Any]
) -> Iterator[ChangeRow]:
    """Rows of shares, by the likelihood ratio of two binomial samples."""
    from scipy.stats import chi2

    one, two = (np.broadcast_to(np.asarray(size, dtype=np.float64), yes[0].shape) for size in of)
    tested = (yes[0] + yes[1] > 0) & (one >= FEWEST) & (two >= FEWEST)
    statistic = np.maximum(0.0, 2 * (_fit(yes[0], one) + _fit(yes[1], two) - _fit(yes[0] + yes[1], one + two)))
    p_values = chi2.sf(statistic, 1)
    for at in np.flatnonzero(tested).tolist():
        before, after = float(yes[0][at] / one[at]), float(yes[1][at] / two[at])
        name, activities = names[at]
        yield ChangeRow(
            kind, name, before, after, after - before, float(statistic[at]), float(p_values[at]), activities
        )


def _fit(yes: FloatArray, of: FloatArray) -> FloatArray:
    from scipy.special import xlogy

    safe = np.maximum(of, 1.0)
    likelihood: FloatArray = xlogy(yes, yes / safe) + xlogy(of - yes, (of - yes) / safe)
    return likelihood


def _activities(log: EventLog, sides: _Sides) -> Iterator[ChangeRow]:
    size, of = len(log.activities), [side.cases for side in sides]
    names = [(name, (name,)) for name in log.activities]
    yield from _compared("activity", names, [side.having(side.codes, side.rows, size) for side in sides], of)
    again = []
    for side in sides:
        often = np.bincount(side.rows * size + side.codes, minlength=side.cases * size).reshape(side.cases, size)
        again.append((often > 1).sum(axis=0).astype(np.float64))
    repeated = [(f"{name}, repeated", (name,)) for name in log.activities]
    yield from _compared("activity", repeated, again, of)


def _occurring(sides: _Sides, codes: Sequence[IntArray], rows: Sequence[IntArray]) -> tuple[IntArray, list[FloatArray]]:
    """The codes that occur on either side, and per side in how many cases each of them does."""
    distinct = np.unique(np.concatenate(codes))
    counts = [
        side.having(np.searchsorted(distinct, code), row, max(1, len(distinct)))[: len(distinct)]
        for side, code, row in zip(sides, codes, rows, strict=True)
    ]
    return distinct, counts


def _relations(log: EventLog, sides: _Sides) -> Iterator[ChangeRow]:
    names = log.activities
    size = len(names)
    pairs = [(side.codes[:-1] * size + side.codes[1:])[~side.opens[1:]] for side in sides]
    rows = [side.rows[1:][~side.opens[1:]] for side in sides]
    distinct, counts = _occurring(sides, pairs, rows)
    labels = [
        (f"{names[pair // size]} → {names[pair % size]}", (names[pair // size], names[pair % size]))
        for pair in distinct
    ]
    yield from _compared("relation", labels, counts, [side.cases for side in sides])


def _far_relations(log: EventLog, sides: _Sides) -> Iterator[ChangeRow]:
    """Whether one activity comes before another at any distance."""
    names, counts = log.activities, []
    size = len(names)
    for side in sides:
        place = np.arange(len(side.codes))
        first = np.full((side.cases, size), len(place), dtype=np.int64)
        last = np.full((side.cases, size), -1, dtype=np.int64)
        np.minimum.at(first, (side.rows, side.codes), place)
        np.maximum.at(last, (side.rows, side.codes), place)
        counts.append(
            np.concatenate([(first[:, [code]] < last).sum(axis=0) for code in range(size)]).astype(np.float64)
        )
    labels = [(_FAR.format(one, two), (one, two)) for one in names for two in names]
    yield from _compared("relation", labels, counts, [side.cases for side in sides])


def _variants(log: EventLog, sides: _Sides) -> Iterator[ChangeRow]:
    tallies: list[Counter[tuple[int, ...]]] = []
    for side in sides:
        cuts = np.flatnonzero(side.opens)[1:]
        tallies.append(Counter(tuple(part.tolist()) for part in np.split(side.codes, cuts)))
    common = sorted((tallies[0] + tallies[1]).items(), key=lambda item: (-item[1], item[0]))[:_MOST_VARIANTS]
    paths = [tuple(log.activities[code] for code in variant) for variant, _ in common]
    names = [(", ".join(path), tuple(dict.fromkeys(path))) for path in paths]
    counts = [np.array([float(tally[variant]) for variant, _ in common]) for tally in tallies]
    yield from _compared("variant", names, counts, [side.cases for side in sides])


def _durations(log: EventLog, sides: _Sides) -> Iterator[ChangeRow]:
    whole = []
    for side in sides:
        firsts = np.flatnonzero(side.opens)
        lasts = np.append(firsts[1:], len(side.rows)) - 1
        whole.append((side.times[lasts] - side.times[firsts]) / _HOUR)
    yield from _slower("whole case", (), *whole)
    for code, name in enumerate(log.activities):
        waits = [side.waits[(side.codes == code) & ~side.opens] for side in sides]
        yield from _slower(f"until {name}", (name,), *waits)


def _slower(name: str, activities: tuple[str, ...], before: FloatArray, after: FloatArray) -> Iterator[ChangeRow]:
    """A row of times, by the rank-sum test."""
    from scipy.stats import chi2, mannwhitneyu

    if min(len(before), len(after)) < FEWEST or np.ptp(np.concatenate([before, after])) == 0:
        return
    p = float(mannwhitneyu(before, after, method="asymptotic").pvalue)
    one, two = float(np.median(before)), float(np.median(after))
    yield ChangeRow("duration", name, one, two, two - one, float(chi2.isf(max(p, 1e-300), 1)), p, activities)


def _resources(log: EventLog, sides: _Sides) -> Iterator[ChangeRow]:
    """Who carries out an activity, among the cases that have it and name somebody."""
    if log.resource_codes is None:
        return
    size, people = len(log.activities), len(log.resources)
    codes, rows, of = [], [], []
    for side in sides:
        assert side.resources is not None
        named = side.resources >= 0
        codes.append(side.codes[named] * people + side.resources[named])
        rows.append(side.rows[named])
        of.append(side.having(side.codes[named], side.rows[named], size))
    pairs, counts = _occurring(sides, codes, rows)
    names = [
        (f"{log.activities[pair // people]} by {log.resources[pair % people]}", (log.activities[pair // people],))
        for pair in pairs
    ]
    yield from _compared("resource", names, counts, [size[pairs // people] for size in of])


def _weekdays(log: EventLog, sides: _Sides) -> Iterator[ChangeRow]:
    """On which day of the week an activity takes place: the day whose share moved most, by a test of all seven."""
    from scipy.stats import chi2

    if min(int(np.ptp(side.times)) for side in sides) < _WEEKS * 7 * _DAY:
        return  # days that one side does not have
    counts = []
    for side in sides:
        days = (log.local.clock(side.times) // _DAY + 3) % 7  # 1 January 1970 was a Thursday
        counts.append(np.bincount(side.codes * 7 + days, minlength=7 * len(log.activities)).reshape(-1, 7))
    for activity, one, two in zip(log.activities, *(tally.astype(np.float64) for tally in counts), strict=True):
        if min(one.sum(), two.sum()) < 4 * FEWEST:
            continue
        both = (one + two) / (one.sum() + two.sum())
        statistic = 2 * float(_gain(one, both * one.sum()) + _gain(two, both * two.sum()))
        p = float(chi2.sf(statistic, max(1, int((both > 0).sum()) - 1)))
        before, after = one / one.sum(), two / two.sum()
        day = int(np.argmax(np.abs(after - before)))
        share, then = float(before[day]), float(after[day])
        strength = float(chi2.isf(max(p, 1e-300), 1))
        name = f"{activity} on {WEEKDAYS[day]}"
        yield ChangeRow("weekday", name, share, then, then - share, strength, p, (activity,))


def _gain(observed: FloatArray, expected: FloatArray) -> float:
    from scipy.special import rel_entr

    return float(rel_entr(observed, np.where(expected > 0, expected, 1.0)).sum())
