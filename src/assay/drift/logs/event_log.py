"""Event logs as columns: one code per case, activity and resource, one time per event; and the door to every format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from assay.core import InvalidInput, UnknownName
from assay.core.folders import demand_file

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Codes", "EventLog", "Order", "Times", "arrange", "from_frame", "moment", "read_log", "write_log"]

Codes = npt.NDArray[np.int32]
Times = npt.NDArray[np.int64]
Order = Literal["start", "file"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EventLog:
    """Events grouped by case, cases in their order, events of a case by time.

    ``cases`` and ``activities`` are the names behind ``case_codes`` and ``activity_codes``; ``times`` are nanoseconds
    since 1970 in UTC. ``resource_codes`` is -1 where an event has no resource, and None when the log has none at all.
    ``attributes`` are further columns, one value per event. ``notes`` say what was unusual about the source.
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

    def __len__(self) -> int:
        """The number of cases."""
        return len(self.cases)

    @property
    def events(self) -> int:
        """The number of events."""
        return len(self.times)

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

    def start_of(self, case: int) -> datetime:
        """When the case at this place began."""
        return moment(int(self.times[np.searchsorted(self.case_codes, case)]))

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


def moment(nanoseconds: int) -> datetime:
    """A time of a log as a datetime in UTC, whole microseconds.

    >>> moment(1_000_000_000)
    datetime.datetime(1970, 1, 1, 0, 0, 1, tzinfo=datetime.timezone.utc)
    """
    return _EPOCH + timedelta(microseconds=nanoseconds // 1000)


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
) -> EventLog:
    """Make a log of columns in any order: events grouped by case and sorted by time, cases by start or as they came.

    Cases are in file order when their codes are. A log whose file order is not the order of the start times is told in
    the notes, because a detector that reads the one as the other sees drifts where there are none.
    """
    if order not in ("start", "file"):
        raise UnknownName("order of cases", str(order), ("start", "file"))
    codes, stamps = np.asarray(case_codes, dtype=np.int64), np.asarray(times, dtype=np.int64)
    if not len(stamps):
        raise InvalidInput(f"event log {name!r} has no events. Give a log with at least one case.")
    told = list(notes)
    starts = np.full(len(cases), np.iinfo(np.int64).max)
    np.minimum.at(starts, codes, stamps)
    # ties keep the order of the file
    by_start = np.argsort(starts, kind="stable")
    displaced = int((starts[1:] < starts[:-1]).sum())
    if displaced:
        kept = "are sorted by start time" if order == "start" else "stay in file order"
        other = "file" if order == "start" else "start"
        told.append(
            f"File order and start order disagree: {displaced} of {len(cases)} cases start earlier than the case "
            f"before them. Cases {kept}; order={other!r} does the opposite."
        )
    chosen = by_start if order == "start" else np.arange(len(cases))
    rank = np.empty(len(cases), dtype=np.int64)
    rank[chosen] = np.arange(len(cases))
    within = codes[1:] == codes[:-1]
    late = int((within & (stamps[1:] < stamps[:-1])).sum())
    if late:
        told.append(f"{late} events lie before their predecessor in the same case; events are sorted by time.")
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
        notes=tuple(told),
    )


def read_log(
    path: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    attributes: Sequence[str] = (),
    timezone: str | None = None,
    order: Order = "start",
    duplicates: Literal["error", "merge"] = "error",
) -> EventLog:
    """Read ``.xes``, ``.xes.gz``, ``.csv``, ``.csv.gz`` or ``.parquet``.

    ``columns`` maps ``case``, ``activity``, ``time`` and ``resource`` to the source's own names where they differ from
    the usual ones. Times without a zone are read as UTC unless ``timezone`` names one; a source that mixes times with
    and without a zone is refused until ``timezone`` says what the bare ones mean. ``attributes`` are further columns to
    keep. ``duplicates`` says what happens to two traces of a XES file that bear one name.
    """
    source = Path(path)
    suffix = "".join(source.suffixes[-2:] if source.suffix == ".gz" else source.suffixes[-1:]).lower()
    demand_file(source, remedy="Give an event log as .xes, .xes.gz, .csv or .parquet.")
    if suffix in (".xes", ".xes.gz"):
        from assay.drift.logs.xes import read_xes  # pandas takes memory that this reader does without

        return read_xes(
            source, columns=columns, attributes=attributes, timezone=timezone, order=order, duplicates=duplicates
        )
    if suffix in (".csv", ".csv.gz", ".parquet"):
        from assay.drift.logs.tables import read_table

        return read_table(source, columns=columns, attributes=attributes, timezone=timezone, order=order)
    raise InvalidInput(f"{source}: {suffix or 'no ending'} is not a log format. Known: .xes, .xes.gz, .csv, .parquet.")


def from_frame(
    frame: pd.DataFrame,
    *,
    name: str = "log",
    columns: Mapping[str, str] | None = None,
    attributes: Sequence[str] = (),
    timezone: str | None = None,
    order: Order = "start",
) -> EventLog:
    """Make a log of a pandas frame; the options are those of ``read_log``."""
    from assay.drift.logs.tables import log_of_frame

    return log_of_frame(frame, name=name, columns=columns, attributes=attributes, timezone=timezone, order=order)


def write_log(log: EventLog, path: str | Path) -> None:
    """Write ``.xes``, ``.xes.gz``, ``.csv`` or ``.parquet``, the same bytes for the same log."""
    target = Path(path)
    if target.name.lower().endswith((".xes", ".xes.gz")):
        from assay.drift.logs.xes import write_xes

        write_xes(log, target)
    else:
        from assay.drift.logs.tables import write_table

        write_table(log, target)
