"""The same leaderboard for each value of a tag: difficulty, domain, noise level."""

from __future__ import annotations

from dataclasses import dataclass, replace

from assay.core import UnknownName
from assay.report.leaderboard import Leaderboard, leaderboard
from assay.report.results import TrackResults

__all__ = ["UNTAGGED", "Group", "grouped", "has_tag", "known_tags", "value_order"]

UNTAGGED = "(untagged)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The problems of one tag value, and who did how well on them."""

    value: str
    problems: int
    board: Leaderboard


def grouped(
    results: TrackResults,
    tag: str,
    *,
    confidence: float = 0.95,
    seed: int = 0,
    resamples: int = 2000,
) -> tuple[Group, ...]:
    """One group per value of the tag, sorted; problems without it come last. Places are within a group."""
    if not has_tag(results, tag):
        raise UnknownName(f"tag of the problems of track {results.track.name!r}", tag, known_tags(results))
    by_value: dict[str, list[int]] = {}
    for position, record in enumerate(results.records):
        by_value.setdefault(str(record.tags.get(tag, UNTAGGED)), []).append(position)
    groups = []
    for value in sorted(by_value, key=value_order):
        records = tuple(results.records[position] for position in by_value[value])
        part = replace(results, records=records, planned=len(records), losses=())
        board = leaderboard(part, confidence=confidence, seed=seed, resamples=resamples)
        groups.append(Group(value=value, problems=len({record.problem for record in records}), board=board))
    return tuple(groups)


def known_tags(results: TrackResults) -> list[str]:
    """The tags that problems of a run have."""
    return sorted({name for record in results.records for name in record.tags})


def has_tag(results: TrackResults, tag: str) -> bool:
    """Whether any problem of a run has this tag."""
    return any(tag in record.tags for record in results.records)


def value_order(value: str) -> tuple[bool, bool, float, str]:
    """Numbers by size, before texts; what has no value comes last."""
    try:
        return value == UNTAGGED, False, float(value), value
    except ValueError:
        return value == UNTAGGED, True, 0.0, value
