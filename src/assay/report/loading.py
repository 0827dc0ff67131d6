"""Reading a results folder, or the export of one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from assay.core import AnyTrack, InvalidInput, get_track
from assay.harness.store.store import Store
from assay.report.export.archive import read_archive
from assay.report.results import Results, TrackResults

__all__ = ["load"]


def load(folder: Path | str, *, tracks: Mapping[str, AnyTrack] | None = None) -> Results:
    """The latest run of each track in a results folder, or what an export (a zip file) holds; nothing is written.

    Tracks are found by name among the installed ones; ``tracks`` adds others, or stands in for them.
    """
    folder = Path(folder)
    given = tracks or {}
    if folder.is_file() or folder.suffix == ".zip":
        return read_archive(folder, tracks=given)
    with Store(folder, read_only=True) as store:
        floors = store.floors()
        found = tuple(
            TrackResults(
                track=given[run.track] if run.track in given else get_track(run.track),
                run=run,
                records=store.records(run.id),
                planned=store.planned(run.id),
                losses=store.losses(run.id),
                floors=floors,
                withdrawals=store.withdrawals(run.id),
            )
            for run in store.latest_runs()
        )
    if not found:
        raise InvalidInput(f"{folder}: nothing was run here yet. Run something first: assay run TRACK --out {folder}.")
    return Results(folder=folder, tracks=found)
