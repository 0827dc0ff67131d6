"""Subjects with a fault each, and problems of the external track."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.core.track import AnyTrack
from assay.harness import RunSpec

Write = Callable[[str, str], str]


@pytest.fixture
def subject_file(tmp_path: Path) -> Write:
    """Write a subject file into the test's folder and give its name."""

    def write(name: str, source: str) -> str:
        (tmp_path / name).write_text(source)
        return name

    return write


@pytest.fixture
def spec(tmp_path: Path, parity: AnyTrack) -> Callable[..., RunSpec]:
    """A spec of the external track on two small problems, relative to the test's folder."""
    for index in range(2):
        folder = tmp_path / "problems" / f"p{index}"
        (folder / "truth").mkdir(parents=True)
        numbers = [index, index + 3, 4, 5, 6]
        (folder / "problem.json").write_text(json.dumps({"track": "parity", "numbers": numbers}))
        (folder / "truth" / "even.json").write_text(json.dumps([number % 2 == 0 for number in numbers]))

    def make(*subjects: str, **options: object) -> RunSpec:
        # the faults of these subjects leave traces in the test's folder, which a confined process could not
        given = {"problems": ("problems",), "isolation": "none", **options}
        return RunSpec(track="parity", subjects=subjects, folder=tmp_path, **given)  # type: ignore[arg-type]

    return make
