"""The demonstration: which subjects it takes, and a whole one of a small track."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.cli.demo import SUBJECTS, demo_subjects
from assay.core import MissingExtra, get_track, parse_call, track_names
from assay.core.track import AnyTrack

Assay = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.parametrize("name", track_names())
def test_every_subject_of_the_table_is_one_that_the_track_has(name: str) -> None:
    track = get_track(name)
    known = {*track.subjects, *track.privileged}
    assert {parse_call(subject).name for subject in SUBJECTS.get(name, ())} <= known
    assert len(demo_subjects(track)) >= 3


@pytest.mark.parametrize(
    ("track", "best"), [("cases", "detector"), ("conformal", "auto"), ("drift", "explainer"), ("insight", "relational")]
)
def test_the_best_subject_of_a_track_is_shown(track: str, best: str) -> None:
    assert best in SUBJECTS[track]


def test_a_track_that_the_table_does_not_name_brings_all_its_subjects(parity: AnyTrack) -> None:
    assert demo_subjects(parity) == (*sorted(parity.subjects), "oracle")


def test_a_subject_whose_library_is_missing_is_left_out_and_named(
    parity: AnyTrack, capsys: pytest.CaptureFixture[str]
) -> None:
    def absent() -> Any:
        raise MissingExtra("The subject absent", "absent", "peers")

    track = replace(parity, subjects={**parity.subjects, "absent": absent})
    assert "absent" not in demo_subjects(track)
    assert "parity: without absent." in capsys.readouterr().err


def test_the_demonstration_runs_and_says_where_its_report_is(parity: AnyTrack, assay: Assay, tmp_path: Path) -> None:
    result = assay("demo", "--track", "parity", "--out", "shown", "--workers", "1")
    report = tmp_path / "shown" / "report.html"
    assert f"Report: {report.resolve()}" in result.stdout
    assert "parity" in report.read_text(encoding="utf-8")
