"""What changed in the process: shares and times before and after a drift, each with a test."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from assay.core.arrays import FloatArray
from assay.core.checks import demand_whole
from assay.core.display import counted, object_html
from assay.drift.detection.drift import Drift
from assay.drift.logs.event_log import EventLog
from assay.stats import holm

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ChangeKind", "ChangeProfile", "ChangeRow", "certain_profile", "change_profile"]

ChangeKind = Literal["activity", "relation", "variant", "duration", "resource"]

_WINDOW = 200
_FEWEST = 5  # cases on either side; with fewer nothing is tested
_MOST_VARIANTS = 15
_HOUR = 3600e9
_ALPHA = 0.01
_COLUMNS = ("kind", "what", "before", "after", "change", "p")
_WEAK = 0.08  # an activity with less than this share of the strongest evidence is a bystander


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeProfile:
    """What changed in a process around a drift: shares and times before and after, each with a test.

    Attributes
    ----------
    rows : tuple of ChangeRow
        Everything that was compared, the most significant first.
    cases_before : int
        Cases before the drift that were counted.
    cases_after : int
        Cases after it.

    Examples
    --------
    >>> from assay.drift import change_profile, simulate
    >>> simulated = simulate(seed=1, cases=200)
    >>> profile = change_profile(simulated.log, simulated.drifts[0].drift)
    >>> profile
    ChangeProfile(4 certain changes of 130 compared; 103 cases before, 97 after)
    >>> profile.vocabulary()[0]
    'Verify income'
    """

    rows: tuple[ChangeRow, ...]
    cases_before: int
    cases_after: int

    def __repr__(self) -> str:
        return f"ChangeProfile({self._found()})"

    def _repr_html_(self) -> str:
        changed = self.changed()
        rows = ((row.kind, row.name, *_figures(row), _p(row.p_value)) for row in changed)
        return object_html(f"Change profile: {self._found()}", {}, columns=_COLUMNS, rows=rows, total=len(changed))

    def _found(self) -> str:
        cases = f"{counted(self.cases_before, 'case')} before, {self.cases_after} after"
        return f"{counted(len(self.changed()), 'certain change')} of {len(self.rows)} compared; {cases}"

    def changed(self, *, alpha: float = _ALPHA, kind: ChangeKind | None = None) -> tuple[ChangeRow, ...]:
        """The rows that changed for sure, of one kind or of all."""
        return tuple(row for row in self.rows if row.p_value <= alpha and kind in (None, row.kind))

    def vocabulary(self, *, alpha: float = _ALPHA) -> tuple[str, ...]:
        """Names of the activities, and then of the resources, that changed: the most important first.

        An activity counts with the evidence of all rows that speak of it, so that one that was moved comes before its
        neighbours, each of which only lost or gained a relation.
        """
        evidence = self.evidence(alpha=alpha)
        strongest = max(evidence.values(), default=0.0)
        ranked = sorted(evidence.items(), key=lambda item: (-item[1], item[0]))
        activities = [name for name, value in ranked if value >= _WEAK * strongest]
        resources = [row.name.rpartition(" by ")[2] for row in self.changed(alpha=alpha, kind="resource")]
        return tuple(dict.fromkeys([*activities, *resources]))

    def evidence(self, *, alpha: float = _ALPHA) -> dict[str, float]:
        """For each activity the statistics of the rows that changed for sure and speak of it, variants left out."""
        evidence: dict[str, float] = {}
        for row in self.changed(alpha=alpha):
            for activity in row.activities if row.kind != "variant" else ():
                evidence[activity] = evidence.get(activity, 0.0) + row.statistic / len(row.activities)
        return evidence

    def table(self, *, limit: int = 12, alpha: float = _ALPHA, width: int = 80) -> str:
        """The strongest changes as text, one per line; names that do not fit stand above their numbers, whole."""
        changed = self.changed(alpha=alpha)
        shown = changed[:limit]
        if not shown:
            return f"no certain change ({counted(self.cases_before, 'case')} before, {self.cases_after} after)"
        names = ["what", *(row.name for row in shown)]
        numbers = [(*_COLUMNS[:1], *_COLUMNS[2:]), *((row.kind, *_figures(row), _p(row.p_value)) for row in shown)]
        widths = [max(map(len, column)) for column in zip(*numbers, strict=True)]
        beside = max(map(len, names))
        is_stacked = sum(widths) + 2 * len(widths) + beside > width
        text = []
        for name, (kind, *figures) in zip(names, numbers, strict=True):
            cells = [cell.rjust(size) for cell, size in zip(figures, widths[1:], strict=True)]
            if is_stacked:
                text += [
                    *textwrap.wrap(name, width, break_long_words=False),
                    "  ".join(["", kind.ljust(widths[0]), *cells]).rstrip(),
                ]
            else:
                text.append("  ".join([kind.ljust(widths[0]), name.ljust(beside), *cells]).rstrip())
        if len(changed) > limit:
            text.append(f"... and {len(changed) - limit} more")
        return "\n".join(text)

    def to_frame(self) -> pd.DataFrame:
        """All rows as a frame."""
        import pandas as pd

        return pd.DataFrame(self.rows, columns=list(ChangeRow._fields))


def change_profile(log: EventLog, drift: Drift, *, window: int | None = 200) -> ChangeProfile:
    """Compare the cases before a drift starts with those after it is complete.

    A recurring drift is compared with the first stretch of new behaviour. The cases of the drift are found by their id,
    or by its times when the log does not know the id.

    Parameters
    ----------
    log : EventLog
        The log.
    drift : Drift
        The drift.
    window : int, default 200
        How many cases are compared on either side, at most; None takes 200 and, while no change is certain, twice as
        many again.

    Returns
    -------
    ChangeProfile
        What changed, the most significant first.

    Raises
    ------
    InvalidInput
        The window is no whole number of at least 1.

    Examples
    --------
    >>> from assay.drift import simulate
    >>> simulated = simulate(seed=1, cases=200)
    >>> print(change_profile(simulated.log, simulated.drifts[0].drift).table(limit=1))
    kind      what           before  after      change        p
    activity  Verify income    100%    53%  -47 points  <0.0001
    ... and 3 more
    """
    if window is None:
        return certain_profile(log, drift)
    demand_whole(window, "change_profile: window", least=_FEWEST)
    return _profile(log, drift, window)


def certain_profile(log: EventLog, drift: Drift, *, kinds: Sequence[ChangeKind] | None = None) -> ChangeProfile:
    """The profile over the fewest cases in which something changed for sure, or the widest one where nothing did.

    Where nothing else did, relations at a distance are compared as well.
    """
    window = _WINDOW
    while True:
        profile = _profile(log, drift, window, kinds=kinds)
        if profile.changed():
            return profile
        if window >= len(log):
            break
        window *= 2
    if kinds is None or "relation" in kinds:
        for wider in (_WINDOW, len(log)):
            profile = _profile(log, drift, wider, kinds=kinds, far=True)
            if profile.changed():
                break
    return profile


def _profile(
    log: EventLog, drift: Drift, window: int, *, kinds: Sequence[ChangeKind] | None = None, far: bool = False
) -> ChangeProfile:
    first, last = _place(log, drift.start_case, drift.start), _place(log, drift.end_case, drift.end)
    first, last = min(first, last), max(first, last)
    length = window
    if drift.type == "recurring":
        length, last = min(window, max(2 * _FEWEST, (last - first) // 2)), first
    before, after = (max(0, first - window), first), (last, min(len(log), last + length))
    sizes = before[1] - before[0], after[1] - after[0]
    if min(sizes) < _FEWEST:
        return ChangeProfile(rows=(), cases_before=sizes[0], cases_after=sizes[1])
    sides = _Side(log, *before), _Side(log, *after)
    drafts = [*_activities(log, sides), *_relations(log, sides), *_variants(log, sides)]
    drafts += [*_durations(log, sides), *_resources(log, sides)]
    if far:
        drafts += _far_relations(log, sides)
    if kinds is not None:
        drafts = [draft for draft in drafts if draft.kind in kinds]
    corrected = holm([draft.p_value for draft in drafts])
    rows = [draft._replace(p_value=float(p)) for draft, p in zip(drafts, corrected, strict=True)]
    rows.sort(key=lambda row: (row.p_value, -row.statistic, row.kind, row.name))
    return ChangeProfile(rows=tuple(rows), cases_before=sizes[0], cases_after=sizes[1])


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

    def having(self, codes: npt.NDArray[np.int64], rows: npt.NDArray[np.int64], size: int) -> FloatArray:
        """In how many cases each code occurs."""
        distinct = np.unique(rows * size + codes)
        return np.bincount(distinct % size, minlength=size).astype(np.float64)


_Sides = tuple[_Side, _Side]


def _place(log: EventLog, case: str, when: Any) -> int:
    try:
        return log.cases.index(case)
    except ValueError:
        return int(np.searchsorted(log.starts, int(when.timestamp() * 1e6) * 1000))


def _compared(
    kind: ChangeKind, names: Sequence[tuple[str, tuple[str, ...]]], yes: Sequence[FloatArray], of: Sequence[Any]
) -> Iterator[ChangeRow]:
    """Rows of shares, by the likelihood ratio of two binomial samples."""
    from scipy.stats import chi2

    one, two = (np.broadcast_to(np.asarray(size, dtype=np.float64), yes[0].shape) for size in of)
    seen = (yes[0] + yes[1] > 0) & (one >= _FEWEST) & (two >= _FEWEST)
    statistic = np.maximum(0.0, 2 * (_fit(yes[0], one) + _fit(yes[1], two) - _fit(yes[0] + yes[1], one + two)))
    p_values = chi2.sf(statistic, 1)
    for at in np.flatnonzero(seen).tolist():
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


def _occurring(
    sides: _Sides, codes: Sequence[npt.NDArray[np.int64]], rows: Sequence[npt.NDArray[np.int64]]
) -> tuple[npt.NDArray[np.int64], list[FloatArray]]:
    """The codes that occur on either side, and per side in how many cases each of them does."""
    known = np.unique(np.concatenate(codes))
    counts = [
        side.having(np.searchsorted(known, code), row, max(1, len(known)))[: len(known)]
        for side, code, row in zip(sides, codes, rows, strict=True)
    ]
    return known, counts


def _relations(log: EventLog, sides: _Sides) -> Iterator[ChangeRow]:
    names = log.activities
    size = len(names)
    pairs = [(side.codes[:-1] * size + side.codes[1:])[~side.opens[1:]] for side in sides]
    rows = [side.rows[1:][~side.opens[1:]] for side in sides]
    known, counts = _occurring(sides, pairs, rows)
    labels = [
        (f"{names[pair // size]} → {names[pair % size]}", (names[pair // size], names[pair % size])) for pair in known
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
    labels = [(f"{one} → … → {two}", (one, two)) for one in names for two in names]
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

    if min(len(before), len(after)) < _FEWEST or np.ptp(np.concatenate([before, after])) == 0:
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


def _figures(row: ChangeRow) -> tuple[str, str, str]:
    if row.kind == "duration":
        return f"{row.before:.1f} h", f"{row.after:.1f} h", f"{row.difference:+.1f} h"
    return f"{row.before:.0%}", f"{row.after:.0%}", f"{100 * row.difference:+.0f} points"


def _p(value: float) -> str:
    return "<0.0001" if value < 1e-4 else f"{value:.4f}"
