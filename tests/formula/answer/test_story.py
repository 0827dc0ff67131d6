"""Formulas in the lines of a terminal."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.core import InvalidInput, Record, get_track
from assay.formula.answer.story import story
from assay.report.story import track_story


def record(problem: str, subject: str, formula: str | None, score: float, *, seed: int = 0) -> Record:
    return Record(
        key="k",
        answer_key="a",
        track="formula",
        problem=problem,
        problem_digest="d",
        subject=subject,
        subject_digest="s",
        seed=seed,
        status="ok",
        scores={"property_score": score},
        details={"property": "rediscovery", "parts": [{"formula": formula}]},
    )


def test_on_one_problem_the_best_formula_of_each_subject_is_told() -> None:
    records = [
        record("law", "linear", "x + 1", 0.2),
        record("law", "linear", "x + 2", 0.7, seed=1),
        record("law", "mine", "exp(x)", float("nan")),
        record("law", "mute", None, 0.0),
    ]
    assert story(records) == [
        "property_score here: is the known law found (1 problem)",
        "linear: x + 2",
        "mine: exp(x)",
    ]


def test_of_many_problems_each_subjects_best_is_told_with_the_way_to_the_others() -> None:
    records = [record(f"law-{number}", "linear", f"{number}*x", number / 10) for number in range(5)]
    assert story(records[:2])[1:] == ["linear on law-0: 0*x", "linear on law-1: 1*x"]
    lines = story(records)
    assert lines[0] == "property_score here: is the known law found (5 problems)"
    assert lines[1] == "linear on law-4: 4*x"
    assert "assay show DIR PROBLEM/SUBJECT" in lines[2]


def test_nothing_is_told_of_nothing_and_control_characters_are_not_printed() -> None:
    assert story([]) == []
    assert "\x1b" not in story([record("law", "sly", "x\x1b[2J", 1.0)])[1]


def test_a_story_that_breaks_spoils_nothing_and_one_that_is_not_there_is_named() -> None:
    track = get_track("formula")
    (line,) = track_story(replace(track, story="math:sqrt"), [record("law", "a", "x", 1.0)])
    assert "cannot be told" in line
    with pytest.raises(InvalidInput, match="cannot be found"):
        track_story(replace(track, story="assay.formula.answer.story:absent"), [record("law", "a", "x", 1.0)])
    assert track_story(replace(track, story=None), [record("law", "a", "x", 1.0)]) == ()
