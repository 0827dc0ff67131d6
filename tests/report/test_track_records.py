"""Which metric orders a run whose problems do not all define the headline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import nan

import pytest

from assay.core import AnyTrack, Record, UnknownName
from assay.harness.store.store import Run
from assay.report import TrackRecords

Row = tuple[str, float, float]  # problem, share, delay


def ranked(track: AnyTrack, like: Record, rows: Sequence[Row]) -> TrackRecords:
    records = tuple(
        replace(like, problem=problem, problem_digest=problem, scores={"share": share, "delay": delay})
        for problem, share, delay in rows
    )
    run = Run(id=1, track=track.name, created="2026-01-02T03:04:05+00:00", settings={}, metrics=())
    return TrackRecords(track=track, run=run, records=records, planned=len(records)).ranked()


@pytest.mark.parametrize(
    ("rows", "headline"),
    [
        ([("a", 1.0, 1.0), ("b", 1.0, nan)], "share"),  # defined on all
        ([("a", nan, 1.0), ("b", nan, 2.0)], "delay"),
        ([("a", nan, 1.0), ("b", 1.0, 2.0)], "delay"),  # the only one that is defined on all
        ([("a", nan, 1.0), ("b", 1.0, nan)], "share"),  # none is
        ([("a", nan, nan)], "share"),
        ([("a", nan, 1.0), ("a", 1.0, 1.0)], "share"),  # defined for somebody
        ([], "share"),
    ],
)
def test_the_first_headline_that_is_defined_on_all_problems_ranks(
    rows: list[Row], headline: str, toy_track: AnyTrack, toy_record: Record
) -> None:
    track = replace(toy_track, headlines=("delay",))
    assert ranked(track, toy_record, rows).headline == headline
    assert ranked(toy_track, toy_record, rows).headline == "share"


def test_what_stands_in_for_the_headline_is_a_metric(toy_track: AnyTrack) -> None:
    with pytest.raises(UnknownName, match="headline"):
        replace(toy_track, headlines=("dely",))
    track = replace(toy_track, headlines=("delay",))
    assert track.headline_among(["delay"]) == "delay"
    assert track.headline_among(["delay", "share"]) == track.headline_among([]) == "share"
