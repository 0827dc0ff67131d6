"""Problems for other machines: what was packed comes out."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from assay.core import Budget
from assay.core.track import AnyTrack
from assay.harness import Cell, SubjectRef
from assay.harness.metric_loading import track_with
from assay.harness.metric_ref import MetricRef, resolve_metric
from assay.harness.process.isolation import Isolation
from assay.harness.runners.shipping import pack_metric, pack_problem, with_metric
from assay.intake.archives import unpack


def files_below(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_is_packed_is_unpacked_modes_and_all(tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "truth").mkdir(parents=True)
    (source / "run.sh").write_text("#!/bin/sh\n")
    (source / "run.sh").chmod(0o755)
    (source / "truth" / "labels.csv").write_text("a\n")
    (tmp_path / "there").mkdir()
    target = unpack(pack_problem(source), tmp_path / "there" / "problem")
    assert files_below(target) == files_below(source)
    assert os.access(target / "run.sh", os.X_OK)


@pytest.mark.parametrize("text", ["mine.py:half", "mine:half"])
def test_the_files_of_a_metric_are_loaded_where_they_were_unpacked(text: str, tmp_path: Path, parity: AnyTrack) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "mine.py").write_text("from helpers import value\ndef half(evidence): return value\n")
    (source / "helpers.py").write_text("value = 0.5\n")
    ref = resolve_metric(text, parity, folder=source)
    assert ref is not None
    data = pack_metric(ref)
    assert data is not None
    target = unpack(data, tmp_path / "there")
    shutil.rmtree(source)
    cell = Cell(
        track="parity",
        problem="p",
        problem_digest="",
        folder="",
        tags={},
        subject=SubjectRef(kind="privileged", name="oracle", digest=""),
        budget=Budget(),
        settings={},
        isolation=Isolation(),
        answer_key="",
        record_key="",
        metrics=(ref,),
    )
    moved = with_metric(cell, ref, target).metrics
    assert track_with("parity", moved).metric("half").function(()) == 0.5
    assert pack_metric(MetricRef(kind="family", text="recall@10", target="recall@10")) is None
