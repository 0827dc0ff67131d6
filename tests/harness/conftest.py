"""Subjects with a fault each, and problems of the external track."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.core.track import AnyTrack
from assay.harness import RunSpec, run

Write = Callable[[str, str], str]
Runs = dict[str, Path]


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
        arguments = {"problems": ("problems",), "isolation": "none", **options}
        return RunSpec(track="parity", subjects=subjects, folder=tmp_path, **arguments)  # type: ignore[arg-type]

    return make


@pytest.fixture(scope="session")
def first_runs() -> Runs:
    """Where the results of the first run of each kind lie."""
    return {}


@pytest.fixture
def results_of(spec: Callable[..., RunSpec], first_runs: Runs, tmp_path: Path) -> Callable[..., Path]:
    """Results of subjects in the test's folder, its own to change; the same are run once and copied."""

    def copy(*subjects: str, **options: object) -> Path:
        kind = repr((subjects, options))
        if kind not in first_runs:
            run([spec(*subjects, **options)], out=tmp_path / "first")
            first_runs[kind] = tmp_path / "first"
        return Path(shutil.copytree(first_runs[kind], tmp_path / "out"))

    return copy
