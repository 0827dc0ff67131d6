"""The leaderboard of one track: a line per subject, best first by the headline."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from assay.core import Aggregate, Goal, Interval, InvalidInput, Metric, UnknownName
from assay.core.digest import Json
from assay.report.results import TrackResults
from assay.report.tables.cache import cached_board
from assay.stats import RecordTable, SubjectSummary, rank_ranges, score_table, summarise_all

__all__ = ["LEAK", "REFERENCE", "UNDECIDED", "Leaderboard", "MetricColumn", "Standing", "leaderboard"]

LEAK = "target_leak"  # the metric that says whether an answer was made with what it must not know
UNDECIDED = "undecided"  # the metric that says whether a verdict could not be reached
REFERENCE = "examiner"  # the isolation of built-in subjects that are given the truth
READY = "ready"  # the isolation of answers that were given as files: nothing was solved here
_NO_COST = ("examine_seconds", "peak_memory_mb")  # Assay's own time, and what does not add up


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricColumn:
    """A metric or an aggregate as a column."""

    name: str
    goal: Goal
    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One subject. Place, its range over resampled problems, and mean rank are those of the headline.

    ``metrics`` holds a summary per metric: the mean with failures as the floor, the mean of what was scored, the
    numbers of problems behind both, failed and undefined records.
    """

    subject: str
    place: int
    best_place: int
    worst_place: int
    mean_rank: float
    metrics: Mapping[str, SubjectSummary]
    aggregates: Mapping[str, float]
    cells: int
    failed: int
    median_seconds: float  # nan when nothing was solved here, as with ready answers
    leaks: int | None = None  # answers that leak; None where the track does not look for leaks
    unchecked: int = 0  # answers that no leak check has seen
    undecided: int | None = None  # answers without a verdict; None where the track always reaches one
    costs: Mapping[str, float] = field(default_factory=dict)  # totals over the cells
    reference: bool = False  # it was given the truth: a mark to measure by, not a contender

    def mean(self, metric: str) -> Interval:
        """The mean of a metric, failures as the floor."""
        return self.metrics[metric].mean


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaderboard:
    """All standings of one track; the headline is the first of the columns."""

    track: str
    headline: str
    columns: tuple[MetricColumn, ...]
    aggregates: tuple[MetricColumn, ...]
    rows: tuple[Standing, ...]
    confidence: float
    unscored: tuple[str, ...] = ()  # metrics that the records do not hold: newer than they are

    @property
    def any_failed(self) -> bool:
        """Whether means with and without failures can differ."""
        return any(row.failed for row in self.rows)

    @property
    def contenders(self) -> tuple[Standing, ...]:
        """The subjects that were not given the truth, best first."""
        return tuple(row for row in self.rows if not row.reference)

    def tied(self, row: Standing) -> bool:
        """Whether another subject stands on the same place."""
        return sum(other.place == row.place for other in self.rows) > 1

    def _repr_html_(self) -> str:
        """As a notebook shows it."""
        from assay.report.export.notebook import leaderboard_html

        return leaderboard_html(self)


def leaderboard(
    results: TrackResults,
    *,
    metrics: Sequence[str] | None = None,
    confidence: float = 0.95,
    seed: int = 0,
    resamples: int = 2000,
) -> Leaderboard:
    """Every subject with its means, counts and places; ties stand in the order of names.

    ``metrics`` chooses the columns beside the headline, aggregates among them; by default there are all. Of very many
    stored records the leaderboard is kept in the results folder, and the next call is quick.
    """
    from assay.harness.store.stored_records import StoredRecords

    def compute() -> Leaderboard:
        return _computed(results, metrics, confidence, seed, resamples)

    if not isinstance(results.records, StoredRecords):
        return compute()
    track = results.track
    asked: list[Json] = [None if metrics is None else list(metrics), confidence, seed, resamples]
    identity: list[Json] = [results.records.digest, track.name, dict(track.versions()), track.headline, asked]
    return cached_board(results.records.folder, identity, compute)


