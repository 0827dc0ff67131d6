"""The latest run of each track, with statistics that are computed once; reports are written from it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Self, Unpack

from assay.core import UnknownName
from assay.core.display import counted
from assay.report.tables.groups import tag_names
from assay.report.tables.leaderboard import leaderboard
from assay.report.tables.summary import Bootstrap, TrackSummary
from assay.report.track_records import TrackRecords
from assay.report.wording import shown

__all__ = ["ResultSet", "TrackResults"]


class TrackResults(TrackRecords):
    """The latest run of one track: the records that are there, in the plan's order, and the cells that are not."""

    def __repr__(self) -> str:
        labels = self.table.labels
        subjects, problems = len(labels["subject"].values), len(labels["problem"].values)
        size = f"{counted(subjects, 'subject')}, {counted(problems, 'problem')}"
        return f"TrackResults({self.track.name!r}, {len(self.records)} of {counted(self.planned, 'record')}, {size})"

    def _repr_html_(self) -> str:
        """As a notebook shows it: the track's question and its leaderboard."""
        return f"<p>{escape(shown(self.track.question))}</p>" + leaderboard(self, metrics=())._repr_html_()


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class ResultSet:
    """Tracks with their records; summaries are kept, so that a table, a gate, JSON and a page share one leaderboard."""

    folder: Path
    tracks: tuple[TrackResults, ...]
    _summaries: dict[tuple[object, ...], TrackSummary] = field(default_factory=dict, init=False, compare=False)

    def track(self, name: str) -> TrackResults:
        """The results of one track."""
        for results in self.tracks:
            if results.track.name == name:
                return results
        known = [results.track.name for results in self.tracks]
        raise UnknownName(f"track in {self.folder}", name, known)

    def only(self, tracks: Collection[str]) -> Self:
        """The results of these tracks alone; what is computed already is computed again."""
        for name in tracks:
            self.track(name)
        return replace(self, tracks=tuple(entry for entry in self.tracks if entry.track.name in tracks))

    def clustered(self, *tags: str) -> Self:
        """The same results with intervals and tests that take problems together which share a value of these tags.

        Parameters
        ----------
        *tags : str
            A problem belongs to the value of the first tag that it has. Without any, every problem is alone, as in
            releases before 0.3; by default the track says which tags count.

        Returns
        -------
        Results
            The same records; what is computed already is computed again.

        Raises
        ------
        UnknownName
            No problem has such a tag.
        """
        known = sorted({name for entry in self.tracks for name in tag_names(entry)})
        for tag in tags:
            if tag not in known:
                raise UnknownName("tag", tag, known)
        tracks = tuple(replace(entry, track=replace(entry.track, clusters=tags)) for entry in self.tracks)
        return replace(self, tracks=tracks)

    def summaries(self, **bootstrap: Unpack[Bootstrap]) -> tuple[TrackSummary, ...]:
        """The leaderboard and the comparisons of each track."""
        return tuple(self.summary(entry, **bootstrap) for entry in self.tracks)

    def summary(self, entry: TrackResults, **bootstrap: Unpack[Bootstrap]) -> TrackSummary:
        """The leaderboard and the comparisons of one of the tracks."""
        track_summary = TrackSummary(results=entry, **bootstrap)
        return self._summaries.setdefault((entry.track.name, *track_summary.bootstrap.values()), track_summary)
