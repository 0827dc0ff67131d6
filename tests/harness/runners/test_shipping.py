"""Problems for other machines: what was packed comes out."""

from __future__ import annotations

import os
from pathlib import Path

from assay.harness.runners.shipping import pack_problem
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
