"""Where change points lie: by the choices between their neighbours; and weaker points beside them."""

from __future__ import annotations

from itertools import pairwise

from assay.drift.detection.changepoints import ChangePoint
from assay.drift.detection.choices import Choices, Stretch

__all__ = ["place_points", "strongest_point", "with_steps_between"]


_MOST_POINTS = 64
_BETTER_TWO = 5.0  # by how much the log-likelihood of two steps must lie above that of one before two points stay apart
_BETTER_BETWEEN = 3.0  # the same of a step between two points, whose sides are known from the cases around them


def strongest_point(points: list[ChangePoint]) -> ChangePoint:
    """The point with the strongest evidence; the first of equals."""
    return max(points, key=lambda point: point.statistic)


def place_points(
    choices: Choices, points: tuple[ChangePoint, ...], cases: int, *, min_cases: int
) -> tuple[ChangePoint, ...]:
    """Each point where the choices between its neighbours change, and once where one step explains two of them."""
    placed = list(points)
    at = 0
    while at < len(placed):
        borders = [0, *(point.case for point in placed), cases]
        if at + 1 < len(placed) and (step := _one_step(choices, borders[at : at + 4])) is not None:
            placed[at : at + 2] = [strongest_point(placed[at : at + 2])._replace(case=step)]
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


def with_steps_between(
    choices: Choices, points: tuple[ChangePoint, ...], cases: int, *, near: float, min_cases: int
) -> tuple[ChangePoint, ...]:
    """The points, and weak steps between two at most ``near`` cases apart: something else changes there for good."""
    borders = [0, *(point.case for point in points), cases]
    extended = list(points)
    for at, (point, after) in enumerate(pairwise(points)):
        if after.case - point.case <= near:
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
