"""Drift detection: where in an event log the behaviour changes, in which manner, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence

from assay.core import InvalidInput
from assay.core.checks import demand_share, demand_whole
from assay.drift.detection.changepoints import ChangePoint, find_change_points
from assay.drift.detection.choices import all_choices
from assay.drift.detection.drift import Drift, drift_id
from assay.drift.detection.features import Perspective, feature_table
from assay.drift.detection.profile import ChangeKind, certain_profile
from assay.drift.detection.settled import settled_cases
from assay.drift.detection.transitions import Transition, find_transitions
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
    keep_open: bool = False,
) -> tuple[Drift, ...]:
    """Find the drifts of a log.

    Every case answers yes-or-no questions: does an activity occur, and again; does one directly follow another; does
    one come before another at any distance. Likelihood ratios of these answers are compared in intervals of many
    lengths, corrected for all comparisons made. A change point is then moved to where the choices made at every event
    change: from one case on, or at a moment that running cases pass as well. A drift is reported when something
    changed for sure between the cases before and after it (``change_profile``).

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
    keep_open : bool, default False
        Whether cases at the end of the log that seem to be open still are looked at too; see ``settled_cases``.

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
    settled = _settled(log, perspectives, keep_open=keep_open)
    transitions = _transitions(settled, alpha, min_cases, min_effect, perspectives, returns)
    borders = [0, *(transition.last for transition in transitions), len(settled)]
    drifts: list[Drift] = []
    for place, transition in enumerate(transitions):
        drift = Drift(
            id=drift_id(log.name, 1, len(drifts) + 1),
            process=log.name,
            type=transition.type,
            start_case=log.cases[transition.first],
            end_case=log.cases[transition.last],
            start=log.start_of(transition.first),
            end=max(log.start_of(transition.first), log.start_of(transition.last)),
            confidence=1.0 - 0.5 * transition.point.threshold / transition.point.statistic,
        )
        after = transitions[place + 1].first if place + 1 < len(transitions) else len(settled)
        beside = settled.part(borders[place], after)
        if certain_profile(beside, drift, kinds=_kinds(perspectives)).changed():
            drifts.append(drift)
    return tuple(drifts)


def _kinds(perspectives: Sequence[Perspective]) -> tuple[ChangeKind, ...]:
    """The rows of a profile that the perspectives speak of."""
    kinds: dict[str, tuple[ChangeKind, ...]] = {
        "flow": ("activity", "relation", "variant"),
        "time": ("duration", "weekday"),
        "resource": ("resource",),
    }
    return tuple(kind for perspective in perspectives for kind in kinds[perspective])


def change_points(
    log: EventLog,
    *,
    alpha: float = 0.01,
    min_cases: int | None = None,
    min_effect: float = 0.03,
    perspectives: Sequence[Perspective] = ("flow",),
    returns: int = 2,
    keep_open: bool = False,
) -> tuple[ChangePoint, ...]:
    """The places at which the behaviour changes; options as in ``detect``.

    A sudden drift has one, a gradual one its start and its end, an incremental one each of its steps and a recurring
    one each of its switches.
    """
    settled = _settled(log, perspectives, keep_open=keep_open)
    transitions = _transitions(settled, alpha, min_cases, min_effect, perspectives, returns)
    return tuple(transition.point._replace(case=step) for transition in transitions for step in transition.steps)


def _settled(log: EventLog, perspectives: Sequence[Perspective], *, keep_open: bool) -> EventLog:
    """The cases to look at."""
    if not perspectives:
        raise InvalidInput("detect: perspectives is empty. Give some of flow, time, resource.")
    if not isinstance(log, EventLog):
        raise InvalidInput(f"log: must be an EventLog, got {log!r:.60}. Read it first: assay.drift.read_log(PATH).")
    return log if keep_open else log.head(max(1, settled_cases(log)))  # one case alone has no drift


def _transitions(
    log: EventLog,
    alpha: float,
    min_cases: int | None,
    min_effect: float,
    perspectives: Sequence[Perspective],
    returns: int,
) -> tuple[Transition, ...]:
    if not 0 < alpha < 1:
        raise InvalidInput(f"detect: alpha must lie between 0 and 1, got {alpha!r}.")
    demand_share(min_effect, "detect: min_effect")
    demand_whole(returns, "detect: returns", least=1)
    if min_cases is None:
        least = min(_MOST, max(_FEWEST, len(log) // _SHARE))
    else:
        least = demand_whole(min_cases, "detect: min_cases", least=5)
    table = feature_table(log, perspectives=perspectives)
    points = find_change_points(table, alpha=alpha, min_cases=least, min_effect=min_effect)
    if not points:
        return ()
    choices = all_choices(log, perspectives)
    return find_transitions(table, points, min_cases=least, returns=returns, choices=choices)
