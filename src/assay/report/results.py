"""What a results folder holds: of each track the latest run, its records, and what is missing from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from assay.core import AnyTrack, InvalidInput, Record, UnknownName, get_track
from assay.harness.plan import Cell
from assay.harness.store.store import Run, Store

if TYPE_CHECKING:
    from assay.report.export.frames import Frames
    from assay.stats import RecordTable
    from assay.stats.resampling import IntArray

__all__ = ["Results", "TrackResults", "load"]


@dataclass(frozen=True, kw_only=True)
class TrackResults:
    """The latest run of one track: the records that are there, in the plan's order, and the cells that are not."""

    track: AnyTrack
    run: Run
    records: Sequence[Record]
    planned: int
    losses: tuple[tuple[Cell, str], ...] = ()

    @property
    def pending(self) -> int:
        """Cells of the plan without a record; lost cells are among them."""
        return self.planned - len(self.records)

    @property
    def headline(self) -> str:
        """The metric that orders the leaderboard."""
        return self.track.headline

    @cached_property
    def table(self) -> RecordTable:
        """The records as columns; of very many records this is quick, and reading each of them is not."""
        from assay.harness.store.stored_records import StoredRecords
        from assay.stats import RecordTable

        return self.records.table if isinstance(self.records, StoredRecords) else RecordTable.of(self.records)

    def part(self, rows: IntArray) -> TrackResults:
        """The results of these rows of the table alone, as if nothing else had been planned."""
        from assay.harness.store.stored_records import StoredRecords

        records: Sequence[Record]
        if isinstance(self.records, StoredRecords):
            records = self.records.arranged(rows)
        else:
            records = tuple(self.records[row] for row in rows.tolist())
        return replace(self, records=records, planned=len(records), losses=())

    @property
    def failed(self) -> tuple[Record, ...]:
        """The records of subjects that failed."""
        return tuple(self.part(self.table.failed.nonzero()[0]).records)

    def _repr_html_(self) -> str:
        """As a notebook shows it."""
        from assay.report.export.notebook import track_html

        return track_html(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """Everything a report is made of."""

    folder: Path
    tracks: tuple[TrackResults, ...]

    def track(self, name: str) -> TrackResults:
        """The results of one track."""
        for results in self.tracks:
            if results.track.name == name:
                return results
        known = [results.track.name for results in self.tracks]
        raise UnknownName(f"track in {self.folder}", name, known)

    def frames(self, *, confidence: float = 0.95, seed: int = 0, resamples: int = 2000) -> Frames:
        """Records, scores, leaderboard, comparisons and problems as pandas frames."""
        from assay.report.export.frames import frames

        return frames(self, confidence=confidence, seed=seed, resamples=resamples)

    def _repr_html_(self) -> str:
        """As a notebook shows it."""
        from assay.report.export.notebook import results_html

        return results_html(self)


def load(folder: Path | str, *, tracks: Mapping[str, AnyTrack] | None = None) -> Results:
    """The latest run of each track in a results folder, or what an export (a zip file) holds; nothing is written.

    Tracks are found by name among the installed ones; ``tracks`` adds others, or stands in for them.
    """
    folder = Path(folder)
    given = tracks or {}
    if folder.is_file() or folder.suffix == ".zip":
        from assay.report.export.archive import read_archive

        return read_archive(folder, tracks=given)
    with Store(folder, read_only=True) as store:
        found = tuple(
            TrackResults(
                track=given[run.track] if run.track in given else get_track(run.track),
                run=run,
                records=store.records(run.id),
                planned=store.planned(run.id),
                losses=store.losses(run.id),
            )
            for run in store.latest_runs()
        )
    if not found:
        raise InvalidInput(f"{folder}: nothing was run here yet. Run something first: assay run TRACK --out {folder}.")
    return Results(folder=folder, tracks=found)
