"""The statistics of one track that reports show, each computed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypedDict

from assay.report.tables.leaderboard import leaderboard
from assay.report.tables.pairs import Pairs, subject_pairs
from assay.report.tables.standings import Leaderboard
from assay.report.track_records import TrackRecords

__all__ = ["Bootstrap", "TrackSummary"]


class Bootstrap(TypedDict, total=False):
    """The options of everything that is resampled; those that are left out are those of a :class:`TrackSummary`."""

    confidence: float
    seed: int
    resamples: int


@dataclass(frozen=True, kw_only=True)
class TrackSummary:
    """The records of a track with their leaderboard and comparisons, computed when they are first asked for."""

    results: TrackRecords
    confidence: float = 0.95
    seed: int = 0
    resamples: int = 2000
    _parts: dict[tuple[str, ...], Leaderboard] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def bootstrap(self) -> Bootstrap:
        """Its options, for other functions that resample."""
        return {"confidence": self.confidence, "seed": self.seed, "resamples": self.resamples}

    @cached_property
    def board(self) -> Leaderboard:
        """The leaderboard with all metrics."""
        return leaderboard(self.results, **self.bootstrap)

    def board_of(self, metrics: Sequence[str] | None) -> Leaderboard:
        """The leaderboard with these metrics beside the headline, taken from that with all where it is there."""
        if metrics is None:
            return self.board
        names = tuple(metrics)
        if names not in self._parts:
            whole = self.__dict__.get("board")
            part = None if whole is None else _part(whole, names)
            self._parts[names] = part or leaderboard(self.results, metrics=names, **self.bootstrap)
        return self._parts[names]

    @cached_property
    def pairs(self) -> Pairs:
        """Every two subjects on the headline."""
        return subject_pairs(self.results, self.board, **self.bootstrap)


def _part(board: Leaderboard, metrics: tuple[str, ...]) -> Leaderboard | None:
    """The same leaderboard with fewer columns; None where it lacks one of them."""
    names = list(dict.fromkeys([board.headline, *metrics]))
    columns = {column.name: column for column in board.columns}
    aggregates = {column.name: column for column in board.aggregates}
    if any(name not in columns and name not in aggregates for name in names):
        return None
    return replace(
        board,
        columns=tuple(columns[name] for name in names if name in columns),
        aggregates=tuple(aggregates[name] for name in names if name in aggregates),
        rows=tuple(
            replace(
                row,
                metrics={name: row.metrics[name] for name in names if name in columns},
                aggregates={name: row.aggregates[name] for name in names if name in aggregates},
            )
            for row in board.rows
        ),
        unscored=(),
        chosen=True,
    )
