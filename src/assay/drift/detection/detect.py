"""Drift detection: where in an event log the behaviour changes, in which manner, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence

from assay.core import InvalidInput
from assay.core.checks import demand_share, demand_whole
from assay.drift.detection.changepoints import ChangePoint, find_change_points
from assay.drift.detection.drift import Drift, drift_id
from assay.drift.detection.features import FeatureTable, Perspective, feature_table
from assay.drift.detection.transitions import find_transitions
from assay.drift.logs.event_log import EventLog

__all__ = ["change_points", "detect"]

_FEWEST, _MOST = 20, 100  # cases between two change points, when nothing is asked for
_SHARE = 25


def detect(
    log: EventLog,
    *,
    alpha: float = 0.01,
    min_cases: int | None = None,
    min_effect: float = 0.03,
    perspectives: Sequence[Perspective] = ("flow",),
    returns: int = 2,
) -> tuple[Drift, ...]:
    """Find the drifts of a log.

    Every case answers yes-or-no questions: does an activity occur, and again; does one directly follow another; does
    one come before another at any distance. Likelihood ratios of these answers are compared in intervals of many
    lengths, corrected for all comparisons made.

    A drift is sudden, gradual (old and new cases mix until the new ones remain), incremental (several steps close to
    each other) or recurring (a behaviour comes back). Confidence rises from one half at the threshold towards 1.

    Parameters
    ----------
    log : EventLog
        The log.
    alpha : float, default 0.01
        The chance to find anything in a log without changes.
    min_cases : int, optional
        How many cases apart two change points lie at least; by default a twenty-fifth of the log, from 20 to 100.
    min_effect : float, default 0.03
        By how much a change must move the share of some answer.
    perspectives : sequence of {"flow", "time", "resource"}, default ("flow",)
        What is asked: ``time`` adds whether something takes longer than usual, ``resource`` who does it.
    returns : int, default 2
        How often a behaviour comes back in a recurring drift, at least.

    Returns
    -------
    tuple of Drift
        The drifts in their order.

    Raises
    ------
    InvalidInput
        A number is out of range.

    Examples
    --------
    >>> from assay.drift import simulate
    >>> detect(simulate(seed=1, cases=200).log)
    (Drift('SmallBusinessCredit_drift_1_1': sudden in 'SmallBusinessCredit', 2019-07-21, confidence 0.86),)
    """
    table, points, least = _points(log, alpha, min_cases, min_effect, perspectives)
    demand_whole(returns, "detect: returns", least=1)
    drifts = []
    for number, transition in enumerate(find_transitions(table, points, min_cases=least, returns=returns), 1):
        first, last = (min(int(table.edges[place]), len(log) - 1) for place in (transition.first, transition.last))
        start, end = log.start_of(first), log.start_of(last)
        drifts.append(
            Drift(
                id=drift_id(log.name, 1, number),
                process=log.name,
                type=transition.type,
                start_case=log.cases[first],
                end_case=log.cases[last],
                start=start,
                end=max(start, end),
                confidence=1.0 - 0.5 * transition.point.threshold / transition.point.statistic,
            )
        )
    return tuple(drifts)


def change_points(
    log: EventLog,
    *,
    alpha: float = 0.01,
    min_cases: int | None = None,
    min_effect: float = 0.03,
    perspectives: Sequence[Perspective] = ("flow",),
) -> tuple[ChangePoint, ...]:
    """The places at which the behaviour changes, before they are grouped into drifts; options as in ``detect``."""
    return _points(log, alpha, min_cases, min_effect, perspectives)[1]


def _points(
    log: EventLog, alpha: float, min_cases: int | None, min_effect: float, perspectives: Sequence[Perspective]
) -> tuple[FeatureTable, tuple[ChangePoint, ...], int]:
    if not 0 < alpha < 1:
        raise InvalidInput(f"detect: alpha must lie between 0 and 1, got {alpha!r}.")
    demand_share(min_effect, "detect: min_effect")
    if min_cases is None:
        least = min(_MOST, max(_FEWEST, len(log) // _SHARE))
    else:
        least = demand_whole(min_cases, "detect: min_cases", least=5)
    if not perspectives:
        raise InvalidInput("detect: perspectives is empty. Give some of flow, time, resource.")
    if not isinstance(log, EventLog):
        raise InvalidInput(f"log: must be an EventLog, got {log!r:.60}. Read it first: assay.drift.read_log(PATH).")
    table = feature_table(log, perspectives=perspectives)
    return table, find_change_points(table, alpha=alpha, min_cases=least, min_effect=min_effect), least
