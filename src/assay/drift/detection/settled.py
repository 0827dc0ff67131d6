"""Cases that were still open when the log was taken: they lack their ends, which must not look like a drift."""

from __future__ import annotations

import numpy as np

from assay.core.arrays import BoolArray, FloatArray
from assay.drift.logs.event_log import EventLog

__all__ = ["settled_cases"]

_PATIENCE = 0.98  # of the waits behind an activity: a case that waits for longer is over
_USUAL = 0.5  # of the cases with an activity end with it: a usual end
_USUAL_OF_ALL = 0.2  # of all cases end with it: a usual end, too
_SOME = 0.05  # of the cases may end unusually anywhere in the log
_FEWEST = 5  # open cases before anything is left out
_ENOUGH = 20  # waits behind an activity, before they are asked rather than all waits


def settled_cases(log: EventLog) -> int:
    """How many cases, from the first on, come before the stretch at the end in which many are still open.

    A case is taken to be open when its last activity is no usual end and its last event lies no further back than the
    waits behind such an activity usually last. Finished cases inside that stretch are left out with the open ones:
    among cases that began late, those that are finished are the short ones.

    Parameters
    ----------
    log : EventLog
        The log.

    Returns
    -------
    int
        The number of cases; all of them when few are open.

    Examples
    --------
    >>> from assay.drift import simulate
    >>> settled_cases(simulate(seed=1, cases=200).log)
    200
    """
    is_open, strange = _open_cases(log)
    if is_open.sum() < _FEWEST:
        return len(log)
    allowed = max(_SOME, 2 * strange)
    # the stretch at the end in which open cases outweigh those allowed for the most
    weights = np.cumsum((is_open - allowed)[::-1])
    length = int(weights.argmax()) + 1
    if weights[length - 1] <= 0 or is_open[len(log) - length :].sum() < _FEWEST:
        return len(log)
    return len(log) - length


def _open_cases(log: EventLog) -> tuple[BoolArray, float]:
    """Which cases are taken to be open, and the share of the finished ones that end unusually."""
    offsets, size = log.offsets, len(log.activities)
    last = log.activity_codes[offsets[1:] - 1]
    idle = (log.times.max() - log.ends).astype(np.float64)
    recent = idle <= _patience(log)[last]
    if recent.all():
        return np.zeros(len(log), dtype=np.bool_), 0.0
    pairs = np.unique(log.case_codes.astype(np.int64) * size + log.activity_codes)
    having = np.bincount((pairs % size)[~recent[pairs // size]], minlength=size)
    ending = np.bincount(last[~recent], minlength=size)
    usual = (ending >= _USUAL * np.maximum(having, 1)) | (ending >= _USUAL_OF_ALL * (~recent).sum())
    return recent & ~usual[last], float((~usual[last[~recent]]).mean())


def _patience(log: EventLog) -> FloatArray:
    """For each activity, how long the wait for the next event of the case lasts at most, as a rule."""
    waits = np.diff(log.times).astype(np.float64)
    inside = log.case_codes[1:] == log.case_codes[:-1]
    before, waits = log.activity_codes[:-1][inside], waits[inside]
    longest = np.full(len(log.activities), np.quantile(waits, _PATIENCE) if len(waits) else 0.0)
    order = np.argsort(before, kind="stable")
    borders = np.searchsorted(before[order], np.arange(len(longest) + 1))
    for code in range(len(longest)):
        of = waits[order[borders[code] : borders[code + 1]]]
        if len(of) >= _ENOUGH:
            longest[code] = np.quantile(of, _PATIENCE)
    return longest
