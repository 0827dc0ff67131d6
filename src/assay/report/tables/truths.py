"""What a problem's truth is, in words, as the records tell it; and a record's details in a few lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.charts.drawing import shorten
from assay.core import Record
from assay.core.display import counted
from assay.report.story import beside_panels
from assay.report.track_records import TrackRecords
from assay.report.wording import format_number, shown

__all__ = ["LONGEST", "details_in_lines", "truths"]

LONGEST = 700  # characters of the lines of one record
_LONGEST_VALUE = 160
_TRUTH = "truth"  # the detail that holds it, unless the track's module of panels has a function ``truth``


def truths(results: TrackRecords) -> dict[str, str]:
    """The truth of each problem in words, for those where a record tells it.

    They come from the function ``truth(record)`` in the track's module of panels, or from the detail ``truth``.
    """
    tell = beside_panels(results.track, "truth")
    words_of: dict[str, str] = {}
    for record in results.records:
        if record.problem not in words_of and (words := _truth_words(record, tell)):
            words_of[record.problem] = words
    return words_of


def details_in_lines(record: Record) -> str:
    """What examination noted, a line per entry, long lists only counted; cut where it grows too long."""
    text = "\n".join(f"{name}: {value}" for name, value in _flat(record.details, "") if name != _TRUTH)
    return shorten(text, LONGEST)


def _truth_words(record: Record, tell: Any) -> str:
    if callable(tell):
        try:
            return shown(str(tell(record) or ""), lines=True)
        except Exception as error:  # noqa: BLE001 - whatever a track's words raise, the numbers must still be shown
            return f"could not be told: {type(error).__name__}"
    value = record.details.get(_TRUTH)
    return shown(value, lines=True) if isinstance(value, str) else ""


def _flat(value: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, str]]:
    for name, entry in value.items():
        path = f"{prefix}{name}"
        if isinstance(entry, Mapping):
            yield from _flat(entry, f"{path}.")
        else:
            yield shown(path), _short(entry)


def _short(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    if isinstance(value, float):
        return format_number(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        if not value:
            return "none"
        if len(value) > 4 or any(isinstance(entry, Mapping | list | tuple) for entry in value):
            return counted(len(value), "entry")
        return ", ".join(_short(entry) for entry in value)
    return shorten(shown(str(value)), _LONGEST_VALUE)
