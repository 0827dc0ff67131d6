"""What is told of tasks and answers is true: every field exists, every answer is accepted and scored."""

from __future__ import annotations

import dataclasses
import importlib
import json
import math
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from assay.cli.shared.track import track_group
from assay.core import AnyProblem, AnyTrack, Contract, find_problems, get_track
from assay.insight import read_solution

TRACKS = ("cases", "conformal", "drift", "formula", "insight")
PAGES = Path(__file__).parents[3] / "docs" / "start"
SMALL: dict[str, dict[str, Any]] = {
    "cases": {"problems": 1, "cases": 40, "queries": 30},
    "conformal": {"problems": 1, "calibration": 60, "test": 30},
    "drift": {"problems": 1, "cases": 120},
    "formula": {"problems": 1, "properties": ["rediscovery"], "difficulties": ["easy"]},
    "insight": {"rows": 60, "difficulty": "easy"},
}


@cache
def small(track: str) -> tuple[AnyTrack, Path, AnyProblem]:
    """A real problem of the track: generated, written and loaded."""
    folder = Path(tempfile.mkdtemp(prefix="contract-"))
    importlib.import_module(f"assay.{track}").generate(folder, seed=3, **SMALL[track])
    known = get_track(track)
    place = find_problems(folder, marker=known.marker)[0]
    return known, place, known.load(place)


def contract_of(track: str) -> Contract:
    contract = get_track(track).contract
    assert contract is not None
    return contract


@pytest.mark.parametrize("track", TRACKS)
def test_every_field_that_is_told_is_there_and_every_field_that_is_there_is_told(track: str) -> None:
    contract = contract_of(track)
    task = small(track)[2].task
    for name in contract.task:
        eval(f"task.{name}", {"task": task})
    assert {field.name for field in dataclasses.fields(task)} <= contract.task.keys()


@pytest.mark.parametrize("track", TRACKS)
def test_every_answer_that_is_told_is_accepted_and_scored(track: str) -> None:
    known, _, problem = small(track)
    names = {**vars(importlib.import_module(f"assay.{track}")), "np": np, "task": problem.task}
    for expression in contract_of(track).answers:
        answer = known.decode(known.encode(eval(expression, names)))
        evidence = known.examine(problem, answer, known.configure({}))
        score = known.metric(known.headline).function(evidence)
        assert math.isfinite(score), expression


@pytest.mark.parametrize("track", TRACKS)
def test_a_program_finds_the_files_that_are_told_and_writes_what_can_be_read(track: str, tmp_path: Path) -> None:
    known, folder, _ = small(track)
    contract = contract_of(track)
    known.hand_over(folder, tmp_path / "task")
    assert not [name for name in contract.files if not (tmp_path / "task" / name).exists()]
    if track != "insight":
        known.decode(contract.program.encode())
        return
    file, _, body = contract.program.partition(" in that folder: ")
    json.loads(body)
    (tmp_path / file).write_text(body)
    assert read_solution(tmp_path).columns == ("one",)


@pytest.mark.parametrize("track", TRACKS)
def test_page_help_and_template_tell_the_same(track: str) -> None:
    contract, text = contract_of(track), contract_of(track).text()
    assert max(map(len, text.splitlines())) <= 76
    page = (PAGES / f"{track}.md").read_text(encoding="utf-8")
    assert f"```text\n{text}\n```" in page, f"docs/start/{track}.md: paste the text of the contract"
    result = CliRunner().invoke(track_group(track), ["--help"], terminal_width=80).output
    for line in text.splitlines():
        assert f"  {line}".rstrip() in result.splitlines()
    assert contract.comment() in get_track(track).template


@pytest.mark.parametrize("track", TRACKS)
def test_the_template_is_a_subject_whose_answer_is_scored(track: str) -> None:
    known, _, problem = small(track)
    names: dict[str, Callable[..., Any]] = {}
    exec(compile(known.template, "subject.py", "exec"), names)
    answer = known.decode(known.encode(names["solve"](problem.task, type("Budget", (), {"seed": 0}))))
    assert known.examine(problem, answer, known.configure({})) is not None
