"""The leaderboard of one track: a line per subject, best first by the headline."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from assay.core import Aggregate, Goal, Interval, InvalidInput, Metric, Record, UnknownName
from assay.report.results import TrackResults
from assay.stats import SubjectSummary, rank_ranges, score_table, summarise

__all__ = ["Leaderboard", "MetricColumn", "Standing", "leaderboard"]


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


def leaderboard(
    results: TrackResults,
    *,
    metrics: Sequence[str] | None = None,
    confidence: float = 0.95,
    seed: int = 0,
    resamples: int = 2000,
) -> Leaderboard:
    """Every subject with its means, counts and places; ties stand in the order of names.

    ``metrics`` chooses the columns beside the headline, aggregates among them; by default there are all.
    """
    chosen, aggregates = _choose(results, metrics)
    # arrival order must not move a digit
    records = sorted(results.records, key=lambda record: (record.subject, record.problem, record.seed, record.key))
    scored = [metric for metric in chosen if all(metric.name in record.scores for record in records)]
    if records and results.track.metric(results.headline) not in scored:
        raise InvalidInput(
            f"track {results.track.name!r}: the stored records are older than its headline {results.headline!r}. "
            "Score the stored answers again: assay rescore."
        )
    rows: tuple[Standing, ...] = ()
    if records:
        tables = {metric.name: score_table(records, metric.name, goal=metric.goal) for metric in scored}
        summaries = {
            name: {
                summary.subject: summary
                for summary in summarise(table, confidence=confidence, resamples=resamples, seed=seed)
            }
            for name, table in tables.items()
        }
        across = {aggregate.name: aggregate.function(records) for aggregate in aggregates}
        places = rank_ranges(tables[results.headline], confidence=confidence, resamples=resamples, seed=seed)
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
                median_seconds=_median_seconds(records, place.subject),
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


def _median_seconds(records: Sequence[Record], subject: str) -> float:
    taken = [record.seconds for record in records if record.subject == subject and record.isolation != "ready"]
    return median(taken) if taken else math.nan
