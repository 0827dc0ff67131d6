"""A drift: where the behaviour of a process changed, when, and in which manner."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, get_args

from assay.core import InvalidInput, UnknownName
from assay.core.display import object_html, shortened

__all__ = ["DRIFT_TYPES", "Drift", "DriftType", "drift_id"]

DriftType = Literal["sudden", "gradual", "incremental", "recurring"]

DRIFT_TYPES: tuple[str, ...] = get_args(DriftType)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """One drift of one event log.

    Parameters
    ----------
    id : str
        The name of the drift in answers and reports.
    process : str
        The process, or log, that changed.
    type : {"sudden", "gradual", "incremental", "recurring"}
        In which manner.
    start_case : str
        The first case of the new behaviour.
    end_case : str
        The case with which the change is complete; of a sudden drift the same.
    start : datetime
        The time of the first case, with a time zone.
    end : datetime
        The time of the last one.
    confidence : float, default 1.0
        How sure the detector is, from 0 to 1.

    Raises
    ------
    InvalidInput
        A time has no zone, the end lies before the start, or the confidence is out of range.
    UnknownName
        No such type.

    Examples
    --------
    >>> from datetime import UTC, datetime
    >>> day = datetime(2020, 3, 10, tzinfo=UTC)
    >>> Drift(id="d1", process="Permits", type="sudden", start_case="7", end_case="7", start=day, end=day)
    Drift('d1': sudden in 'Permits', 2020-03-10, confidence 1.00)
    """

    id: str
    process: str
    type: DriftType
    start_case: str
    end_case: str
    start: datetime
    end: datetime
    confidence: float = 1.0

    def __post_init__(self) -> None:
        if self.type not in DRIFT_TYPES:
            raise UnknownName("drift type", str(self.type), DRIFT_TYPES)
        for name in ("start", "end"):
            time = getattr(self, name)
            if not isinstance(time, datetime):
                raise InvalidInput(f"drift {self.id!r}: {name} must be a datetime with a time zone, got {time!r}.")
            if time.utcoffset() is None:
                raise InvalidInput(f"drift {self.id!r}: {name} {time} has no time zone. Give one, for example UTC.")
        if self.end < self.start:
            raise InvalidInput(f"drift {self.id!r}: it ends ({self.end}) before it starts ({self.start}).")
        if not 0.0 <= self.confidence <= 1.0:
            raise InvalidInput(f"drift {self.id!r}: confidence must lie in [0, 1], got {self.confidence!r}.")

    def __repr__(self) -> str:
        what = f"{shortened(self.id)!r}: {self.type} in {shortened(self.process)!r}"
        return f"Drift({what}, {self.days}, confidence {self.confidence:.2f})"

    def _repr_html_(self) -> str:
        facts = {
            "process": self.process,
            "type": self.type,
            "first case": f"{self.start_case}, {self.start:%Y-%m-%d %H:%M %Z}",
            "last case": f"{self.end_case}, {self.end:%Y-%m-%d %H:%M %Z}",
            "confidence": self.confidence,
        }
        return object_html(f"Drift {self.id}", facts)

    @property
    def days(self) -> str:
        """The day on which it starts, and the one on which it ends where that is another."""
        end = "" if self.end.date() == self.start.date() else f" to {self.end:%Y-%m-%d}"
        return f"{self.start:%Y-%m-%d}{end}"

    @property
    def duration(self) -> timedelta:
        """From the start to the end; zero for most sudden drifts."""
        return self.end - self.start


def drift_id(test_set: str, row: int, index: int) -> str:
    """The name of a drift in reports.

    >>> drift_id("permits", 1, 2)
    'permits_drift_1_2'
    """
    return f"{test_set}_drift_{row}_{index}"
