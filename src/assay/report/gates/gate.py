"""What a gate demands, and which tracks and subjects it is about."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from assay.core import AnyTrack, InvalidInput, UnknownName
from assay.core.checks import demand_confidence
from assay.report.comparing import match_subject
from assay.report.result_set import ResultSet
from assay.report.track_records import TrackRecords

__all__ = ["Contest", "FailUnder", "Gate", "NotWorse", "check_gates", "contests", "contests_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FailUnder:
    """The mean of a metric, by default the headline, must not be worse than a value."""

    value: float
    metric: str | None = None
    subjects: tuple[str, ...] = ()  # by default all
    place: str = "fail_under"  # where the user wrote it, for errors

    def __post_init__(self) -> None:
        if isinstance(self.value, bool) or not isinstance(self.value, int | float) or not math.isfinite(self.value):
            raise InvalidInput(f"{self.place}: the threshold must be a finite number, got {self.value!r}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class NotWorse:
    """A subject must not have lost more than a margin since an earlier run, with this confidence."""

    baseline: ResultSet
    margin: float = 0.0
    metric: str | None = None
    subjects: tuple[str, ...] = ()  # by default all
    confidence: float = 0.95
    place: str = "not_worse_than"

    def __post_init__(self) -> None:
        if isinstance(self.margin, bool) or not isinstance(self.margin, int | float) or not 0 <= self.margin < math.inf:
            raise InvalidInput(f"{self.place}: the margin must be a number of at least 0, got {self.margin!r}.")
        demand_confidence(self.confidence)


Gate: TypeAlias = FailUnder | NotWorse


class Contest(NamedTuple):
    """A track with its subjects: of a plan before the run, of the results after it."""

    track: AnyTrack
    subjects: tuple[str, ...]


def contests_of(results: ResultSet) -> tuple[Contest, ...]:
    """The contests of results; a subject that lost all of its cells is among them."""
    return tuple(Contest(entry.track, subjects_of(entry)) for entry in results.tracks)


def subjects_of(entry: TrackRecords) -> tuple[str, ...]:
    """The subjects of a run, with those that have no record."""
    lost = {cell.subject.name for cell, _ in entry.losses}
    return tuple(sorted({*entry.table.labels["subject"].values, *lost}))


def contests(gate: Gate, known: Sequence[Contest]) -> tuple[Contest, ...]:
    """The tracks and subjects that a gate is about; what it names must be there, and a baseline must have it too."""
    having = [contest for contest in known if gate.metric is None or _is_metric(contest.track, gate.metric)]
    if not having:
        names = sorted({name for contest in known for name in _metric_names(contest.track)})
        raise InvalidInput(f"{gate.place}: {UnknownName('metric', gate.metric or '', names)}")
    chosen = [Contest(contest.track, _named(gate, contest, having)) for contest in having]
    chosen = [contest for contest in chosen if contest.subjects]
    if isinstance(gate, NotWorse):
        for contest in chosen:
            _demand_baseline(gate, contest)
    return tuple(chosen)


def check_gates(gates: Sequence[Gate], known: Sequence[Contest]) -> None:
    """Refuse gates that name what is not there."""
    for gate in gates:
        contests(gate, known)


def _is_metric(track: AnyTrack, name: str) -> bool:
    own = {*(metric.name for metric in track.metrics), *(aggregate.name for aggregate in track.aggregates)}
    return name in own or any(family.of(name) is not None for family in track.families)


def _metric_names(track: AnyTrack) -> list[str]:
    return [*track.metric_names(), *(aggregate.name for aggregate in track.aggregates)]


def _named(gate: Gate, contest: Contest, having: Sequence[Contest]) -> tuple[str, ...]:
    """Those subjects of a contest that the gate names; one that no contest has is an error."""
    if not gate.subjects:
        return contest.subjects
    names = []
    for text in gate.subjects:
        if (name := _matched(text, contest.subjects)) is not None:
            names.append(name)
        elif all(_matched(text, other.subjects) is None for other in having):
            known = sorted({subject for other in having for subject in other.subjects})
            raise InvalidInput(f"{gate.place}: {UnknownName('subject', text, known)}")
    return tuple(dict.fromkeys(names))


def _matched(text: str, known: Sequence[str]) -> str | None:
    try:
        return match_subject(text, known)
    except UnknownName:
        return None


def _demand_baseline(gate: NotWorse, contest: Contest) -> None:
    track, metric = contest.track, gate.metric or contest.track.headline
    if metric in {aggregate.name for aggregate in track.aggregates}:
        raise InvalidInput(
            f"{gate.place}: {metric!r} exists only across problems and cannot be paired. Name a metric of problems."
        )
    earlier = next((entry for entry in gate.baseline.tracks if entry.track.name == track.name), None)
    if earlier is None:
        raise InvalidInput(f"{gate.place}: {gate.baseline.folder} holds nothing of track {track.name!r}.")
    there = earlier.table.labels["subject"].values
    missing = [subject for subject in contest.subjects if subject not in there]
    if missing:
        unknown = UnknownName(f"subject of track {track.name!r}", missing[0], there)
        remedy = "" if gate.subjects else " Name the subjects that must not be worse."
        raise InvalidInput(f"{gate.place}: {gate.baseline.folder}: {unknown}{remedy}")
    try:
        earlier.metric(metric)
    except InvalidInput as error:
        raise InvalidInput(f"{gate.place}: {gate.baseline.folder}: {error}") from None
