"""What changed in the process: shares and times before and after a drift, each with a test."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.core.checks import demand_whole
from assay.core.display import counted, object_html
from assay.drift.detection.comparisons import FEWEST, ChangeKind, ChangeRow, compare, people_of, span_of
from assay.drift.detection.drift import Drift
from assay.drift.detection.settled import settled_cases
from assay.drift.logs.event_log import EventLog
from assay.stats import holm

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ChangeKind", "ChangeProfile", "ChangeRow", "certain_profile", "change_profile"]

_WINDOW = 200
_ENOUGH = 30  # cases that are left when a window is cut at another drift, or before cases that are still open
_ALPHA = 0.01
_COLUMNS = ("kind", "what", "before", "after", "change", "p")
_MARKED = 0.12  # an activity whose share moved by so much came or went
_ALONG = 1 / 3  # what a relation between others then counts
_WEAK = 0.08  # an activity with less than this share of the strongest evidence is a bystander


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
    people : mapping of str to tuple of str
        Who did each activity in these cases, the busiest first; empty where the log does not say.

    Examples
    --------
    >>> from assay.drift import change_profile, simulate
    >>> simulated = simulate(seed=1, cases=200)
    >>> profile = change_profile(simulated.log, simulated.drifts[0].drift)
    >>> profile
    ChangeProfile(4 certain changes of 147 compared; 103 cases before, 97 after)
    >>> profile.vocabulary()[0]
    'Verify income'
    """

    rows: tuple[ChangeRow, ...]
    cases_before: int
    cases_after: int
    people: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False, compare=False)

    def __repr__(self) -> str:
        return f"ChangeProfile({self._summary()})"

    def _repr_html_(self) -> str:
        changed = self.changed()
        rows = ((row.kind, row.name, *_figures(row), _p(row.p_value)) for row in changed)
        return object_html(f"Change profile: {self._summary()}", {}, columns=_COLUMNS, rows=rows, total=len(changed))

    def _summary(self) -> str:
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
        """For each activity the statistics of the rows that changed for sure and speak of it, variants left out.

        What comes or goes takes its relations along: they count for it, and those between other activities by a third.
        """
        changed = [row for row in self.changed(alpha=alpha) if row.kind != "variant"]
        steps = {row.name for row in changed if row.kind == "activity" and abs(row.difference) >= _MARKED}
        evidence: dict[str, float] = {}
        for row in changed:
            moved = [activity for activity in row.activities if activity in steps]
            weight = _ALONG if row.kind == "relation" and steps and not moved else 1.0
            credited = moved if row.kind == "relation" and moved else row.activities
            for activity in credited:
                evidence[activity] = evidence.get(activity, 0.0) + weight * row.statistic / len(credited)
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


def change_profile(
    log: EventLog, drift: Drift, *, window: int | None = 200, others: Sequence[Drift] = ()
) -> ChangeProfile:
    """Compare the cases before a drift starts with those after it is complete.

    Of a recurring drift the first stretch of new behaviour is compared, and what follows its end: the one that differs
    more counts, because a drift may end in the new behaviour or in the old. The cases of the drift are found by their
    id, or by its times when the log does not know the id. Cases at the end of the log, most of which would be still
    open, are left out where thirty others remain: what they have not done yet is no change.

    Parameters
    ----------
    log : EventLog
        The log.
    drift : Drift
        The drift.
    window : int, default 200
        How many cases are compared on either side, at most; None takes 200 and, while no change is certain, twice as
        many again.
    others : sequence of Drift, optional
        The other drifts of the log: no side reaches beyond one of them, where that leaves thirty cases.

    Returns
    -------
    ChangeProfile
        What changed, the most significant first.

    Raises
    ------
    InvalidInput
        The window is no whole number of at least 5.

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
        return certain_profile(log, drift, others=others)
    demand_whole(window, "change_profile: window", least=FEWEST)
    return _profile(log, drift, window, others=others)


def certain_profile(
    log: EventLog, drift: Drift, *, kinds: Sequence[ChangeKind] | None = None, others: Sequence[Drift] = ()
) -> ChangeProfile:
    """The profile over the fewest cases in which something changed for sure, or the widest one where nothing did.

    Where nothing else did, relations at a distance are compared as well.
    """
    window = _WINDOW
    while True:
        profile = _profile(log, drift, window, kinds=kinds, others=others)
        if profile.changed():
            return profile
        if window >= len(log):
            break
        window *= 2
    if kinds is None or "relation" in kinds:
        for wider in (_WINDOW, len(log)):
            profile = _profile(log, drift, wider, kinds=kinds, far=True, others=others)
            if profile.changed():
                break
    return profile


def _profile(
    log: EventLog,
    drift: Drift,
    window: int,
    *,
    kinds: Sequence[ChangeKind] | None = None,
    far: bool = False,
    others: Sequence[Drift] = (),
) -> ChangeProfile:
    first, last = span_of(log, drift)
    low, high = _between(log, first, last, [other for other in others if other != drift])
    before, after = (max(low, first - window), first), (last, min(high, last + window))
    sides = [(before, after)]
    if drift.type == "recurring":
        stretch = min(window, max(2 * FEWEST, (last - first) // 2))
        sides.insert(0, (before, (first, min(high, first + stretch))))
    return max((_compared(log, *one, kinds=kinds, far=far, tried=len(sides)) for one in sides), key=_strength)


def _strength(profile: ChangeProfile) -> float:
    return max((row.statistic for row in profile.changed()), default=0.0)


def _compared(
    log: EventLog,
    before: tuple[int, int],
    after: tuple[int, int],
    *,
    kinds: Sequence[ChangeKind] | None,
    far: bool,
    tried: int,
) -> ChangeProfile:
    """Two sides compared; p-values are corrected for all rows, and for every pair of sides that is ``tried``."""
    sizes = before[1] - before[0], after[1] - after[0]
    if min(sizes) < FEWEST:
        return ChangeProfile(rows=(), cases_before=sizes[0], cases_after=sizes[1])
    drafts = compare(log, before, after, far=far)
    if kinds is not None:
        drafts = [draft for draft in drafts if draft.kind in kinds]
    corrected = holm([draft.p_value for draft in drafts])
    rows = [draft._replace(p_value=min(1.0, tried * float(p))) for draft, p in zip(drafts, corrected, strict=True)]
    rows.sort(key=lambda row: (row.p_value, -row.statistic, row.kind, row.name))
    return ChangeProfile(
        rows=tuple(rows), cases_before=sizes[0], cases_after=sizes[1], people=people_of(log, before, after)
    )


def _between(log: EventLog, first: int, last: int, others: Sequence[Drift]) -> tuple[int, int]:
    """The places between which cases may be compared: neither beyond another drift, nor among those still open."""
    low, high = 0, len(log)
    for other in others:
        start, end = span_of(log, other)
        if other.type != "recurring" and low < end <= first - _ENOUGH:
            low = end
        if last + _ENOUGH <= start < high:
            high = start
    return low, min(high, max(settled_cases(log), last + _ENOUGH))


def _figures(row: ChangeRow) -> tuple[str, str, str]:
    change = f"{row.difference:+.1f} h" if row.kind == "duration" else f"{100 * row.difference:+.0f} points"
    return row.figure(row.before), row.figure(row.after), change


def _p(value: float) -> str:
    return "<0.0001" if value < 1e-4 else f"{value:.4f}"
