"""What a results folder holds: the latest run of each track, which shows itself in a notebook and as frames."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path

from assay.core import UnknownName
from assay.report.export.frames import Frames, frames
from assay.report.tables.leaderboard import leaderboard
from assay.report.tables.summary import TrackSummary
from assay.report.track_records import TrackRecords
from assay.report.wording import shown

__all__ = ["Results", "TrackResults"]


class TrackResults(TrackRecords):
    """The latest run of one track: the records that are there, in the plan's order, and the cells that are not."""

    def _repr_html_(self) -> str:
        """As a notebook shows it: the track's question and its leaderboard."""
        return f"<p>{escape(shown(self.track.question))}</p>" + leaderboard(self, metrics=())._repr_html_()


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
        return frames(self.summaries(confidence=confidence, seed=seed, resamples=resamples))

    def summaries(self, *, confidence: float = 0.95, seed: int = 0, resamples: int = 2000) -> tuple[TrackSummary, ...]:
        """The leaderboard and the comparisons of each track."""
        return tuple(
            TrackSummary(results=track, confidence=confidence, seed=seed, resamples=resamples) for track in self.tracks
        )

    def _repr_html_(self) -> str:
        """As a notebook shows it: all tracks, one below the other."""
        return "".join(track._repr_html_() for track in self.tracks)
