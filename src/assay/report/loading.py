"""Reading a results folder, or the export of one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from assay.core import AnyTrack, InvalidInput, get_track
from assay.harness.run import RunResult
from assay.harness.store.store import Run, Store
from assay.report.export.archive import read_archive
from assay.report.results import Outcome, Results, TrackResults

__all__ = ["load", "results_of"]


def load(folder: Path | str, *, tracks: Mapping[str, AnyTrack] | None = None) -> Results:
    """The latest run of each track in a results folder, or what an export (a zip file) holds; nothing is written.

    Tracks are found by name among the installed ones; ``tracks`` adds others, or stands in for them.
    """
    folder = Path(folder)
    given = tracks or {}
    if folder.is_file() or folder.suffix == ".zip":
        return Results(folder=folder, tracks=read_archive(folder, tracks=given).tracks)
    with Store(folder, read_only=True) as store:
        found = _tracks(store, store.latest_runs(), given)
    if not found:
        raise InvalidInput(f"{folder}: nothing was run here yet. Run something first: assay run TRACK --out {folder}.")
    return Results(folder=folder, tracks=found)


def results_of(result: RunResult, *, keep: object = None) -> Results:
    """The results of a run: the records of its own plans, and no others of its folder."""
    with Store(result.out, read_only=True) as store:
        runs = {run.id: run for run in store.runs()}
        own = tuple(runs[result.runs[track]] for track in sorted(result.runs))
        return Results(folder=result.out, tracks=_tracks(store, own, {}), outcome=Outcome.of(result), keep=keep)


def _tracks(store: Store, runs: tuple[Run, ...], given: Mapping[str, AnyTrack]) -> tuple[TrackResults, ...]:
    floors = store.floors()
    return tuple(
        TrackResults(
            track=given[run.track] if run.track in given else get_track(run.track),
            run=run,
            records=store.records(run.id),
            planned=store.planned(run.id),
            losses=store.losses(run.id),
            floors=floors,
            withdrawals=store.withdrawals(run.id),
        )
        for run in runs
    )
