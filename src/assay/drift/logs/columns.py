"""The columns of an event log while its events come in."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.drift.logs.event_log import EventLog, Order, arrange

__all__ = ["LogColumns", "log_name"]


def log_name(source: Path) -> str:
    """The name of a log: that of its file without the suffixes.

    >>> log_name(Path("logs/permits.2020.xes.GZ")), log_name(Path("permits.tsv"))
    ('permits.2020', 'permits')
    """
    return Path(source.stem).stem if source.suffix.lower() == ".gz" else source.stem


class LogColumns:
    """Names of cases, activities and resources with their codes, in the order in which they first come."""

    def __init__(self) -> None:
        self.cases: dict[str, int] = {}
        self.activities: dict[str, int] = {}
        self.resources: dict[str, int] = {}
        self.case_codes, self.activity_codes, self.resource_codes = array("i"), array("i"), array("i")
        self.times = array("q")
        self.ahead = array("i")

    def add(self, case: int, activity: str, time: int, resource: str | None, ahead: int = 0) -> None:
        """One event of the case with this code; ``ahead`` are the seconds by which its local time is ahead of UTC."""
        self.case_codes.append(case)
        self.activity_codes.append(self.activities.setdefault(activity, len(self.activities)))
        self.times.append(time)
        self.ahead.append(ahead)
        self.resource_codes.append(-1 if resource is None else self.resources.setdefault(resource, len(self.resources)))

    def log(
        self,
        name: str,
        *,
        attributes: Mapping[str, npt.NDArray[Any]] | None = None,
        order: Order = "start",
        notes: Sequence[str] = (),
    ) -> EventLog:
        """The finished log."""
        return arrange(
            name,
            cases=list(self.cases),
            activities=list(self.activities),
            case_codes=np.frombuffer(self.case_codes, dtype=np.int32),
            activity_codes=np.frombuffer(self.activity_codes, dtype=np.int32),
            times=np.frombuffer(self.times, dtype=np.int64),
            resources=list(self.resources),
            resource_codes=np.frombuffer(self.resource_codes, dtype=np.int32) if self.resources else None,
            attributes=attributes,
            order=order,
            notes=notes,
            ahead=np.frombuffer(self.ahead, dtype=np.int32),
        )