def _computed(
    results: TrackResults, metrics: Sequence[str] | None, confidence: float, seed: int, resamples: int
) -> Leaderboard:
    chosen, aggregates = _choose(results, metrics)
    table = results.table
    scored = [metric for metric in chosen if not len(table) or _held(table, metric.name)]
    if len(table) and results.track.metric(results.headline) not in scored:
        raise InvalidInput(
            f"track {results.track.name!r}: the stored records are older than its headline {results.headline!r}. "
            "Score the stored answers again: assay rescore."
        )
    rows: tuple[Standing, ...] = ()
    if len(table):
        tables = {metric.name: score_table(table, metric.name, goal=metric.goal) for metric in scored}
        every = summarise_all(list(tables.values()), confidence=confidence, resamples=resamples, seed=seed)
        summaries = {
            name: {summary.subject: summary for summary in found} for name, found in zip(tables, every, strict=True)
        }
        across = _across(results, aggregates)
        places = rank_ranges(tables[results.headline], confidence=confidence, resamples=resamples, seed=seed)
        own = _by_subject(table)
        rows = tuple(
            Standing(
                subject=place.subject,
                place=place.place,
                best_place=place.best,
                worst_place=place.worst,
                mean_rank=summaries[results.headline][place.subject].mean_rank,
                metrics={name: by_subject[place.subject] for name, by_subject in summaries.items()},
                aggregates={name: float(values.get(place.subject, math.nan)) for name, values in across.items()},
                cells=summaries[results.headline][place.subject].cells,
                failed=summaries[results.headline][place.subject].failed,
                median_seconds=_median_seconds(own[place.subject]),
                leaks=_flagged(own[place.subject], LEAK),
                unchecked=_unchecked(own[place.subject]),
                undecided=_flagged(own[place.subject], UNDECIDED),
                costs=_costs(own[place.subject]),
                reference=bool(own[place.subject].labels["isolation"].where(REFERENCE).all()),
            )
            for place in places
        )
    return Leaderboard(
        track=results.track.name,
        headline=results.headline,
        columns=tuple(MetricColumn(name=m.name, goal=m.goal, summary=m.summary) for m in scored),
        aggregates=tuple(MetricColumn(name=a.name, goal=a.goal, summary=a.summary) for a in aggregates),
        rows=rows,
        confidence=confidence,
        unscored=tuple(metric.name for metric in chosen if metric not in scored),
    )


def _choose(
    results: TrackResults, metrics: Sequence[str] | None
) -> tuple[tuple[Metric[object], ...], tuple[Aggregate, ...]]:
    """The metrics, headline first, and the aggregates that become columns."""
    track = results.track
    names = [metric.name for metric in track.metrics]
    across = {aggregate.name: aggregate for aggregate in track.aggregates}
    wanted = [*names, *across] if metrics is None else list(metrics)
    for name in wanted:
        if name not in names and name not in across:
            raise UnknownName("metric", name, [*names, *across])
    ordered = dict.fromkeys([track.headline, *wanted])
    return (
        tuple(track.metric(name) for name in ordered if name in names),
        tuple(across[name] for name in ordered if name not in names),
    )


def _held(table: RecordTable, metric: str) -> bool:
    """Whether every record has this metric."""
    return metric in table.scores and metric not in table.absent


def _across(results: TrackResults, aggregates: Sequence[Aggregate]) -> dict[str, Mapping[str, float]]:
    """What each aggregate says; it gets the records in one order, so that arrival moves no digit."""
    if not aggregates:
        return {}
    table = results.table
    seeds = table.labels["seed"]
    sizes = np.array([int(value) for value in seeds.values], dtype=object)  # seeds may be larger than any array holds
    by_size = np.argsort(np.argsort(sizes, kind="stable"), kind="stable")
    order = np.lexsort((by_size[seeds.codes], table.labels["problem"].codes, table.labels["subject"].codes))
    records = results.part(order).records
    return {aggregate.name: aggregate.function(records) for aggregate in aggregates}


def _by_subject(table: RecordTable) -> dict[str, RecordTable]:
    subjects, codes = table.labels["subject"]
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=len(subjects)))
    return {subject: table.take(rows) for subject, rows in zip(subjects, np.split(order, ends[:-1]), strict=True)}


def _median_seconds(table: RecordTable) -> float:
    taken = table.seconds[~table.labels["isolation"].where(READY)]
    return float(np.median(taken)) if taken.size else math.nan


def _flagged(table: RecordTable, metric: str) -> int | None:
    """How many answers have this flag; a failed one, scored at the floor, was not seen to have it."""
    if metric not in table.scores or (metric in table.absent and table.absent[metric].all()):
        return None
    return int(np.sum((table.scores[metric] > 0) & ~table.failed))


def _unchecked(table: RecordTable) -> int:
    """How many answers have no verdict on leaks though the track looks for them."""
    if LEAK not in table.scores:
        return 0
    undefined = np.isnan(table.scores[LEAK])
    return int(np.sum(undefined & ~table.absent[LEAK] if LEAK in table.absent else undefined))


def _costs(table: RecordTable) -> dict[str, float]:
    """What was used in total, by kind; an exact sum, so that equal records give equal digits."""
    amounts = {kind: table.costs[kind] for kind in sorted(table.costs) if kind not in _NO_COST}
    reported = {kind: amount[~np.isnan(amount)] for kind, amount in amounts.items()}
    return {kind: math.fsum(amount.tolist()) for kind, amount in reported.items() if amount.size}
