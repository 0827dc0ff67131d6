"""The leaderboard of one track: a line per subject, best first by the headline, lost cells as the floor."""

from __future__ import annotations

import math
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from assay.core import Aggregate, AnyTrack, InvalidInput, Metric, Record, UnknownName, plain
from assay.core.arrays import BoolArray
from assay.core.files.digest import Json
from assay.core.metric import Flag
from assay.harness.store.stored_records import StoredRecords
from assay.report.tables.cache import cached_board
from assay.report.tables.counts import counted_details
from assay.report.tables.standings import Leaderboard, MetricColumn, Standing
from assay.report.track_records import TrackRecords
from assay.stats import RecordTable, rank_ranges, summarise_all, tiers
from assay.stats.sequential.decisions import decided_tiers

__all__ = ["leaderboard", "solved_here"]

REFERENCE = "examiner"  # the isolation of built-in subjects that are given the truth
READY, IMPORTED = "ready", "imported"  # the isolation of answers and scores that were given as files
_NO_COST = ("examine_seconds", "peak_memory_mb")  # Assay's own time, and a maximum, which cannot be summed


def leaderboard(
    results: TrackRecords,
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

    def compute() -> Leaderboard:
        return _computed(results, metrics, confidence, seed, resamples)

    if not isinstance(results.records, StoredRecords):
        return compute()
    track = results.track
    options: list[Json] = [None if metrics is None else list(metrics), confidence, seed, resamples]
    lost: list[Json] = [[cell.record_key, plain(results.floors.get(cell.record_key))] for cell, _ in results.losses]
    own: list[Json] = [dict(track.sources()), [entry.source for entry in track.aggregates], *results.needed_code]
    own += [list(track.counts), list(track.clusters)]
    identity: list[Json] = [
        results.records.digest,
        track.name,
        dict(track.versions()),
        track.headline,
        lost,
        options,
        own,
        results.unfinished,
    ]
    return cached_board(results.records.folder, identity, compute)


def _computed(
    results: TrackRecords, metrics: Sequence[str] | None, confidence: float, seed: int, resamples: int
) -> Leaderboard:
    chosen, aggregates = _choose(results, metrics)
    table = results.table
    scored = [metric for metric in chosen if not len(table) or _is_complete(table, metric.name)]
    if len(table) and results.track.metric(results.headline) not in scored:
        raise InvalidInput(
            f"track {results.track.name!r}: the stored records are older than its headline {results.headline!r}. "
            "Score the stored answers again: assay rescore."
        )
    rows: tuple[Standing, ...] = ()
    if len(table):
        tables = {metric.name: results.scores(metric.name) for metric in scored}
        every = summarise_all(list(tables.values()), confidence=confidence, resamples=resamples, seed=seed)
        summaries = {
            name: {summary.subject: summary for summary in column} for name, column in zip(tables, every, strict=True)
        }
        across = _across(results, aggregates)
        places = rank_ranges(tables[results.headline], confidence=confidence, resamples=resamples, seed=seed)
        own = _by_subject(table)
        leak, undecided = _metric_that_flags(results.track, "leak"), _metric_that_flags(results.track, "undecided")
        references = {name for name, part in own.items() if part.labels["isolation"].where(REFERENCE).all()}
        headline = summaries[results.headline]
        contenders = [
            place.subject
            for place in places
            if place.subject not in references and not math.isnan(headline[place.subject].lost_as_floor.value)
        ]
        decisions = results.run.decisions
        numbers = (
            tiers(tables[results.headline], contenders, seed=seed)
            if decisions is None or decisions.metric != results.headline
            else decided_tiers(decisions, contenders)  # tests for a number that was fixed beforehand would be too sure
        )
        tier = dict(zip(contenders, numbers, strict=True))
        counts: dict[str, dict[str, int]] = {}
        for counted in counted_details(results):
            counts.setdefault(counted.subject, {})[counted.title] = counted.total
        costs = {name: _costs(part) for name, part in own.items()}
        rows = tuple(
            Standing(
                subject=place.subject,
                place=place.place,
                best_place=place.best,
                worst_place=place.worst,
                mean_rank=headline[place.subject].mean_rank,
                metrics={name: by_subject[place.subject] for name, by_subject in summaries.items()},
                aggregates={name: values.get(place.subject, math.nan) for name, values in across.items()},
                cells=headline[place.subject].cells,
                failed=headline[place.subject].failed,
                lost=headline[place.subject].lost,
                median_seconds=_median_seconds(own[place.subject]),
                leaks=_flagged(own[place.subject], leak),
                unchecked=_unchecked(own[place.subject], leak),
                undecided=_flagged(own[place.subject], undecided),
                costs={kind: math.fsum(amounts) for kind, amounts in costs[place.subject].items()},
                mean_costs={kind: math.fsum(amounts) / len(amounts) for kind, amounts in costs[place.subject].items()},
                counts=counts.get(place.subject, {}),
                reference=place.subject in references,
                tier=tier.get(place.subject),
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
        needed_code=results.needed_code,
        unfinished=results.unfinished,
        stopped="" if results.run.decisions is None else results.run.decisions.sentence(),
        chosen=metrics is not None,
        clusters=results.clusters,
    )


def _choose(
    results: TrackRecords, metrics: Sequence[str] | None
) -> tuple[tuple[Metric[object], ...], tuple[Aggregate, ...]]:
    """The metrics, headline first, and the aggregates that become columns."""
    track = results.track
    names = [metric.name for metric in track.metrics]
    across = {aggregate.name: aggregate for aggregate in track.aggregates}
    requested = [*names, *across] if metrics is None else list(metrics)
    for name in requested:
        if name not in names and name not in across:
            if any(family.of(name) is not None for family in track.families):
                results.metric(name)  # says how to come by it
            raise UnknownName("metric", name, [*track.metric_names(), *across])
    ordered = dict.fromkeys([track.headline, *requested])
    return (
        tuple(track.metric(name) for name in ordered if name in names),
        tuple(across[name] for name in ordered if name not in names),
    )


def _is_complete(table: RecordTable, metric: str) -> bool:
    """Whether every record has this metric."""
    return metric in table.scores and metric not in table.absent


def _across(results: TrackRecords, aggregates: Sequence[Aggregate]) -> dict[str, Mapping[str, float]]:
    """What each aggregate says; it gets the records in one order, so that arrival moves no digit."""
    if not aggregates:
        return {}
    table = results.table
    seeds = table.labels["seed"]
    sizes = np.array([int(value) for value in seeds.values], dtype=object)  # seeds may be larger than any array holds
    by_size = np.argsort(np.argsort(sizes, kind="stable"), kind="stable")
    order = np.lexsort((by_size[seeds.codes], table.labels["problem"].codes, table.labels["subject"].codes))
    records = results.part(order).records
    return {aggregate.name: _values(aggregate, records) for aggregate in aggregates}


def _values(aggregate: Aggregate, records: Sequence[Record]) -> dict[str, float]:
    """The value of each subject; an aggregate from outside that breaks is named."""
    try:
        return {subject: float(value) for subject, value in aggregate.function(records).items()}
    except InvalidInput:
        raise
    except Exception as error:
        if not aggregate.source:
            raise
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = "" if last.filename == __file__ else f" ({Path(last.filename).name}, line {last.lineno})"
        raise InvalidInput(
            f"aggregate {aggregate.name!r}: raised {type(error).__name__}: {error}{place}. It must give a number for "
            "each subject, as in {'oracle': 1.0}."
        ) from error


def _by_subject(table: RecordTable) -> dict[str, RecordTable]:
    subjects, codes = table.labels["subject"]
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=len(subjects)))
    return {subject: table.take(rows) for subject, rows in zip(subjects, np.split(order, ends[:-1]), strict=True)}


