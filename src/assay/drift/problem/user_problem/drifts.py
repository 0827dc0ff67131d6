"""The drifts of a user's log: given by date or case, read from a detector's files, or detected."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from typing import NamedTuple

import numpy as np

from assay.core import InvalidInput
from assay.core.errors import suggest
from assay.drift.detection.drift import Drift, drift_id
from assay.drift.logs.event_log import EventLog
from assay.drift.logs.local_time import nanoseconds
from assay.drift.problem.detector_files import read_detections
from assay.drift.problem.user_problem.material import Cause, Material
from assay.intake.moment import parse_moment

__all__ = ["UserDrifts", "demand_inside_log", "find_drifts", "moment_of"]

_RANGE = ".."
_SHOWN = 5


class UserDrifts(NamedTuple):
    """The drifts in their order, where they are from, and causes that the detector's files name."""

    drifts: tuple[Drift, ...]
    origin: str
    causes: tuple[Cause, ...] = ()


def find_drifts(material: Material, log: EventLog) -> UserDrifts:
    """What is given, else what is detected."""
    if material.drifts and material.detections is not None:
        raise InvalidInput("drifts are given twice, one by one and as a detector's folder: choose one of them.")
    if material.detections is not None:
        return _from_files(material, log)
    if material.drifts:
        entries = [_drift_of(material, log, entry, number) for number, entry in enumerate(material.drifts, start=1)]
        return UserDrifts(tuple(sorted(entries, key=lambda drift: (drift.start, drift.end))), "as given")
    from assay.drift.detection.detect import detect

    detected = detect(log)
    if not detected:
        raise InvalidInput(
            f"event log {log.name!r}: no drift was detected in {len(log)} cases. Say where it drifts: "
            f"{material.remedy('drifts', '2021-03-01')}."
        )
    return UserDrifts(detected, "detected")


def moment_of(material: Material, log: EventLog, when: str | date, place: str) -> datetime:
    """A case's start, or the date that a text says; it must lie in the log."""
    if isinstance(when, str) and when.strip() in log.cases:
        return log.start_of(log.place_of(when.strip()))
    stamp = parse_moment(when, material.options, place=place, zone=log.local)
    if stamp is None:
        raise InvalidInput(
            f"{place}: {str(when)!r} is neither a case of the log nor a date written as 2021-03-31 (year, month, day). "
            f"{suggest(str(when), log.cases[:_SHOWN])}"
        )
    stamp = log.local.moment(nanoseconds(stamp))
    demand_inside_log(log, stamp, place)
    return stamp


def demand_inside_log(log: EventLog, stamp: datetime, place: str) -> None:
    """A day on which the log has events, or between two such."""
    first, last = log.period
    if not first.date() <= stamp.date() <= last.date():
        raise InvalidInput(
            f"{place}: {stamp:%Y-%m-%d} lies outside the log, which covers {first:%Y-%m-%d} to {last:%Y-%m-%d}."
        )


def _drift_of(material: Material, log: EventLog, entry: str | date | Drift, number: int) -> Drift:
    if isinstance(entry, Drift):
        return replace(entry, process=log.name)
    place = material.remedy("drifts", str(entry))
    begin, dots, end_day = entry.partition(_RANGE) if isinstance(entry, str) else (entry, "", "")
    first, last = (moment_of(material, log, part, place) for part in (begin, end_day if dots else begin))
    if last < first:
        raise InvalidInput(f"{place}: it ends before it starts.")
    cases = [_first_case(log, stamp, place) for stamp in (first, last)]
    start, end = (log.start_of(case) for case in cases)
    return Drift(
        id=drift_id(log.name, 1, number),
        process=log.name,
        type="gradual" if dots else "sudden",
        start_case=log.cases[cases[0]],
        end_case=log.cases[cases[1]],
        start=start,
        end=max(start, end),
    )


def _first_case(log: EventLog, stamp: datetime, place: str) -> int:
    """The earliest case that starts then or later."""
    starts = log.starts
    later = np.flatnonzero(starts >= nanoseconds(stamp))
    if not len(later):
        raise InvalidInput(f"{place}: no case starts on {stamp:%Y-%m-%d} or later.")
    return int(later[np.argmin(starts[later])])


def _from_files(material: Material, log: EventLog) -> UserDrifts:
    assert material.detections is not None
    detections = read_detections(material.detections, timezone=material.options.timezone, matching="last-number")
    processes = list(dict.fromkeys(detection.drift.process for detection in detections))
    if len(processes) > 1 and log.name not in processes:
        raise InvalidInput(
            f"{material.detections}: has drifts of {', '.join(processes)}, none of them {log.name!r}. "
            f"Say which is meant: {material.remedy('process', processes[0])}."
        )
    own = [one for one in detections if len(processes) == 1 or one.drift.process == log.name]
    if not own:
        raise InvalidInput(f"{material.detections}: lists no drift; there is nothing to explain.")
    drifts = tuple(replace(one.drift, process=log.name) for one in own)
    for drift in drifts:
        demand_inside_log(log, drift.start, f"{material.detections}, drift {drift.id!r}")
    causes = tuple(
        Cause(one.drift.id, one.golden, f"{material.detections}, drift {one.drift.id!r}") for one in own if one.golden
    )
    return UserDrifts(drifts, f"from {material.detections}", causes)
