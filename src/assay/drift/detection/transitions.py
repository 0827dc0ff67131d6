"""From change points to drifts: which points belong together, and in which manner the behaviour changed."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from assay.core.arrays import BoolArray, FloatArray
from assay.drift.detection.changepoints import ChangePoint, Evidence
from assay.drift.detection.choices import Choices
from assay.drift.detection.drift import DriftType
from assay.drift.detection.features import FeatureTable
from assay.drift.detection.placement import place_points, strongest_point, with_steps_between
from assay.drift.detection.slopes import fit_ramp, ratios_between, steps_fit_better

__all__ = ["Transition", "find_transitions"]


# points are steps of one drift when they are nearer than these shares of the shorter stable stretch beside them and of
# the whole log; two steps alone must be nearer, because two sudden drifts look the same
_CLOSE, _CLOSE_PAIR = 0.75, 0.35
_PART, _PART_PAIR = 1 / 6, 1 / 10
_PARALLEL = 0.7  # cosine of two changes of which the second continues where the first ended
_OPPOSITE = -0.7  # cosine of two changes of which the second undoes the first
_COMPARABLE = 0.4  # of the length of the larger of two changes
_RAMP_GAIN = 8.0  # of the log of the residuals times the cases, before a slope is believed rather than a step
_ROUNDS = 3
_BETTER = 8.0  # by how much the log-likelihood of each further step must lie above that of fewer
_BETTER_SLOPE = 1.0  # the same of a slope, which has one place more than a step
_NARROW = 0.1  # of the cases around it: a narrower slope must gain as much as a further step does
_MOST_FEATURES = 40


class Transition(NamedTuple):
    """One drift in cases: its manner, first and last place, the strongest of its change points, and all its places."""

    type: DriftType
    first: int
    last: int
    point: ChangePoint
    steps: tuple[int, ...]


def find_transitions(
    table: FeatureTable,
    points: tuple[ChangePoint, ...],
    *,
    min_cases: int,
    returns: int,
    choices: Choices | None = None,
) -> tuple[Transition, ...]:
    """Group the points; ``returns`` is how often a behaviour must come back to be called recurring.

    With the choices of the log, points are moved to where these change, by case or at a moment, and points that one
    step explains are joined.
    """
    if choices is None:
        return _transitions(table, points, None, min_cases, returns)
    points = place_points(choices, points, table.cases, min_cases=min_cases)
    points = with_steps_between(choices, points, table.cases, near=2 * _PART * table.cases, min_cases=min_cases)
    for _ in range(_ROUNDS):
        transitions = _transitions(table, points, choices, min_cases, returns)
        # steps that were found on the way may belong to those of the next drift
        extended = _steps_of(transitions, points, min_cases)
        if len(extended) <= len(points):
            break
        points = extended
    return transitions


def _steps_of(
    transitions: tuple[Transition, ...], points: tuple[ChangePoint, ...], min_cases: int
) -> tuple[ChangePoint, ...]:
    """The points, and the steps of incremental drifts that are no points yet."""
    extended = list(points)
    for transition in transitions:
        for step in transition.steps if transition.type == "incremental" else ():
            if min(abs(step - point.case) for point in extended) >= min_cases // 2:
                extended.append(transition.point._replace(case=step))
    return tuple(sorted(extended))


def _transitions(
    table: FeatureTable, points: tuple[ChangePoint, ...], choices: Choices | None, min_cases: int, returns: int
) -> tuple[Transition, ...]:
    if not points:
        return ()
    evidence = Evidence(table)
    places = [min(max(1, int(np.searchsorted(table.edges, point.case))), evidence.bins - 1) for point in points]
    cosines = _cosines(evidence, points, places)
    if choices is not None:
        _ask_choices(cosines, choices, points, table.cases)
    groups = [run for run in _runs(cosines <= _OPPOSITE) if len(run) > returns]
    recurring = {at for group in groups for at in group}
    transitions = [_recurrence(points, places, group) for group in groups]
    for group in _clusters(table, places, cosines >= _PARALLEL, recurring):
        left = places[group[0] - 1] if group[0] else 0
        right = places[group[-1] + 1] if group[-1] + 1 < len(places) else evidence.bins
        chosen, where = [points[at] for at in group], [places[at] for at in group]
        around = int(table.edges[left]), int(table.edges[right])
        judgement = None if choices is None else _judge_choices(choices, chosen, around, min_cases)
        transitions.append(judgement or _judge(table, evidence, chosen, where, (left, right), min_cases))
    return tuple(sorted(transitions, key=lambda transition: transition.first))


def _recurrence(points: tuple[ChangePoint, ...], places: list[int], group: list[int]) -> Transition:
    cases = tuple(points[at].case for at in group)
    return Transition("recurring", cases[0], cases[-1], strongest_point([points[at] for at in group]), cases)


def _judge_choices(
    choices: Choices, points: list[ChangePoint], around: tuple[int, int], min_cases: int
) -> Transition | None:
    """Sudden, gradual or incremental, by the likelihood of the choices; None when none of them changed for sure."""
    low, high = around
    strongest = strongest_point(points)
    whole = choices.stretch(low, high)
    kinds = whole.changed(points[0].case - low, points[-1].case - low)
    if not kinds.any():
        return None
    stretch = whole.only(kinds)
    near = [point.case - low for point in points]
    sudden = stretch.best_step(strongest.case - low)
    gradual = stretch.slope((near[0], near[-1]))
    gain, steps = max(
        stretch.steps(near, min_cases // 2, _BETTER, by_time=by_time) for by_time in (sudden.is_by_time, False)
    )
    better = gradual.likelihood - max(sudden.likelihood, gradual.rival)
    # several changes gain far more as steps than along one slope; a slope may be cut into steps that gain as much
    width = gradual.last - gradual.first
    least = _BETTER_SLOPE if width >= _NARROW * (high - low) else _BETTER
    if better > max(least, gain / 3) and width >= max(min_cases, choices.in_flight(low + gradual.first)):
        first, last = low + gradual.first, min(low + gradual.last, high - 1)
        return Transition("gradual", first, last, strongest, (first, last))
    if len(steps) > 1:
        cases = tuple(low + step for step in steps)
        return Transition("incremental", cases[0], cases[-1], strongest, cases)
    return Transition("sudden", low + sudden.first, low + sudden.first, strongest, (low + sudden.first,))


def _cosines(evidence: Evidence, points: tuple[ChangePoint, ...], places: list[int]) -> FloatArray:
    """Between the change at each point and that at the next: 1 continues, 0 is another matter, -1 undoes it."""
    borders = [0, *places, evidence.bins]
    effects, strong = [], []
    for at in range(len(places)):
        low, split, high = borders[at : at + 3]
        effects.append(evidence.effect(low, split, high))
        strong.append(evidence.ratios(low, np.array([split]), high)[0] >= points[at].threshold)
    cosines = np.zeros(len(places) - 1)
    for at in range(len(places) - 1):
        chosen = strong[at] | strong[at + 1]
        one, two = effects[at][chosen], effects[at + 1][chosen]
        cosines[at] = _comparable_cosine(one, two)
    return cosines


def _ask_choices(cosines: FloatArray, choices: Choices, points: tuple[ChangePoint, ...], cases: int) -> None:
    """The same between the choices that change at each point or at the next, where some do for sure."""
    borders = [0, *(point.case for point in points), cases]
    stretches = [choices.stretch(borders[at], borders[at + 2]) for at in range(len(points))]
    places = [borders[at + 1] - borders[at] for at in range(len(points))]
    kinds = [stretch.changed(place, place) for stretch, place in zip(stretches, places, strict=True)]
    for at in range(len(points) - 1):
        if (both := kinds[at] | kinds[at + 1]).any():
            one, two = (stretches[of].only(both).effect(places[of]) for of in (at, at + 1))
            cosines[at] = max(cosines[at], _comparable_cosine(one, two), key=abs)  # the clearer of the two


def _comparable_cosine(one: FloatArray, two: FloatArray) -> float:
    """The cosine of two changes; 0 for a small one against a large one, which it does not undo."""
    lengths = float(np.linalg.norm(one)), float(np.linalg.norm(two))
    cosine = float(one @ two) / max(lengths[0] * lengths[1], 1e-12)
    return 0.0 if cosine < 0 and min(lengths) < _COMPARABLE * max(lengths) else cosine


def _runs(joined: BoolArray) -> list[list[int]]:
    """Points in a row, cut where one is not joined with the next."""
    runs = [[0]]
    for at, together in enumerate(joined, 1):
        if together:
            runs[-1].append(at)
        else:
            runs.append([at])
    return runs


def _clusters(table: FeatureTable, places: list[int], parallel: BoolArray, recurring: set[int]) -> list[list[int]]:
    """Points that go on in one direction, or that are nearer to each other than to the rest of the log."""
    cases = [0, *(int(table.edges[place]) for place in places), table.cases]
    runs = [run for run in _runs(parallel) if not recurring.intersection(run)]

    def close(first: int, last: int) -> bool:
        """Whether all points from one run to another are near, counting a run as one stretch."""
        members = [at for run in runs[first : last + 1] for at in run]
        if members != list(range(members[0], members[-1] + 1)):
            return False
        gaps = [cases[two[0] + 1] - cases[one[-1] + 1] for one, two in pairwise(runs[first : last + 1])]
        before = cases[members[0] + 1] - cases[members[0]]
        after = cases[members[-1] + 2] - cases[members[-1] + 1]
        near, part = (_CLOSE, _PART) if len(gaps) > 1 else (_CLOSE_PAIR, _PART_PAIR)
        return max(gaps) <= min(near * min(before, after), part * table.cases)

    clusters, first = [], 0
    while first < len(runs):
        last = next((at for at in range(len(runs) - 1, first, -1) if close(first, at)), first)
        clusters.append([at for run in runs[first : last + 1] for at in run])
        first = last + 1
    return clusters


def _judge(
    table: FeatureTable,
    evidence: Evidence,
    points: list[ChangePoint],
    places: list[int],
    around: tuple[int, int],
    min_cases: int,
) -> Transition:
    """Sudden, gradual or incremental."""
    low, high = around
    ratios = ratios_between(evidence, (low, places[0]), (places[-1], high))
    chosen = np.flatnonzero(ratios >= points[0].threshold)
    chosen = chosen[np.argsort(-ratios[chosen], kind="stable")[:_MOST_FEATURES]]
    ramp = fit_ramp(table, evidence, chosen, (low, high), (places[0], places[-1])) if len(chosen) else None
    strongest = strongest_point(points)
    cases = tuple(point.case for point in points)
    is_wide = ramp is not None and int(table.edges[ramp.last] - table.edges[ramp.first]) >= min_cases
    if ramp is not None and ramp.gain > _RAMP_GAIN and is_wide:
        if len(points) > 1 and steps_fit_better(table, evidence, chosen, (low, high), ramp):
            return Transition("incremental", cases[0], cases[-1], strongest, cases)
        first, last = (min(int(table.edges[place]), table.cases - 1) for place in (ramp.first, ramp.last))
        return Transition("gradual", first, last, strongest, (first, last))
    return Transition("incremental" if len(points) > 1 else "sudden", cases[0], cases[-1], strongest, cases)
