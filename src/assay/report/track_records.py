"""The records of one track's latest run, and what is missing from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from assay.core import AnyTrack, InvalidInput, Metric, Record
from assay.core.display import shell_word
from assay.harness.plan import Cell
from assay.harness.store.store import Run
from assay.harness.store.stored_records import StoredRecords
from assay.harness.store.withdrawals import Withdrawal
from assay.report.tables.lost_cells import Floors, with_lost_cells
from assay.report.wording import cluster_words
from assay.stats import RecordTable, ScoreTable, score_table
from assay.stats.clusters import cluster_codes, cluster_count, cluster_tags
from assay.stats.resampling import IntArray

__all__ = ["TrackRecords"]


@dataclass(frozen=True, kw_only=True)
class TrackRecords:
    """The latest run of one track: the records that are there, in the plan's order, and the cells that are not."""

    track: AnyTrack
    run: Run
    records: Sequence[Record]
    planned: int
    planned_problems: int = 0  # 0 where it is not known, as in an archive
    losses: tuple[tuple[Cell, str], ...] = ()
    floors: Floors = field(default_factory=dict)  # of lost cells, where they are known
    withdrawals: tuple[Withdrawal, ...] = ()

    @property
    def withdrawn(self) -> int:
        """Cells of the plan whose records were withdrawn and not made again."""
        return sum(withdrawal.cells for withdrawal in self.withdrawals)

    @property
    def pending(self) -> int:
        """Cells of the plan that are still to be done; lost cells are among them, withdrawn ones are not."""
        return self.planned - len(self.records) - self.withdrawn

    @property
    def unfinished(self) -> str:
        """How many cells were not run yet, and what to do; empty where there are none."""
        if self.run.decisions is not None:
            return self.run.decisions.sentence()
        remaining = self.pending - len(self.losses)
        if remaining <= 0:
            return ""
        return f"{len(self.records)} of {self.planned} cells done; {remaining} still to do: run the same command again"

    @property
    def defined_problems(self) -> int:
        """On how many problems the headline is defined for anyone."""
        table = self.table
        if self.headline not in table.scores:
            return 0
        defined = ~np.isnan(table.scores[self.headline])
        return int(np.unique(table.labels["problem"].codes[defined]).size)

    @property
    def headline(self) -> str:
        """The metric that orders the leaderboard."""
        return self.track.headline

    def ranked(self) -> Self:
        """The same records, ordered by the first headline of the track that is defined on all problems, or on any."""
        if not self.track.headlines:  # before the table is read, which may be long
            return self
        ranking, scores = (self.track.headline, *self.track.headlines), self.table.scores
        problems = self.table.labels["problem"]
        defined = {name: np.unique(problems.codes[~np.isnan(scores[name])]).size for name in ranking if name in scores}
        name = max(
            defined, key=lambda name: (defined[name] == len(problems.values), defined[name] > 0), default=ranking[0]
        )
        return self if name == ranking[0] else replace(self, track=replace(self.track, headline=name))

    def metric(self, name: str) -> Metric[Any]:
        """The metric of that name, which every record holds; else an error says how to score it."""
        metric = self.track.metric(name)
        if len(self.table) and (name not in self.table.scores or name in self.table.absent):
            raise InvalidInput(
                f"track {self.track.name!r}: the records do not hold {name!r}. Score the stored answers with it: "
                f"assay rescore DIR --metric {name}."
            )
        return metric

    @property
    def needed_code(self) -> tuple[str, ...]:
        """The aggregates of the run whose code is not here, with the options that supply it."""
        names = {aggregate.name for aggregate in self.track.aggregates}
        needed = [facts for facts in self.run.metrics if facts.aggregate and facts.name not in names]
        return tuple(f"{facts.name} (--metric {shell_word(facts.text)})" for facts in needed)

    @cached_property
    def table(self) -> RecordTable:
        """The records as columns; of very many records this is quick, and reading each of them is not."""
        return self.records.table if isinstance(self.records, StoredRecords) else RecordTable.of(self.records)

    def scores(self, metric: str) -> ScoreTable:
        """The scores that places, ranks and comparisons rest on: lost cells as the floor, problems in clusters."""
        facts = self.track.metric(metric)
        worst, best = facts.ends
        return score_table(
            self.cautious_table,
            metric,
            goal=facts.goal,
            clusters=self.track.clusters,
            best=best,
            worst=worst,
        )

    @cached_property
    def clusters(self) -> str:
        """How the problems are taken together, as in ``9 problems in 4 families``; empty where each is alone."""
        codes = cluster_codes(self.table, self.track.clusters) if len(self.table) else None
        if codes is None:
            return ""
        words = cluster_words(codes.size, cluster_count(codes), cluster_tags(self.table, self.track.clusters))
        largest = int(np.bincount(codes).max())
        # an interval rests on few degrees of freedom then, and is wide
        return f"{words}, {largest} of them in one" if codes.size / 3 < largest < codes.size else words

    @cached_property
    def cautious_table(self) -> RecordTable:
        """The table with the floor for every lost cell: what places, ranks and comparisons rest on."""
        return with_lost_cells(self.track, self.table, [cell for cell, _ in self.losses], self.floors)

    def part(self, rows: IntArray, losses: tuple[tuple[Cell, str], ...] = ()) -> Self:
        """The results of these rows of the table and these losses alone, as if nothing else had been planned."""
        records: Sequence[Record]
        if isinstance(self.records, StoredRecords):
            records = self.records.arranged(rows)
        else:
            records = tuple(self.records[row] for row in rows.tolist())
        planned = len(records) + len(losses)
        part = replace(self, records=records, planned=planned, planned_problems=0, losses=losses, withdrawals=())
        vars(part)["table"] = self.table.take(rows)  # quicker than from the records again
        return part

    def where(self, label: str, value: str) -> Self:
        """The results of the rows that have this value alone."""
        return self.part(np.flatnonzero(self.table.labels[label].where(value)))

    @property
    def failed(self) -> tuple[Record, ...]:
        """The records of subjects that failed."""
        return tuple(self.where("status", "failed").records)
