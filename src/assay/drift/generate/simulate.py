"""Event logs with known drifts: a process tree is played case by case, and changed on the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import get_args

import numpy as np

from assay.core import InvalidInput, UnknownName
from assay.core.arrays import IntArray
from assay.core.checks import demand_share, demand_whole
from assay.core.display import counted, object_html
from assay.drift.detection.drift import Drift, DriftType, drift_id
from assay.drift.generate import trees
from assay.drift.generate.changes import CONTROL_FLOW, Change, apply_pattern
from assay.drift.generate.domains import DOMAINS, Domain, get_domain
from assay.drift.generate.trees import Choice, Loop, Optional, Parallel, Step, play, steps
from assay.drift.logs.columns import LogColumns
from assay.drift.logs.event_log import EventLog
from assay.drift.logs.local_time import nanoseconds

__all__ = ["PlantedDrift", "Simulated", "draw_process", "simulate"]

_HOUR = 3600 * 10**9
_INCREMENTS = 4  # steps of an incremental drift
_SWITCHES = 3  # of a recurring drift: to the new behaviour, back, and again
_SPREAD = 0.45  # share of its segment of the log that a drift which takes time takes up
_ATTEMPTS = 50
_IN_USE = 15  # inner steps of a fresh process; the others of its domain are to spare


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedDrift:
    """A drift that was built in, and what changed.

    ``points`` are the places of the cases at which the behaviour changes: one for a sudden drift, start and end of a
    gradual one, every step of an incremental one, every switch of a recurring one.
    """

    drift: Drift
    points: tuple[int, ...]
    changes: tuple[Change, ...]

    @property
    def description(self) -> str:
        """What changed, in sentences."""
        return " ".join(change.sentence for change in self.changes)

    @property
    def activities(self) -> tuple[str, ...]:
        """The activities concerned, each once."""
        return tuple(dict.fromkeys(name for change in self.changes for name in change.activities))


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulated:
    """A log and the drifts in it."""

    log: EventLog
    domain: str
    drifts: tuple[PlantedDrift, ...]

    def __repr__(self) -> str:
        return f"Simulated({self.log!r}, {counted(len(self.drifts), 'drift')})"

    def _repr_html_(self) -> str:
        rows = ((planted.drift.type, planted.points, planted.description) for planted in self.drifts)
        columns = ("drift", "change points", "what changed")
        return self.log._repr_html_() + object_html("", {}, columns=columns, rows=rows, total=len(self.drifts))

    @property
    def points(self) -> tuple[int, ...]:
        """All change points of the log, in order."""
        return tuple(sorted(point for planted in self.drifts for point in planted.points))


def simulate(
    *,
    seed: int,
    name: str | None = None,
    domain: str | None = None,
    cases: int = 1000,
    drifts: Sequence[DriftType] = ("sudden",),
    patterns: Sequence[str] | None = None,
    together: int = 1,
    reach: float = 1.0,
    noise: float = 0.0,
    start: datetime = datetime(2019, 1, 7, 8, tzinfo=UTC),
    days: float = 365.0,
) -> Simulated:
    """Simulate one event log with known drifts.

    The log has one drift of each given type, in this order, each in the middle of its part of the log. In half of the
    logs the changes are undone instead of done. Without drifts the process stays as it is.

    Parameters
    ----------
    seed : int
        Random seed.
    name : str, optional
        The process; drawn from the domain by default.
    domain : str, optional
        The field that it is from; drawn by default.
    cases : int, default 1000
        Cases of the log.
    drifts : sequence of str, default ("sudden",)
        The type of each drift.
    patterns : sequence of str, optional
        The codes of the change patterns to draw from; by default all that change the control flow.
    together : int, default 1
        How many changes come at once.
    reach : float, default 1.0
        Share of cases that a change concerns; the others go on as before.
    noise : float, default 0.0
        Share of cases in which an event is lost, doubled or exchanged.
    start : datetime, optional
        When the log begins.
    days : float, default 365.0
        How long it continues.

    Returns
    -------
    Simulated
        The log, and the drifts in it with what changed.

    Raises
    ------
    InvalidInput
        A number is out of range, or no process has room for so many changes.
    UnknownName
        No such domain, type or pattern.

    Examples
    --------
    >>> simulated = simulate(seed=1, cases=200, drifts=["sudden", "gradual"])
    >>> [planted.drift.type for planted in simulated.drifts], len(simulated.log)
    (['sudden', 'gradual'], 200)
    """
    _demand(seed, cases, drifts, noise, reach, together, days)
    rng = np.random.default_rng(seed)
    chosen = get_domain(domain) if domain is not None else DOMAINS[int(rng.integers(len(DOMAINS)))]
    title = name or chosen.processes[int(rng.integers(len(chosen.processes)))]
    models, changes = _models(rng, chosen, drifts, patterns or CONTROL_FLOW, together)
    plan = _plan(rng, cases, drifts)
    version = _versions(rng, cases, drifts, plan)
    if reach < 1:
        version[rng.random(cases) >= reach] = 0
    log = _play_all(rng, title, models, version, noise=noise, start=start, days=days)
    planted = []
    for number, (kind, points) in enumerate(zip(drifts, plan, strict=True)):
        first, last = points[0], points[-1]
        planted.append(
            PlantedDrift(
                drift=Drift(
                    id=drift_id(title, 1, number + 1),
                    process=title,
                    type=kind,
                    start_case=log.cases[first],
                    end_case=log.cases[last],
                    start=log.start_of(first),
                    end=log.start_of(last),
                ),
                points=points,
                changes=changes[number],
            )
        )
    return Simulated(log=log, domain=chosen.name, drifts=tuple(planted))


def draw_process(domain: Domain, rng: np.random.Generator) -> tuple[trees.Sequence, tuple[Step, ...]]:
    """A process of the domain, with a choice, a parallel part, an optional and a repeated step; and steps to spare."""
    opening, *inner, closing = domain.activities
    shuffled = rng.permutation(len(inner))
    # the steps in use keep the domain's own order, so that the process reads like one
    in_use = iter([_make_step(inner[at], domain, rng) for at in np.sort(shuffled[:_IN_USE])])
    weight = float(rng.uniform(0.55, 0.75))
    maybe, again = float(rng.uniform(0.3, 0.7)), float(rng.uniform(0.15, 0.35))

    def some(count: int) -> tuple[Step, ...]:
        return tuple(next(in_use) for _ in range(count))

    blocks: tuple[Callable[[], trees.Node], ...] = (
        lambda: Choice((next(in_use), trees.Sequence(some(2))), (weight, 1.0 - weight)),
        lambda: Parallel((trees.Sequence(some(2)), trees.Sequence(some(2)))),
        lambda: Optional(next(in_use), maybe),
        lambda: Loop(next(in_use), again),
    )
    children: list[trees.Node] = [_make_step(opening, domain, rng)]
    for run, at in zip((2, 1, 2, 1), rng.permutation(len(blocks)), strict=True):
        children += [*some(run), blocks[at]()]
    children.append(_make_step(closing, domain, rng))
    spare = tuple(_make_step(inner[at], domain, rng) for at in shuffled[_IN_USE:])
    return trees.Sequence(tuple(children)), spare


def _make_step(activity: str, domain: Domain, rng: np.random.Generator) -> Step:
    role = domain.roles[int(rng.integers(len(domain.roles)))]
    return Step(activity, role, float(rng.choice([1.0, 2.0, 4.0, 8.0, 16.0])))


def _models(
    rng: np.random.Generator, domain: Domain, drifts: Sequence[DriftType], patterns: Sequence[str], together: int
) -> tuple[list[trees.Sequence], list[tuple[Change, ...]]]:
    """The versions of the process in their order, and what each drift changes."""
    sizes = [_INCREMENTS if kind == "incremental" else 1 for kind in drifts]
    backwards = bool(rng.random() < 0.5)
    for _ in range(_ATTEMPTS):
        chain = _chain(rng, domain, patterns, together, sum(sizes), backwards=backwards)
        if chain is not None:
            models, changes = chain
            ends = np.cumsum([0, *sizes])
            per_drift = [tuple(change for step in changes[low:high] for change in step) for low, high in pairwise(ends)]
            return models, per_drift
    raise InvalidInput(
        f"simulate: no process has room for {sum(sizes)} x {together} changes of the patterns "
        f"{', '.join(patterns)}. Ask for fewer drifts or allow more patterns."
    )


def _chain(
    rng: np.random.Generator, domain: Domain, patterns: Sequence[str], together: int, length: int, *, backwards: bool
) -> tuple[list[trees.Sequence], list[list[Change]]] | None:
    tree, spare = draw_process(domain, rng)
    models, changes = [tree], []
    for _ in range(length):
        step: list[Change] = []
        for pattern in _draw_patterns(rng, patterns, together):
            changed = apply_pattern(pattern, tree, rng, spare=spare)
            if changed is None:
                return None
            tree = changed.tree
            used = {used.activity for used in steps(tree)}
            spare = tuple(candidate for candidate in spare if candidate.activity not in used)
            step.append(changed.undone if backwards else changed.change)
        models.append(tree)
        changes.append(step)
    return (models[::-1], changes[::-1]) if backwards else (models, changes)


def _draw_patterns(rng: np.random.Generator, patterns: Sequence[str], together: int) -> list[str]:
    if together <= len(patterns):
        return [patterns[at] for at in rng.choice(len(patterns), size=together, replace=False)]
    return [patterns[at] for at in rng.integers(len(patterns), size=together)]


def _plan(rng: np.random.Generator, cases: int, drifts: Sequence[DriftType]) -> list[tuple[int, ...]]:
    """The change points of every drift; a sudden one lies near the middle of its part of the log."""
    plan = []
    for number, kind in enumerate(drifts):
        segment = cases / len(drifts)
        middle = (number + 0.5 + rng.uniform(-0.06, 0.06)) * segment
        count = {"sudden": 1, "gradual": 2, "incremental": _INCREMENTS, "recurring": _SWITCHES}[kind]
        reach = 0.0 if kind == "sudden" else _SPREAD * segment / 2
        plan.append(tuple(round(point) for point in np.linspace(middle - reach, middle + reach, count)))
    return plan


def _versions(
    rng: np.random.Generator, cases: int, drifts: Sequence[DriftType], plan: Sequence[tuple[int, ...]]
) -> IntArray:
    """Which version of the process each case follows."""
    version = np.zeros(cases, dtype=np.int64)
    newest = 0
    for kind, points in zip(drifts, plan, strict=True):
        first, last = points[0], points[-1]
        if kind == "incremental":
            for point in points:
                newest += 1
                version[point:] = newest
            continue
        newest += 1
        version[last:] = newest
        if kind == "gradual":
            chance = np.linspace(0.0, 1.0, last - first + 2)[1:-1]
            version[first:last] += rng.random(last - first) < chance
        for switch, (low, high) in enumerate(pairwise(points)):
            if kind == "recurring" and switch % 2 == 0:
                version[low:high] = newest
    return version


def _play_all(
    rng: np.random.Generator,
    name: str,
    models: Sequence[trees.Sequence],
    version: IntArray,
    *,
    noise: float,
    start: datetime,
    days: float,
) -> EventLog:
    gaps = rng.exponential(size=len(version))
    arrivals = np.cumsum(gaps) / gaps.sum() * days * 24 * _HOUR
    columns = LogColumns()
    columns.cases = {f"case {case + 1}": case for case in range(len(version))}
    for case, model in enumerate(version):
        trace = play(models[model], rng)
        if rng.random() < noise:
            trace = _disturb(trace, rng)
        hours = np.array([step.hours for step in trace[1:]])
        # the median of this factor is 1 and its mean about 1.1
        waits = np.concatenate([[0.0], np.cumsum(hours * np.exp(rng.normal(scale=0.45, size=len(hours))))])
        # whole milliseconds, as most systems write them
        times = (nanoseconds(start) + arrivals[case] + waits * _HOUR).astype(np.int64) // 10**6 * 10**6
        people = rng.integers(1, 4, size=len(trace))
        for step, time, person in zip(trace, times.tolist(), people, strict=True):
            columns.add(case, step.activity, time, f"{step.role} {person}")
    return columns.log(name)


def _disturb(trace: list[Step], rng: np.random.Generator) -> list[Step]:
    """One or two events of a case are lost, doubled or exchanged with the next; the first event stays."""
    disturbed = list(trace)
    for _ in range(int(rng.integers(1, 3))):
        at = int(rng.integers(1, len(disturbed)))
        match int(rng.integers(3)):
            case 0 if len(disturbed) > 2:
                del disturbed[at]
            case 1:
                disturbed.insert(at, disturbed[at])
            case _ if at + 1 < len(disturbed):
                disturbed[at], disturbed[at + 1] = disturbed[at + 1], disturbed[at]
    return disturbed


def _demand(
    seed: object, cases: object, drifts: Sequence[str], noise: float, reach: float, together: object, days: float
) -> None:
    for label, value, least in (
        ("seed", seed, 0),
        ("cases", cases, 20 * max(1, len(drifts))),
        ("together", together, 1),
    ):
        demand_whole(value, f"simulate: {label}", least=least)
    for kind in drifts:
        if kind not in get_args(DriftType):
            raise UnknownName("drift type", str(kind), get_args(DriftType))
    demand_share(noise, "simulate: noise")
    if not 0 < reach <= 1:
        raise InvalidInput(f"simulate: reach must be a share above 0 and at most 1, got {reach!r}.")
    if not days > 0:
        raise InvalidInput(f"simulate: days must be above 0, got {days!r}.")
