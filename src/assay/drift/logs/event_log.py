"""Event logs as columns: one code per case, activity and resource, one time per event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from assay.core import InvalidInput, UnknownName
from assay.core.display import counted, object_html, shortened
from assay.drift.logs.local_time import LocalTime

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Codes", "Duplicates", "EventLog", "Order", "Times", "arrange"]

Codes = npt.NDArray[np.int32]
Times = npt.NDArray[np.int64]
Duplicates = Literal["apart", "merge", "error"]
Order = Literal["start", "end", "event", "file"]

_ORDERED_BY: Mapping[str, str] = {"start": "start time", "end": "end time", "event": "the time of their middle event"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EventLog:
    """An event log as columns: events grouped by case, cases in their order, events of a case by time.

    Parameters
    ----------
    name : str
        The process.
    cases : tuple of str
        The names behind ``case_codes``.
    activities : tuple of str
        The names behind ``activity_codes``.
    case_codes : ndarray of int32
        The case of every event.
    activity_codes : ndarray of int32
        The activity of every event.
    times : ndarray of int64
        The time of every event, in nanoseconds since 1970 in UTC.
    resources : tuple of str, optional
        The names behind ``resource_codes``.
    resource_codes : ndarray of int32, optional
        Who carried it out; -1 where nobody is named, None when the log has no resources.
    attributes : mapping of str to ndarray, optional
        Further columns, one value per event.
    notes : tuple of str, optional
        What was unusual about the source.
    local : LocalTime, optional
        How far local time is ahead of UTC, which decides on which day something happens; not at all by default.

    Raises
    ------
    InvalidInput
        There are no events, columns differ in length, or events are not grouped by case.

    Examples
    --------
    >>> from assay.drift import simulate
    >>> log = simulate(seed=1, cases=200).log
    >>> log
    EventLog('SmallBusinessCredit': 200 cases, 2953 events, 17 activities, 2019-01-14 to 2020-01-10)
    >>> len(log), log.trace(0)[0]
    (200, 'Receive application')
    """

    name: str
    cases: tuple[str, ...]
    activities: tuple[str, ...]
    case_codes: Codes
    activity_codes: Codes
    times: Times
    resources: tuple[str, ...] = ()
    resource_codes: Codes | None = None
    attributes: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    local: LocalTime = field(default_factory=LocalTime)

    def __post_init__(self) -> None:
        events = len(self.times)
        columns: dict[str, npt.NDArray[Any]] = {
            "case_codes": self.case_codes,
            "activity_codes": self.activity_codes,
            **self.attributes,
        }
        if self.resource_codes is not None:
            columns["resource_codes"] = self.resource_codes
        for name, column in columns.items():
            if len(column) != events:
                raise InvalidInput(f"event log {self.name!r}: {name} has {len(column)} values for {events} events.")
        if not events:
            raise InvalidInput(f"event log {self.name!r} has no events. Give a log with at least one case.")
        steps = np.diff(self.case_codes)
        if (
            self.case_codes[0] != 0
            or self.case_codes[-1] != len(self.cases) - 1
            or not ((steps == 0) | (steps == 1)).all()
        ):
            raise InvalidInput(f"event log {self.name!r}: events are not grouped by case; build it with arrange().")

    def __repr__(self) -> str:
        sizes = [counted(len(self), "case"), counted(self.events, "event"), counted(len(self.activities), "activity")]
        return f"EventLog({shortened(self.name)!r}: {', '.join(sizes)}, {self._period()})"

    def _repr_html_(self) -> str:
        facts: dict[str, object] = {"cases": len(self), "events": self.events, "period": self._period()}
        if self.resource_codes is not None:
            facts["resources"] = len(self.resources)
        if self.attributes:
            facts["attributes"] = ", ".join(self.attributes)
        if self.notes:
            facts["notes"] = " ".join(self.notes)
        counts = np.bincount(self.activity_codes, minlength=len(self.activities))
        rows = ((self.activities[code], int(counts[code])) for code in np.argsort(-counts, kind="stable"))
        columns = ("activity", "events")
        return object_html(f"Event log {self.name}", facts, columns=columns, rows=rows, total=len(self.activities))

    def _period(self) -> str:
        return "{:%Y-%m-%d} to {:%Y-%m-%d}".format(*self.period)

    def __len__(self) -> int:
        """The number of cases."""
        return len(self.cases)

    @property
    def events(self) -> int:
        """The number of events."""
        return len(self.times)

    @property
    def period(self) -> tuple[datetime, datetime]:
        """The local times of the first and of the last event."""
        return self.local.moment(int(self.times.min())), self.local.moment(int(self.times.max()))

    @property
    def offsets(self) -> npt.NDArray[np.int64]:
        """Where each case begins among the events, and at last where the last one ends."""
        return np.searchsorted(self.case_codes, np.arange(len(self.cases) + 1)).astype(np.int64)

    @property
    def starts(self) -> Times:
        """The time of the first event of every case."""
        return self.times[self.offsets[:-1]]

    @property
    def ends(self) -> Times:
        """The time of the last event of every case."""
        return self.times[self.offsets[1:] - 1]

    @property
    def middles(self) -> Times:
        """The time of the middle event of every case."""
        offsets = self.offsets
        middles: Times = self.times[(offsets[:-1] + offsets[1:] - 1) // 2]
        return middles

    def moments(self) -> Times | None:
        """The times by which the cases are in order: of their first, last or middle events; None where none rise."""
        for times in (self.starts, self.ends, self.middles):
            if (times[1:] >= times[:-1]).all():
                return times
        return None

    def head(self, cases: int) -> EventLog:
        """The first so many cases as a log of their own."""
        return self.part(0, cases)

    def part(self, low: int, high: int) -> EventLog:
        """The cases from one place to another as a log of their own."""
        if low <= 0 and high >= len(self):
            return self
        first, last = np.searchsorted(self.case_codes, [low, high])
        rows = slice(int(first), int(last))
        return replace(
            self,
            cases=self.cases[low:high],
            case_codes=self.case_codes[rows] - np.int32(low),
            activity_codes=self.activity_codes[rows],
            times=self.times[rows],
            resource_codes=None if self.resource_codes is None else self.resource_codes[rows],
            attributes={name: column[rows] for name, column in self.attributes.items()},
        )

    def start_of(self, case: int) -> datetime:
        """When the case at this place began, in local time."""
        return self.local.moment(int(self.times[np.searchsorted(self.case_codes, case)]))

    def place_of(self, case: str) -> int:
        """The place of a case among the cases, by its exact id."""
        try:
            return self.cases.index(case)
        except ValueError:
            raise UnknownName(f"case of {self.name!r}", case, self.cases[:20]) from None

    def trace(self, case: int) -> tuple[str, ...]:
        """The activities of the case at this place, in order."""
        first, last = np.searchsorted(self.case_codes, [case, case + 1])
        return tuple(self.activities[code] for code in self.activity_codes[first:last])

    def to_frame(self) -> pd.DataFrame:
        """A frame with the usual column names, times in UTC."""
        import pandas as pd

        columns: dict[str, Any] = {
            "case:concept:name": np.array(self.cases, dtype=object)[self.case_codes],
            "concept:name": np.array(self.activities, dtype=object)[self.activity_codes],
            "time:timestamp": pd.to_datetime(self.times, utc=True),
        }
        if self.resource_codes is not None:
            named = np.array([*self.resources, None], dtype=object)
            columns["org:resource"] = named[self.resource_codes]
        return pd.DataFrame({**columns, **self.attributes})


def arrange(
    name: str,
    *,
    cases: Sequence[str],
    activities: Sequence[str],
    case_codes: npt.ArrayLike,
    activity_codes: npt.ArrayLike,
    times: npt.ArrayLike,
    resources: Sequence[str] = (),
    resource_codes: npt.ArrayLike | None = None,
    attributes: Mapping[str, npt.NDArray[Any]] | None = None,
    order: Order = "start",
    notes: Sequence[str] = (),
    ahead: npt.ArrayLike | None = None,
) -> EventLog:
    """Make a log of columns in any order: events grouped by case and sorted by time.

    Cases are put in order by their first, last or middle event, or stay as they came ("file", the order of their
    codes). A log whose file order is not the order of the start times is noted, because a detector that
    reads the one as the other sees drifts where there are none. ``ahead`` says by how many seconds the local time of
    each event is ahead of UTC.
    """
    if order not in get_args(Order):
        raise UnknownName("order of cases", str(order), get_args(Order))
    codes, stamps = np.asarray(case_codes, dtype=np.int64), np.asarray(times, dtype=np.int64)
    if not len(stamps):
        raise InvalidInput(f"event log {name!r} has no events. Give a log with at least one case.")
    remarks = list(notes)
    by_case = np.lexsort((stamps, codes))
    sizes = np.bincount(codes, minlength=len(cases))
    firsts = np.minimum(np.cumsum(sizes) - sizes, len(stamps) - 1)
    starts = stamps[by_case[firsts]]
    displaced = int((starts[1:] < starts[:-1]).sum())
    if displaced:
        arrangement = {"file": "stay in file order"}.get(order, f"are sorted by {_ORDERED_BY.get(order)}")
        other = "start" if order == "file" else "file"
        remarks.append(
            f"File order and start order disagree: {displaced} of {len(cases)} cases start earlier than the case "
            f"before them. Cases {arrangement}; the order {other!r} does the opposite."
        )
    places = {"end": firsts + sizes - 1, "event": firsts + (sizes - 1) // 2}.get(order, firsts)
    # ties keep the order of the file
    chosen = np.arange(len(cases)) if order == "file" else np.argsort(stamps[by_case[places]], kind="stable")
    rank = np.empty(len(cases), dtype=np.int64)
    rank[chosen] = np.arange(len(cases))
    within = codes[1:] == codes[:-1]
    late = int((within & (stamps[1:] < stamps[:-1])).sum())
    if late:
        remarks.append(f"{late} events lie before their predecessor in the same case; events are sorted by time.")
    rows = np.lexsort((stamps, rank[codes]))
    return EventLog(
        name=name,
        cases=tuple(cases[case] for case in chosen),
        activities=tuple(activities),
        case_codes=rank[codes][rows].astype(np.int32),
        activity_codes=np.asarray(activity_codes, dtype=np.int32)[rows],
        times=stamps[rows],
        resources=tuple(resources) if resource_codes is not None else (),
        resource_codes=None if resource_codes is None else np.asarray(resource_codes, dtype=np.int32)[rows],
        attributes={key: np.asarray(column)[rows] for key, column in (attributes or {}).items()},
        notes=tuple(remarks),
        local=LocalTime() if ahead is None else LocalTime.of(stamps, np.asarray(ahead, dtype=np.int32)),
    )
