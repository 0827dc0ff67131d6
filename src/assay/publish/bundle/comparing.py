"""A stored record beside the one that was found here: every number, with the likely reason where they differ."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from assay.core import Json, Record, Settings, canonical_json, plain
from assay.publish.bundle.difference import Difference, Kind
from assay.report.wording import some_of

__all__ = [
    "TOLERANCE",
    "Rounding",
    "cell_name",
    "compare_records",
    "other_software",
    "same_number",
    "software_text",
    "time_limits",
    "versions_text",
]

TOLERANCE: Final = 1e-9  # of numbers, relative to the larger one where that is above 1
_SHOWN: Final = 5  # details of one record, and libraries of one reason, that are named
_EXAMINE: Final = "examine"
_SOLVING: Final = " (solving)"
_FIELDS: Final = ("problem", "status", "error_kind", "error", "isolation", "tags")
_TIMES: Final = "Times and costs are those of the answer, and this record has others: it was changed"


@dataclass(slots=True)
class Rounding:
    """Numbers that are not equal to the last digit and count as equal."""

    numbers: int = 0
    largest: float = 0.0
    software: dict[str, tuple[str, str]] = field(default_factory=dict)  # versions there and here

    def add(self, other: Rounding) -> None:
        """Count those of another comparison, too."""
        self.numbers += other.numbers
        self.largest = max(self.largest, other.largest)
        self.software |= other.software

    def note(self) -> str:
        """What is said of them; empty when there are none."""
        if not self.numbers:
            return ""
        why = versions_text(self.software) or "other processors and numbers of threads add up in another order"
        return (
            f"{self.numbers:,} numbers differ by at most {self.largest:.1e}, which counts as equal (tolerance "
            f"{TOLERANCE:g}): {why}"
        )


def cell_name(record: Record) -> str:
    """As messages name a cell."""
    return f"{record.track}: {record.problem} / {record.subject} / seed {record.seed}"


def other_software(stored: Record, examined: Record) -> dict[str, tuple[str, str]]:
    """Libraries in other versions where it was examined first and here, by name."""
    return {
        name: (version, examined.software[name])
        for name, version in sorted(stored.software.items())
        if not name.endswith(_SOLVING) and examined.software.get(name, version) != version
    }


def time_limits(settings: Settings) -> dict[str, float]:
    """The settings that bound the time of an examination.

    >>> time_limits({"simplify_seconds": 5.0, "depth": 3})
    {'simplify_seconds': 5.0}
    """
    return {name: float(value) for name, value in settings.items() if name.endswith("_seconds")}


def compare_records(
    stored: Record, examined: Record, *, unchecked: Collection[str], rounding: Rounding
) -> Iterator[Difference]:
    """What differs between the record of a bundle and the one that examining its answer gives here.

    Metrics in ``unchecked`` are left alone: their code was not run. Versions are compared by track.
    """
    rounding.software |= other_software(stored, examined)
    place = cell_name(stored)

    def difference(kind: Kind, name: str, there: object, here: object, metric: str = "") -> Difference:
        return Difference(kind, place, name, plain(there), plain(here), _reason(stored, examined, metric))

    for name in _FIELDS:
        there, here = getattr(stored, name), getattr(examined, name)
        if plain(there) != plain(here):
            yield difference("record", name, there, here)
    cost = {name: amount for name, amount in stored.cost.items() if name != "examine_seconds"}
    examined_cost = {name: amount for name, amount in examined.cost.items() if name != "examine_seconds"}
    if (stored.seconds, cost) != (examined.seconds, examined_cost):
        there, here = {"seconds": stored.seconds, **cost}, {"seconds": examined.seconds, **examined_cost}
        yield Difference("record", place, "seconds and cost", plain(there), plain(here), _TIMES)
    for name in [*stored.scores, *(name for name in examined.scores if name not in stored.scores)]:
        if name in unchecked or (name not in stored.scores and name not in stored.versions):
            continue  # the latter came with a later version of the track
        there, here = stored.scores.get(name), examined.scores.get(name)
        if there is None or here is None or not same_number(there, here, rounding):
            yield difference("score", name, there, here, name)
    details = _differing(plain(stored.details), plain(examined.details), "", rounding)
    for (name, there, here), _ in zip(details, range(_SHOWN), strict=False):
        yield difference("detail", name, there, here)


def same_number(there: float, here: float, rounding: Rounding | None = None) -> bool:
    """Whether two numbers are equal within the tolerance; undefined ones are equal to each other.

    >>> same_number(0.1 + 0.2, 0.3), same_number(0.3, 0.3001), same_number(float("nan"), float("nan"))
    (True, False, True)
    """
    if there == here or (math.isnan(there) and math.isnan(here)):
        return True
    gap = abs(there - here)
    if not math.isfinite(gap) or gap > TOLERANCE * max(1.0, abs(there), abs(here)):
        return False
    if rounding is not None:
        rounding.numbers += 1
        rounding.largest = max(rounding.largest, gap)
    return True


class _Place(NamedTuple):
    name: str
    there: Json
    here: Json


def _differing(there: Json, here: Json, name: str, rounding: Rounding) -> Iterator[_Place]:
    """The places in which two JSON values differ."""
    if _is_number(there) and _is_number(here):
        if not same_number(_as_float(there), _as_float(here), rounding):
            yield _Place(name, there, here)
    elif isinstance(there, Mapping) and isinstance(here, Mapping):
        for key in sorted({*there, *here}):
            yield from _differing(there.get(key), here.get(key), f"{name}.{key}" if name else key, rounding)
    elif _is_list(there) and _is_list(here) and len(there) == len(here):  # type: ignore[arg-type]
        for number, (one, other) in enumerate(zip(there, here, strict=True)):  # type: ignore[arg-type]
            yield from _differing(one, other, f"{name}[{number}]", rounding)
    elif there != here or isinstance(there, bool) != isinstance(here, bool):
        yield _Place(name, there, here)


def _is_list(value: Json) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # a whole number of more digits than a float can have
        return math.inf


def _reason(stored: Record, examined: Record, metric: str) -> str:
    """What most likely lies behind a number that is not found again."""
    for name, what in ((metric, "the metric"), (_EXAMINE, "the examination")):
        there, here = stored.versions.get(name), examined.versions.get(name)
        if name and there != here:
            return (
                f"Likely reason: another version of {what} ({there} there, {here} here); verify with the Assay that "
                "scored it"
            )
    software = software_text(stored, examined)
    changed = "the record was changed, or the answer, problem or settings that it is said to follow from"
    if time_limits(stored.settings) and _limits_mentioned(stored) != _limits_mentioned(examined):
        changed = f"a time limit of the examination that was reached there or here only, or {changed}"
    return f"Likely reason: {software}, or {changed}" if software else f"Likely reason: {changed}"


def _limits_mentioned(record: Record) -> int:
    return canonical_json(plain(record.details)).count(" seconds")


def software_text(stored: Record, examined: Record) -> str:
    """The libraries that differ between two records, in words; empty where none does."""
    return versions_text(other_software(stored, examined))


def versions_text(software: Mapping[str, tuple[str, str]]) -> str:
    """Libraries with their versions there and here, in words."""
    if not software:
        return ""
    changes = [f"{name} {there} -> {here}" for name, (there, here) in software.items()]
    return f"other library versions ({some_of(changes, _SHOWN)})"
