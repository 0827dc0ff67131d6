from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from assay.core import AnyTrack
from assay.report import Results, TrackResults
from assay.report.page.facts import facts, setting_differences


def test_the_facts_say_what_was_run_and_what_is_missing(toy: TrackResults) -> None:
    said = dict(facts(toy))
    assert said["track"] == "toy"
    assert said["question"] == "Does it <i>play</i> | well?"
    assert said["settings"] == "preset = spec, k = 7 (default 5)"
    assert said["seeds"] == "0, 1"
    assert said["problems"] == "5"
    assert said["subjects"] == "3"
    assert said["cells"] == "27 of 30 finished, 1 of them failed"
    assert said["pending"].startswith("3, 1 of them lost")
    assert said["lost"] == "worker died: no space left (1); places and comparisons count the floor there"
    assert said["isolation"] == "process (19), ready (8)"
    assert said["budget"] == "5.0 s, 256 MB"
    assert "versions" not in said


def test_a_complete_run_says_nothing_of_pending_cells(toy: TrackResults) -> None:
    said = dict(facts(replace(toy, planned=27, losses=())))
    assert "pending" not in said
    assert "lost" not in said


def test_default_settings_are_said_to_be_so(toy: TrackResults) -> None:
    plain = replace(toy, run=replace(toy.run, settings={"k": 5, "preset": "spec", "fast": False}))
    assert dict(facts(plain))["settings"] == "preset = spec, defaults"
    assert dict(facts(replace(toy, run=replace(toy.run, settings={}))))["settings"] == "none"


def test_a_preset_that_differs_and_a_setting_that_is_gone_are_named() -> None:
    different = setting_differences({"preset": "old", "gone": 1, "k": 5}, {"preset": "spec", "k": 5})
    assert different == {"gone": "1 (no longer a setting)", "preset": "old (default spec)"}


def test_records_scored_with_other_versions_are_said_to_be(toy: TrackResults, toy_track: AnyTrack) -> None:
    metrics = (toy_track.metrics[0], replace(toy_track.metrics[1], version=4))
    said = dict(facts(replace(toy, track=replace(toy_track, metrics=metrics))))
    assert "share 3 (now 4)" in said["versions"]


def test_long_lists_are_shortened_with_their_number(toy: TrackResults) -> None:
    records = tuple(replace(toy.records[0], seed=seed) for seed in range(40))
    assert dict(facts(replace(toy, records=records, planned=40)))["seeds"].endswith("10, 11, and 28 more")


def test_a_run_without_any_record_has_facts_too(toy: TrackResults) -> None:
    said = dict(facts(replace(toy, records=())))
    assert said["cells"] == "0 of 30 finished"
    assert said["seeds"] == said["isolation"] == said["budget"] == "none"


def test_few_problems_are_said_to_make_intervals_too_narrow(toy: TrackResults) -> None:
    assert "fewer than 6 problems" in dict(facts(toy))["caution"]
    many = tuple(replace(record, problem=f"{record.problem}-{copy}") for record in toy.records for copy in range(2))
    assert "caution" not in dict(facts(replace(toy, records=many)))


def test_problems_that_no_cell_reached_are_said_to_be_planned(make_results: Callable[..., Results]) -> None:
    rows: list[Any] = [(problem, "vote", 0, 0.5, 1.0, {}) for problem in ("iris", "wine")]
    (begun,) = make_results(rows, pending=[("moons", "vote", 0), ("digits", "vote", 0)]).tracks
    assert dict(facts(begun))["problems"] == "2, of 4 planned"
    (whole,) = make_results(rows).tracks
    assert dict(facts(whole))["problems"] == "2"


@pytest.mark.parametrize("isolation", ["ready", "imported"])
def test_what_was_not_solved_here_had_no_budget(make_results: Callable[..., Results], isolation: str) -> None:
    rows = [("iris", "given", 0, 0.5, 1.0, {"isolation": isolation})]
    (given,) = make_results(rows).tracks
    assert "budget" not in dict(facts(given))
    (mixed,) = make_results([*rows, ("iris", "vote", 0, 0.5, 1.0, {})]).tracks
    assert dict(facts(mixed))["budget"] == "5.0 s, 256 MB"
