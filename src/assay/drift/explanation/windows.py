"""What changed around one drift, without what changed at another one nearby."""

from __future__ import annotations

from assay.drift.detection.drift import Drift
from assay.drift.detection.profile import ChangeProfile
from assay.drift.logs.event_log import EventLog
from assay.drift.problem.task import DriftTask, profile_of

__all__ = ["clear_profile"]

_WINDOW = 200  # cases on either side, at most
_FEWEST = 40  # and at least, where there are so many


def clear_profile(task: DriftTask, drift: Drift) -> ChangeProfile | None:
    """The change profile of a drift over cases that lie between its neighbours of the same process.

    A window that reaches across another drift shows that one's change as well. None where there is no event log.
    """
    log = task.logs.get(drift.process)
    if log is None:
        return None
    window = _window(log, drift, [other for other in task.drifts if other.process == drift.process])
    if window >= _WINDOW:
        return profile_of(task, drift)
    from assay.drift.detection.profile import change_profile

    return change_profile(log, drift, window=window)


def _window(log: EventLog, drift: Drift, drifts: list[Drift]) -> int:
    """The cases to the end of the drift before and to the start of the one after, within limits."""
    places = {case: place for place, case in enumerate(log.cases)}
    first, last = places.get(drift.start_case), places.get(drift.end_case)
    if first is None or last is None:
        return _WINDOW
    before = [first - places[other.end_case] for other in drifts if places.get(other.end_case, first) < first]
    after = [places[other.start_case] - last for other in drifts if places.get(other.start_case, last) > last]
    return max(_FEWEST, min([_WINDOW, *before, *after]))
