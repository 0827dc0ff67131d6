"""Stored answers examined again with today's metrics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from assay.core import AnyTrack, InvalidInput, get_track
from assay.core.files.near import near_path
from assay.harness.driver.driver import Driver, Orders
from assay.harness.driver.progress import Progress
from assay.harness.driver.result import RunResult
from assay.harness.metric_facts import IMPORTED, facts_of, is_member
from assay.harness.metric_loading import resolve_metrics
from assay.harness.metric_ref import MetricRef, demand_metric_apart, resolve_metric
from assay.harness.plan import Cell, Plan, record_key
from assay.harness.runners import Lost, Runner
from assay.harness.store.lock import locked
from assay.harness.store.store import Run, Store

__all__ = ["rescore"]


def rescore(
    out: Path,
    *,
    metrics: Sequence[str] = (),
    folder: Path | None = None,
    workers: int = 1,
    runner: Runner | None = None,
    progress: Progress | None = None,
) -> RunResult:
    """Examine the stored answers of the latest plans with today's metrics; no subject is called.

    ``metrics`` are further ones, as in a :class:`RunSpec`; relative paths start at ``folder``. Those of families that
    the plans have are kept; code from outside must be named again, since a results folder never says what to import.
    """
    if not out.is_dir():
        raise InvalidInput(f"{out}: results folder not found.{near_path(out)}")
    with Store(out):  # a clear error before anything is written
        pass
    with locked(out), Store(out) as store:
        plans, tracks, left_out, lost = [], {}, [], []
        latest_runs = store.latest_runs()
        chosen = _metrics_by_track(latest_runs, metrics, folder)
        for latest in latest_runs:
            refs, track = chosen[latest.track]
            for ref in refs:
                demand_metric_apart(ref, [out.resolve()])
            cells = tuple(_current(cell, track, refs) for cell in store.cells(latest.id))
            for cell, reason in store.losses(latest.id):
                current = _current(cell, track, refs)
                store.commit_loss(current, reason)  # lost under its new key, too
                if current.record_key != cell.record_key:
                    lost.append(Lost(current, reason))
            facts = facts_of(refs, track)
            unnamed = [old for old in latest.metrics if old.name not in {new.name for new in facts}]
            facts += tuple(old for old in unnamed if old.aggregate)  # tables say how to get them
            left_out += [old for old in unnamed if not old.aggregate]
            plans.append(Plan(track=latest.track, settings=latest.settings, cells=cells, metrics=facts))
            tracks[latest.track] = track
        orders = Orders(solve=False, workers=workers, runner=runner, progress=progress)
        result = Driver(store, tuple(plans), out, tracks, orders).run(left_out=tuple(left_out), lost_before=lost)
        for latest in latest_runs:  # a run that stopped early stays one, whatever its records are scored with
            store.decide(result.runs[latest.track], latest.decisions)
        return result


_Chosen: TypeAlias = tuple[tuple[MetricRef, ...], AnyTrack]


def _metrics_by_track(latest_runs: Sequence[Run], metrics: Sequence[str], folder: Path | None) -> dict[str, _Chosen]:
    """Of each track the metrics beside its own; with several tracks a metric goes to those that understand its name."""
    chosen: dict[str, _Chosen] = {}
    understood: set[str] = set()
    errors: dict[str, InvalidInput] = {}
    for latest in latest_runs:
        if latest.track.endswith(IMPORTED):
            raise InvalidInput(f"track {latest.track!r}: imported scores have no answers to score again.")
        track = get_track(latest.track)
        family_names = [facts.name for facts in latest.metrics if not facts.aggregate and is_member(track, facts)]
        texts = []
        for text in metrics:
            try:
                resolve_metric(text, track, folder=folder)
            except InvalidInput as error:
                errors[text] = error
            else:
                understood.add(text)
                texts.append(text)
        chosen[latest.track] = resolve_metrics([*family_names, *texts], track, folder=folder)
    for text in metrics:
        if text not in understood and text in errors:
            raise errors[text]
    return chosen


def _current(cell: Cell, track: AnyTrack, refs: tuple[MetricRef, ...]) -> Cell:
    key = record_key(cell.answer_key, track.versions(), cell.settings, track.sources())
    return replace(cell, record_key=key, metrics=refs)
