"""What tables need to know of metrics from outside: stored with a run, so that reading results imports no code."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

from assay.core import AnyTrack, Goal, InvalidInput, Json, Metric, Track, get_track, plain
from assay.core.metric import Flag
from assay.harness.metric_loading import load_metrics
from assay.harness.metric_ref import MetricRef

__all__ = ["IMPORTED", "MetricFacts", "facts_of", "is_member", "stored_track", "with_facts"]

IMPORTED = " (imported)"  # ends the name of a track that stands for scores from elsewhere
VARIES = "varies"  # in place of a floor that depends on the problem


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricFacts:
    """A metric or aggregate that a run has beside the track's own, without its code."""

    name: str
    text: str  # as the user named it
    goal: Goal
    version: int
    summary: str
    source: str = ""  # the digest of its files; empty for a member of a family of the track
    floor: float | None = None  # None when it depends on the problem
    flag: Flag | None = None
    aggregate: bool = False

    def to_json(self) -> Json:
        """The form in the store and in exports."""
        return plain({**asdict(self), "floor": VARIES if self.floor is None else self.floor})

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> MetricFacts:
        """From a store or an export."""
        floor = body["floor"]
        return cls(**{**body, "floor": None if floor == VARIES else math.nan if floor is None else float(floor)})

    def metric(self) -> Metric[Any]:
        """A metric that stands for it in tables; it cannot score."""

        def not_here(_: object) -> float:
            raise InvalidInput(f"metric {self.name!r}: its code is not here. Name it: {self.text}.")

        not_here.__doc__ = self.summary
        return Metric(
            self.name,
            not_here,
            goal=self.goal,
            floor=cast("Callable[[object], float]", not_here) if self.floor is None else self.floor,
            version=self.version,
            flag=self.flag,
            source=self.source,
        )


def facts_of(refs: Sequence[MetricRef], track: AnyTrack) -> tuple[MetricFacts, ...]:
    """The facts of these metrics, in order."""
    facts = []
    for ref in refs:
        for entry in load_metrics(ref, track):
            own = {"floor": _floor(entry), "flag": entry.flag} if isinstance(entry, Metric) else {"aggregate": True}
            facts.append(
                MetricFacts(
                    name=entry.name,
                    text=ref.text,
                    goal=entry.goal,
                    version=entry.version,
                    summary=entry.summary,
                    source=entry.source,
                    **own,
                )
            )
    return tuple(facts)


def _floor(metric: Metric[Any]) -> float | None:
    if callable(metric.floor):
        return None
    return math.nan if math.isnan(metric.floor) else float(metric.floor)  # one nan, so that equal facts are equal


def with_facts(track: AnyTrack, facts: Sequence[MetricFacts]) -> AnyTrack:
    """The track with what stands for the metrics of a run that it does not have itself; aggregates need their code."""
    names = {*(metric.name for metric in track.metrics), *(aggregate.name for aggregate in track.aggregates)}
    return track.with_metrics(
        [_member(track, fact) or fact.metric() for fact in facts if not fact.aggregate and fact.name not in names]
    )


def stored_track(name: str, facts: Sequence[MetricFacts], tracks: Mapping[str, AnyTrack]) -> AnyTrack:
    """The track of a stored run: a given one, an installed one, or what stands for scores from elsewhere."""
    if name in tracks or not name.endswith(IMPORTED):
        return with_facts(tracks[name] if name in tracks else get_track(name), facts)

    def not_here(*_: object) -> Any:
        raise InvalidInput(f"track {name!r}: its scores were imported. There are no problems and answers to examine.")

    return Track(
        name=name,
        question=f"Scores that were imported from {facts[0].text}, and not examined here.",
        load=not_here,
        builtin=not_here,
        encode=not_here,
        decode=not_here,
        examine=not_here,
        metrics=tuple(fact.metric() for fact in facts),
        headline=facts[0].name,
        oracle=not_here,
        subjects={},
    )


def is_member(track: AnyTrack, fact: MetricFacts) -> bool:
    """Whether it is one of the track's families, by its name: what else a store says of it names no code to import."""
    return _member(track, fact) is not None


def _member(track: AnyTrack, fact: MetricFacts) -> Metric[Any] | None:
    """The metric of a family, with its definition; None for others."""
    if fact.source:
        return None
    try:
        return next((metric for family in track.families if (metric := family.of(fact.name)) is not None), None)
    except InvalidInput:  # the family has other bounds now
        return None