def solved_here(table: RecordTable) -> BoolArray:
    """The rows of subjects that ran, within a budget, and did not bring their answers or scores along."""
    isolation = table.labels["isolation"]
    return ~(isolation.where(READY) | isolation.where(IMPORTED))


def _median_seconds(table: RecordTable) -> float:
    seconds = table.seconds[solved_here(table)]
    return float(np.median(seconds)) if seconds.size else math.nan


def _metric_that_flags(track: AnyTrack, flag: Flag) -> str | None:
    """The metric that says of an answer that it leaks, or that no verdict was reached; None where there is none."""
    return next((metric.name for metric in track.metrics if metric.flag == flag), None)


def _flagged(table: RecordTable, metric: str | None) -> int | None:
    """How many answers have this flag; failed answers, scored at the floor, do not count."""
    if metric is None or metric not in table.scores or (metric in table.absent and table.absent[metric].all()):
        return None
    return int(np.sum((table.scores[metric] > 0) & ~table.failed))


def _unchecked(table: RecordTable, leak: str | None) -> int:
    """How many answers have no verdict on leaks though the track looks for them."""
    if leak is None or leak not in table.scores:
        return 0
    undefined = np.isnan(table.scores[leak])
    return int(np.sum(undefined & ~table.absent[leak] if leak in table.absent else undefined))


def _costs(table: RecordTable) -> dict[str, list[float]]:
    """What the cells report as used, by kind; kinds that none reports are left out."""
    amounts = {kind: table.costs[kind] for kind in sorted(table.costs) if kind not in _NO_COST}
    reported = {kind: amount[~np.isnan(amount)].tolist() for kind, amount in amounts.items()}
    return {kind: amount for kind, amount in reported.items() if amount}
