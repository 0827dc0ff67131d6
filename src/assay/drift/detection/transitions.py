"""From change points to drifts: which points belong together, and in which manner the behaviour changed."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay.core.arrays import BoolArray, FloatArray, IntArray
from assay.drift.detection.changepoints import ChangePoint, Evidence
from assay.drift.detection.choices import Choices, Stretch
from assay.drift.detection.drift import DriftType
from assay.drift.detection.features import FeatureTable

__all__ = ["Transition", "find_transitions", "place_points"]


# points are steps of one drift when they are nearer than these shares of the shorter stable stretch beside them and of
# the whole log; two steps alone must be nearer, because two sudden drifts look the same
_CLOSE, _CLOSE_PAIR = 0.75, 0.35
_PART, _PART_PAIR = 1 / 6, 1 / 10
_PARALLEL = 0.7  # cosine of two changes of which the second continues where the first ended
_OPPOSITE = -0.7  # cosine of two changes of which the second undoes the first
_COMPARABLE = 0.4  # of the length of the larger of two changes
_RAMP_GAIN = 8.0  # of the log of the residuals times the cases, before a slope is believed rather than a step
_RAMP_GRID = 36
_ROUNDS = 3
_MOST_POINTS = 64
_BETTER = 8.0  # by how much the log-likelihood of each further step must lie above that of fewer
_BETTER_SLOPE = 1.0  # the same of a slope, which has one place more than a step
_NARROW = 0.1  # of the cases around it: a narrower slope must gain as much as a further step does
_BETTER_TWO = 5.0  # the same, before two points stay apart
_BETTER_BETWEEN = 3.0  # the same of a step between two points, whose sides are known from the cases around them
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
    points = _with_steps_between(choices, points, table.cases, min_cases)
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


def _strongest(points: list[ChangePoint]) -> ChangePoint:
    return max(points, key=lambda point: point.statistic)


def _recurrence(points: tuple[ChangePoint, ...], places: list[int], group: list[int]) -> Transition:
    cases = tuple(points[at].case for at in group)
    return Transition("recurring", cases[0], cases[-1], _strongest([points[at] for at in group]), cases)


def _judge_choices(
    choices: Choices, points: list[ChangePoint], around: tuple[int, int], min_cases: int
) -> Transition | None:
    """Sudden, gradual or incremental, by the likelihood of the choices; None when none of them changed for sure."""
    low, high = around
    strongest = _strongest(points)
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


def place_points(
    choices: Choices, points: tuple[ChangePoint, ...], cases: int, *, min_cases: int
) -> tuple[ChangePoint, ...]:
    """Each point where the choices between its neighbours change, and once where one step explains two of them."""
    placed = list(points)
    at = 0
    while at < len(placed):
        borders = [0, *(point.case for point in placed), cases]
        if at + 1 < len(placed) and (step := _one_step(choices, borders[at : at + 4])) is not None:
            placed[at : at + 2] = [_strongest(placed[at : at + 2])._replace(case=step)]
            at = max(0, at - 1)
        else:
            at += 1
    placed = _with_returns(choices, placed, cases, min_cases)
    for _ in range(2):
        for at, point in enumerate(placed):
            borders = [0, *(other.case for other in placed), cases]
            low, high = borders[at], borders[at + 2]
            stretch = choices.stretch(low, high)
            kinds = stretch.changed(point.case - low, point.case - low)
            if kinds.any():
                place = low + stretch.only(kinds).best_step(point.case - low).first
                placed[at] = point._replace(case=min(max(place, low + 1), high - 1))
    return tuple(placed)


def _with_returns(choices: Choices, points: list[ChangePoint], cases: int, min_cases: int) -> list[ChangePoint]:
    """The points, and further ones between which what changed at the point beside them is undone.

    Only what changed before is asked, so that less evidence is needed than for a first change.
    """
    extended, at = list(points), 0
    while at < 2 * len(extended) and len(extended) < _MOST_POINTS:
        place, is_after = at // 2, at % 2 == 1
        borders = [0, *(point.case for point in extended), cases]
        left, here, right = borders[place : place + 3]
        stretch = choices.stretch(left, right)
        kinds = stretch.changed(here - left, here - left)
        at += 1
        relapse = stretch.only(kinds).relapse(here - left, min_cases, after=is_after) if kinds.any() else None
        ends = [] if relapse is None else [left + end for end in relapse]
        # a stretch that continues to the next point, or to the end of the log, is bounded by it
        further = [end for end in ends if min(end - left, right - end) >= min_cases]
        if further:
            extended = sorted([*extended, *(extended[place]._replace(case=end) for end in further)])
            at = 0
    return extended


def _with_steps_between(
    choices: Choices, points: tuple[ChangePoint, ...], cases: int, min_cases: int
) -> tuple[ChangePoint, ...]:
    """The points, and weak steps between two that may belong to one drift: something else changes there for good."""
    borders = [0, *(point.case for point in points), cases]
    extended = list(points)
    for at, (point, after) in enumerate(pairwise(points)):
        if after.case - point.case <= 2 * _PART * cases:
            left, right = borders[at], borders[at + 3]
            ends = point.case - left, after.case - left
            places = _places_between(choices.stretch(left, right), ends, max(1, min_cases // 2))
            extended += [point._replace(case=left + place) for place in places]
    return tuple(sorted(extended))


def _places_between(stretch: Stretch, ends: tuple[int, int], margin: int) -> list[int]:
    """Places between two others at which something changes once, found one after the other."""
    places, at = list(ends), 0
    while at + 1 < len(places):
        one, two = places[at : at + 2]
        changed = stretch.only(stretch.changed(one, two))
        gain, place = max(changed.between(one, two, margin, by_time=by_time) for by_time in (False, True))
        if gain >= _BETTER_BETWEEN:
            places.insert(at + 1, place)
        else:
            at += 1
    return places[1:-1]


def _one_step(choices: Choices, borders: list[int]) -> int | None:
    """Where one step explains what two points do; None where two steps do better."""
    low, one, two, high = borders
    kinds = choices.stretch(low, high).changed(one - low, two - low)
    for left, place, right in ((low, one, two), (one, two, high)):
        there = choices.stretch(left, right).changed(place - left, place - left)
        if not there.any():
            return None
        kinds = kinds | there
    stretch = choices.stretch(low, high).only(kinds)
    step = stretch.best_step(one - low)
    both = max(stretch.pieces([one - low, two - low], by_time=by_time) for by_time in (False, True))
    return low + step.first if step.likelihood > both - _BETTER_TWO else None


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
    ratios = _between(evidence, (low, places[0]), (places[-1], high))
    chosen = np.flatnonzero(ratios >= points[0].threshold)
    chosen = chosen[np.argsort(-ratios[chosen], kind="stable")[:_MOST_FEATURES]]
    ramp = _fit_ramp(table, evidence, chosen, (low, high), (places[0], places[-1])) if len(chosen) else None
    strongest = _strongest(points)
    cases = tuple(point.case for point in points)
    is_wide = ramp is not None and int(table.edges[ramp.last] - table.edges[ramp.first]) >= min_cases
    if ramp is not None and ramp.gain > _RAMP_GAIN and is_wide:
        if len(points) > 1 and _steps_fit_better(table, evidence, chosen, (low, high), ramp):
            return Transition("incremental", cases[0], cases[-1], strongest, cases)
        first, last = (min(int(table.edges[place]), table.cases - 1) for place in (ramp.first, ramp.last))
        return Transition("gradual", first, last, strongest, (first, last))
    return Transition("incremental" if len(points) > 1 else "sudden", cases[0], cases[-1], strongest, cases)


class _Ramp(NamedTuple):
    first: int
    last: int
    gain: float


def _between(evidence: Evidence, one: tuple[int, int], two: tuple[int, int]) -> FloatArray:
    """Likelihood ratios between two stretches that need not touch."""
    yes = [(evidence.sums[high] - evidence.sums[low]).astype(np.float64) for low, high in (one, two)]
    size = [float(evidence.edges[high] - evidence.edges[low]) for low, high in (one, two)]

    def likelihood(count: FloatArray, of: float) -> FloatArray:
        share = np.clip(count / of, 1e-12, 1 - 1e-12)
        value: FloatArray = count * np.log(share) + (of - count) * np.log1p(-share)
        return value

    apart = likelihood(yes[0], size[0]) + likelihood(yes[1], size[1])
    return 2.0 * (apart - likelihood(yes[0] + yes[1], size[0] + size[1]))


def _fit_ramp(
    table: FeatureTable,
    evidence: Evidence,
    chosen: IntArray,
    around: tuple[int, int],
    inner: tuple[int, int],
) -> _Ramp:
    """The slope that fits the mean of the changed features best, and how much better it fits than any step."""
    low, high = around
    before, after = evidence.shares(low, inner[0])[chosen], evidence.shares(inner[1], high)[chosen]
    spread = (before * (1 - before) + after * (1 - after)) / 2 + 0.01
    weight = (after - before) / spread
    sizes = np.diff(table.edges[low : high + 1]).astype(np.float64)
    score = (table.counts[low:high, chosen] / sizes[:, None]) @ (weight / (weight @ (after - before)))
    middle = (table.edges[low:high] + table.edges[low + 1 : high + 1]) / 2.0
    # residuals of the best step, at any place
    sums, weights = np.cumsum(score * sizes), np.cumsum(sizes)
    with np.errstate(divide="ignore", invalid="ignore"):
        between = sums**2 / weights + (sums[-1] - sums) ** 2 / (weights[-1] - weights)
    square = float((score**2 * sizes).sum())
    step = square - float(np.nanmax(between[:-1]))
    starts = np.unique(np.linspace(low, high - 1, _RAMP_GRID).round().astype(np.int64))
    best = (step, -1, -1)
    for start in starts:
        for end in starts[starts > start]:
            rise = np.clip((middle - table.edges[start]) / (table.edges[end] - table.edges[start]), 0.0, 1.0)
            residual = _residual(rise, score, sizes)
            if residual < best[0]:
                best = (residual, int(start), int(end))
    if best[1] < 0:
        return _Ramp(inner[0], inner[0], 0.0)
    cases = float(weights[-1])
    return _Ramp(best[1], best[2], cases * float(np.log(step / max(best[0], 1e-12 * max(square, 1.0)))))


def _residual(rise: FloatArray, score: FloatArray, sizes: FloatArray) -> float:
    total = sizes.sum()
    x, y = rise - (rise * sizes).sum() / total, score - (score * sizes).sum() / total
    spread = float((x * x * sizes).sum())
    slope = float((x * y * sizes).sum()) / spread if spread else 0.0
    return float((sizes * (y - slope * x) ** 2).sum())


def _steps_fit_better(
    table: FeatureTable, evidence: Evidence, chosen: IntArray, around: tuple[int, int], ramp: _Ramp
) -> bool:
    """Whether each feature changes at a place of its own rather than all along one slope."""
    low, high = around
    splits = np.arange(low + 1, high)
    steps = np.concatenate(
        [evidence.ratios(low, part, high)[:, chosen] for part in np.array_split(splits, max(1, len(splits) // 512))]
    ).max(axis=0)
    middle = (table.edges[low:high] + table.edges[low + 1 : high + 1]) / 2.0
    rise = np.clip((middle - table.edges[ramp.first]) / (table.edges[ramp.last] - table.edges[ramp.first]), 0.0, 1.0)
    before, after = evidence.shares(low, max(ramp.first, low + 1)), evidence.shares(min(ramp.last, high - 1), high)
    share = before[chosen] + rise[:, None] * (after - before)[chosen]
    sizes = np.diff(table.edges[low : high + 1])[:, None]
    yes = table.counts[low:high][:, chosen]
    flat = yes.sum(axis=0) / sizes.sum()
    slope = 2.0 * (_log_likelihood(yes, sizes, share) - _log_likelihood(yes, sizes, flat[None, :]))
    return bool(steps.sum() > slope.sum())


def _log_likelihood(yes: npt.NDArray[np.int32], sizes: IntArray, share: FloatArray) -> FloatArray:
    # noise alone breaks a rule in a few cases, so that no share is quite 0 or 1
    safe = np.clip(share, 0.005, 0.995)
    total: FloatArray = (yes * np.log(safe) + (sizes - yes) * np.log1p(-safe)).sum(axis=0)
    return total
