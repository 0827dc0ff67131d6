"""The statistics of one track that reports show, each computed once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from assay.report.tables.leaderboard import leaderboard
from assay.report.tables.pairs import Pairs, subject_pairs
from assay.report.tables.standings import Leaderboard
from assay.report.track_records import TrackRecords

__all__ = ["TrackSummary"]


@dataclass(frozen=True, kw_only=True)
class TrackSummary:
    """The records of a track with their leaderboard and comparisons, computed when they are first asked for."""

    results: TrackRecords
    confidence: float = 0.95
    seed: int = 0
    resamples: int = 2000

    @property
    def bootstrap(self) -> dict[str, Any]:
        """The options of everything that is resampled."""
        return {"confidence": self.confidence, "seed": self.seed, "resamples": self.resamples}

    @cached_property
    def board(self) -> Leaderboard:
        """The leaderboard with all metrics."""
        return leaderboard(self.results, **self.bootstrap)

    @cached_property
    def pairs(self) -> Pairs:
        """Every two subjects on the headline."""
        return subject_pairs(self.results, self.board, **self.bootstrap)
