"""Problems, subjects and metrics as bytes, for workers on other machines: packed once, unpacked once by each worker."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Final

from assay.core.files.folders import is_file, walk
from assay.harness.metric_ref import MetricRef, metric_files
from assay.harness.plan import Cell
from assay.harness.process.isolation import copied_source
from assay.harness.subject_ref import SubjectRef
from assay.intake.archives import pack

__all__ = ["pack_metric", "pack_problem", "pack_subject", "with_metric", "with_subject"]

_SOURCE: Final = "source"
_LEVEL: Final = 1  # of compression: the fastest


def pack_problem(folder: Path) -> bytes:
    """A problem's folder, truth and all: it goes to examiners, never to subjects."""
    files = {path.relative_to(folder).as_posix(): path for path in walk(folder) if is_file(path)}
    return pack(files, level=_LEVEL)


def pack_subject(ref: SubjectRef) -> bytes | None:
    """The files that a subject consists of; None for those that are installed with Assay or another package."""
    if ref.kind == "ready":
        return pack_problem(Path(ref.target))
    if ref.kind == "command":
        return pack(ref.program().paths, level=_LEVEL)
    if ref.kind == "pickle":
        return pack({Path(ref.target).name: Path(ref.target)}, level=_LEVEL)
    if ref.kind not in ("file", "module"):
        return None
    with tempfile.TemporaryDirectory() as draft:
        target = Path(draft) / _SOURCE
        if copied_source(ref, target) is ref:
            return None
        return pack_problem(target)


def pack_metric(ref: MetricRef) -> bytes | None:
    """The files of a metric from outside; None for those that are installed with Assay or another package."""
    return pack(metric_files(ref), level=_LEVEL) if ref.kind in ("file", "module") else None


def with_subject(cell: Cell, folder: Path) -> Cell:
    """The cell with its subject's files in another place."""
    ref = cell.subject
    if ref.kind == "ready":
        moved = replace(ref, target=str(folder))
    elif ref.kind in ("file", "pickle"):
        moved = replace(ref, root=str(folder), target=str(folder / Path(ref.target).relative_to(ref.root)))
    else:
        moved = replace(ref, root=str(folder))
    return replace(cell, subject=moved)


def with_metric(cell: Cell, ref: MetricRef, folder: Path) -> Cell:
    """The cell with the files of one of its metrics in another place."""
    target = str(folder / Path(ref.target).relative_to(ref.root)) if ref.kind == "file" else ref.target
    moved = replace(ref, root=str(folder), target=target)
    return replace(cell, metrics=tuple(moved if metric == ref else metric for metric in cell.metrics))
