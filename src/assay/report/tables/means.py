"""Means without intervals, in a second or two also for a million records."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.core import Goal
from assay.report.track_records import TrackRecords
from assay.stats.means import row_means
from assay.stats.ranks import places
from assay.stats.scores import floor_means

__all__ = ["SubjectMeans", "TrackMeans", "track_means"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectMeans:
    """The means of one subject over problems, failures as the floor; nan where it has no value.

    ``lost_as_floor`` are the means with the floor for every lost cell as well: the order rests on them.
    """

    subject: str
    means: Mapping[str, float]
    cells: int
    failed: int
    lost_as_floor: Mapping[str, float]
    lost: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackMeans:
    """Every subject of a track, best first by the headline; there are no intervals."""

    track: str
    goals: Mapping[str, Goal]  # of the metrics, the headline first
    rows: tuple[SubjectMeans, ...]


def track_means(results: TrackRecords, *, metrics: Sequence[str] | None = None) -> TrackMeans:
    """The means that the leaderboard shows, digit for digit, without its intervals, ranks and comparisons.

    ``metrics`` chooses those beside the headline; by default there are all that every record has.
    """
    track, table = results.track, results.table
    names = [metric.name for metric in track.metrics] if metrics is None else [results.metric(m).name for m in metrics]
    present = [name for name in dict.fromkeys([track.headline, *names]) if name in table.scores]
    chosen = [name for name in present if name not in table.absent]
    means_of = {name: row_means(floor_means(table, name)) for name in chosen}
    whole = results.cautious_table
    cautious = means_of if whole is table else {name: row_means(floor_means(whole, name)) for name in chosen}
    subjects, codes = table.labels["subject"]
    cells = np.bincount(codes, minlength=len(subjects))
    failed = np.bincount(codes[table.failed], minlength=len(subjects))
    lost = np.bincount(whole.labels["subject"].codes[whole.lost], minlength=len(subjects))
    rows = [
        SubjectMeans(
            subject=subject,
            means={name: float(means[place]) for name, means in means_of.items()},
            cells=int(cells[place]),
            failed=int(failed[place]),
            lost_as_floor={name: float(means[place]) for name, means in cautious.items()},
            lost=int(lost[place]),
        )
        for place, subject in enumerate(subjects)
    ]
    goal = track.metric(track.headline).goal
    order = places([row.lost_as_floor.get(track.headline, math.nan) for row in rows], goal)
    return TrackMeans(
        track=track.name,
        goals={name: track.metric(name).goal for name in chosen},
        rows=tuple(rows[row] for row in np.argsort(order, kind="stable")),
    )
