"""Event logs with known drifts, made in another way than ``assay.drift.generate`` makes them.

A process is a graph of states with chances of going on, of going back and of taking a short cut; cases arrive by day,
by season and in bursts, run for long beside each other, and the log may be cut while many of them are open. A change
reaches running cases at once, or new cases only. Nothing here is used by the detector.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from assay.drift.detection.drift import DriftType
from assay.drift.logs.columns import LogColumns
from assay.drift.logs.event_log import EventLog
from assay.drift.metrics.detection import DetectionCounts

__all__ = ["KINDS", "Stream", "counts_line", "make_stream"]

Perspective = Literal["flow", "time", "resource"]
KINDS: tuple[DriftType, ...] = ("sudden", "gradual", "incremental", "recurring")

_WORDS = (
    *("log", "scan", "sort", "weigh", "price", "pack", "ship", "bill", "call", "meet"),
    *("vote", "sign", "file", "seal", "post", "scale", "trim", "paint", "bake", "test"),
)
_SPARE = ["stamp", "audit", "insure", "notify", "wrap", "label"]
_DAY = 86_400.0
_ORIGIN = 1_640_995_200  # 2022-01-01
_LONGEST = 60  # events of a case


class _Version(NamedTuple):
    """How the process runs: chances of the next state (the last column ends it), names, hours, and who does it."""

    chances: np.ndarray
    names: tuple[str, ...]
    hours: np.ndarray
    people: np.ndarray  # chance of each person, per state


class Stream(NamedTuple):
    """A log, the kind of drift in it (none without one), and the places in start order at which it changes."""

    log: EventLog
    kind: DriftType | None
    points: tuple[int, ...]
    description: str


def counts_line(name: str, counts: DetectionCounts) -> str:
    """How well change points were found, in a line."""
    return (
        f"  {name:34} F1 {counts.f1:.3f}   found {counts.found:4d}  false {counts.false:3d}  missed {counts.missed:3d}"
        f"   mean lag {counts.lag:5.1f}"
    )


def make_stream(
    seed: int,
    kind: DriftType | None,
    *,
    perspective: Perspective = "flow",
    cases: int = 1200,
    in_flight: float = 40.0,
    at_once: bool = True,
    noise: float = 0.05,
    open_end: bool = False,
    places: tuple[int, ...] | None = None,
) -> Stream:
    """One log with at most one drift; ``in_flight`` is how many cases run beside each other on average.

    ``places`` are the first cases of each version, where they are not to be drawn: many steps far apart are many sudden
    drifts.
    """
    rng = np.random.default_rng([seed, 77])
    arrivals = _arrivals(rng, cases)
    first = _draw(rng)
    places = _places(rng, kind, cases) if places is None else places
    versions, descriptions = [first], []
    steps = len(places) if kind == "incremental" else 1
    for _ in range(steps if kind is not None else 0):
        changed, what = _change(rng, versions[-1], versions, perspective)
        versions.append(changed)
        descriptions.append(what)
    scale = in_flight * float(np.median(np.diff(arrivals))) / _mean_duration(rng, first)
    moments = [float(arrivals[place]) for place in places]
    columns = LogColumns()
    columns.cases = {f"job-{number:05}": number for number in range(cases)}
    end = float(arrivals[-1]) if open_end else np.inf
    for case, start in enumerate(arrivals):
        fixed = _version_of_case(rng, kind, places, case, at_once)
        events = _play(rng, versions, kind, moments, float(start), scale, fixed)
        if rng.random() < noise:
            events = _disturb(rng, events)
        for time, name, person in events:
            if time <= end or time == start:
                columns.add(case, name, int(_ORIGIN + time) // 60 * 60 * 10**9, person)
    log = columns.log(f"stream-{seed}", order="start")
    return Stream(log, kind, places, "; ".join(descriptions))


def _arrivals(rng: np.random.Generator, cases: int) -> np.ndarray:
    """Seconds: busy days and quiet ones, a season, and now and then several at once."""
    gaps = rng.gamma(0.7, size=cases)
    gaps[rng.random(cases) < 0.06] *= 0.01
    season = 1 + 0.4 * np.sin(np.arange(cases) / cases * 2 * np.pi * rng.uniform(0.5, 2) + rng.uniform(0, 6))
    times = np.cumsum(gaps / season)
    days = times / times[-1] * rng.uniform(120, 500)
    # nights are left out: the working day has ten hours, from seven on
    hours = 7 + 10 * (days % 1)
    arrivals: np.ndarray = np.floor(days) * _DAY + hours * 3600
    return np.maximum.accumulate(arrivals + np.arange(cases) * 1e-3)


def _draw(rng: np.random.Generator) -> _Version:
    size = int(rng.integers(8, 14))
    chances = np.zeros((size, size + 1))
    for state in range(size):
        ahead = np.arange(state + 1, min(state + 4, size))
        if not len(ahead):
            chances[state, size] = 1.0
            continue
        weights = np.sort(rng.dirichlet(np.full(len(ahead), 0.8)))[::-1]
        chances[state, ahead] = weights
        if state > 2 and rng.random() < 0.25:
            chances[state] *= 0.85
            chances[state, int(rng.integers(1, state))] += 0.15
        if state > size // 2 and rng.random() < 0.3:
            chances[state] *= 0.92
            chances[state, size] += 0.08
    names = tuple(str(word) for word in rng.permutation(_WORDS)[:size])
    hours = np.exp(rng.normal(1.5, 0.9, size=size))
    people = rng.dirichlet(np.full(9, 0.5), size=size)
    return _Version(chances / chances.sum(axis=1, keepdims=True), names, hours, people)


def _visits(rng: np.random.Generator, version: _Version) -> np.ndarray:
    """The share of cases that come to each state."""
    visits = np.zeros(len(version.names))
    for _ in range(150):
        visits[list(set(_walk(rng, version)))] += 1
    return visits / 150


def _walk(rng: np.random.Generator, version: _Version) -> list[int]:
    states = [0]
    while len(states) < _LONGEST:
        state = _pick(rng, version.chances[states[-1]])
        if state == len(version.names):
            break
        states.append(state)
    return states


def _pick(rng: np.random.Generator, chances: np.ndarray) -> int:
    return min(int(np.searchsorted(np.cumsum(chances), rng.random(), side="right")), len(chances) - 1)


def _mean_duration(rng: np.random.Generator, version: _Version) -> float:
    return float(np.mean([3600 * 1.3 * version.hours[_walk(rng, version)].sum() for _ in range(200)]))


def _change(
    rng: np.random.Generator, version: _Version, earlier: Sequence[_Version], perspective: Perspective
) -> tuple[_Version, str]:
    """One change of a state that at least four in ten cases come to, and that was not changed before."""
    visits = _visits(rng, version)
    before = list(earlier[:-1])
    fresh = [
        state
        for state in range(1, len(version.names) - 1)
        if visits[state] >= 0.4
        and all(_same(version, other, state) for other in before)
        and (perspective != "flow" or not before or _same(version, before[0], state))
    ]
    state = int(rng.choice(fresh or range(1, len(version.names) - 1)))
    name = version.names[state]
    if perspective == "time":
        hours = version.hours.copy()
        hours[state] *= float(rng.choice([0.3, 3.0]))
        return version._replace(hours=hours), f"{name} takes another time"
    if perspective == "resource":
        people = version.people.copy()
        people[state] = np.roll(people[state], int(rng.integers(3, 7)))
        return version._replace(people=people), f"{name} is done by others"
    chances, names = version.chances.copy(), list(version.names)
    size = len(names)
    match str(rng.choice(["skip", "rename", "route", "rework", "swap", "sometimes"])):
        case "skip":
            for other in range(size):
                chances[other] += chances[other, state] * version.chances[state]
                chances[other, state] = 0.0
            what = f"{name} is skipped"
        case "rename":
            names[state] = next(word for word in _SPARE if word not in names)
            what = f"{name} becomes {names[state]}"
        case "route" if (chances[state] > 0).sum() > 1:
            two = np.argsort(-chances[state])[:2]
            moved = 0.9 * chances[state, two[0]]
            chances[state, two] += [-moved, moved]
            what = f"{name} goes on elsewhere"
        case "swap":
            names[state], names[state + 1] = names[state + 1], names[state]
            what = f"{name} changes places with the next"
        case "sometimes":
            for other in range(size):
                remaining = chances[other, state] * 0.5
                chances[other] += (chances[other, state] - remaining) * version.chances[state]
                chances[other, state] -= chances[other, state] - remaining
            what = f"{name} is done half as often"
        case _:
            chances[state] *= 0.65
            chances[state, max(0, state - 1)] += 0.35
            what = f"{name} is sent back"
    chances = np.maximum(chances, 0.0)
    return version._replace(chances=chances / chances.sum(axis=1, keepdims=True), names=tuple(names)), what


def _same(one: _Version, two: _Version, state: int) -> bool:
    return (
        one.names[state] == two.names[state]
        and np.allclose(one.chances[state], two.chances[state])
        and one.hours[state] == two.hours[state]
        and np.allclose(one.people[state], two.people[state])
    )


def _places(rng: np.random.Generator, kind: DriftType | None, cases: int) -> tuple[int, ...]:
    if kind is None:
        return ()
    if kind == "sudden":
        return (int(rng.uniform(0.25, 0.72) * cases),)
    if kind == "gradual":
        start = rng.uniform(0.25, 0.4) * cases
        return int(start), int(start + rng.uniform(0.2, 0.35) * cases)
    if kind == "incremental":
        gap = rng.uniform(0.05, 0.08) * cases
        start, steps = rng.uniform(0.3, 0.4) * cases, int(rng.integers(3, 5))
        return tuple(int(start + step * gap) for step in range(steps))
    gap = rng.uniform(0.14, 0.18) * cases
    start, switches = rng.uniform(0.2, 0.28) * cases, int(rng.integers(3, 5))
    return tuple(int(start + step * gap) for step in range(switches))


def _version_of_case(
    rng: np.random.Generator, kind: DriftType | None, places: tuple[int, ...], case: int, at_once: bool
) -> int | None:
    """The version that a case keeps to; None where it follows the one in force at each moment."""
    if kind == "gradual":
        chance = (case - places[0]) / (places[1] - places[0])
        return int(rng.random() < chance)
    if at_once or kind is None:
        return None if kind is not None else 0
    passed = sum(case >= place for place in places)
    return passed % 2 if kind == "recurring" else passed


def _play(
    rng: np.random.Generator,
    versions: Sequence[_Version],
    kind: DriftType | None,
    moments: Sequence[float],
    start: float,
    scale: float,
    fixed: int | None,
) -> list[tuple[float, str, str]]:
    def in_force(time: float) -> _Version:
        if fixed is not None:
            return versions[fixed]
        passed = sum(time >= moment for moment in moments)
        return versions[passed % 2 if kind == "recurring" else passed]

    pace = float(np.exp(rng.normal(-0.1, 0.45)))
    time, state = start, 0
    events: list[Any] = []
    while len(events) < _LONGEST:
        version = in_force(time)
        person = _pick(rng, version.people[state])
        events.append((time, version.names[state], f"P{person}"))
        following = _pick(rng, version.chances[state])
        if following == len(version.names):
            break
        time += 3600 * scale * pace * version.hours[following] * float(np.exp(rng.normal(0, 0.7)))
        state = following
    return events


def _disturb(rng: np.random.Generator, events: list[tuple[float, str, str]]) -> list[tuple[float, str, str]]:
    """An event is lost, doubled or told under the name of another, or two exchange their names."""
    disturbed = list(events)
    at = int(rng.integers(len(disturbed)))
    match int(rng.integers(4)):
        case 0 if len(disturbed) > 2 and at:
            del disturbed[at]
        case 1:
            disturbed.insert(at, disturbed[at])
        case 2 if at + 1 < len(disturbed):
            (one, name, who), (two, other, whom) = disturbed[at], disturbed[at + 1]
            disturbed[at], disturbed[at + 1] = (one, other, whom), (two, name, who)
        case _:
            disturbed[at] = (disturbed[at][0], "note", disturbed[at][2])
    return disturbed
