"""A subject now and in an earlier run, paired over the problems and seeds that both runs have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from assay.core import InvalidInput
from assay.core.display import counted
from assay.report.gates.gate import NotWorse
from assay.report.track_records import TrackRecords
from assay.stats import Comparison, RecordTable, ScoreTable, compare, score_table
from assay.stats.record_table import decode_label

__all__ = ["Pairing", "paired"]

_NOW, _EARLIER = "now", "earlier"


class Pairing(NamedTuple):
    """The comparison, how many seeds stand behind it, and what of the earlier run is not in it, in words."""

    comparison: Comparison
    seeds: int
    omitted: str


def paired(
    entry: TrackRecords, earlier: TrackRecords, subject: str, metric: str, gate: NotWorse, *, folder: Path
) -> Pairing:
    """Compare a subject with itself in an earlier run: same problems by content, same seeds, same scoring."""
    where = f"{gate.place}: {gate.baseline.folder}"
    _demand_other_run(entry, earlier, gate, folder, where)
    _demand_same_scoring(entry, earlier, metric, where)
    goal = entry.metric(metric).goal
    whole = [results.cautious_table for results in (entry, earlier)]
    tables = [table.take(np.flatnonzero(table.labels["subject"].where(subject))) for table in whole]
    keys = [_keys(table) for table in tables]
    common = set(keys[0]) & set(keys[1])
    if not common:
        raise InvalidInput(
            f"{where}: no problem and seed in common with this run for subject {subject!r}. A changed problem is "
            "another problem: run both on the same folder of problems, with the same seeds."
        )
    parts = [
        table.take(np.array([row for row, key in enumerate(own) if key in common], dtype=np.int64))
        for table, own in zip(tables, keys, strict=True)
    ]
    _demand_same_versions(parts[0], parts[1], metric, where)
    now, before = (score_table(part, metric, goal=goal, clusters=entry.track.clusters) for part in parts)
    comparison = compare(_together(now, before), _NOW, _EARLIER, confidence=gate.confidence)
    problems = {problem for problem, _, _ in common}
    notes = []
    if missing := len({problem for problem, _, _ in keys[1]} - problems):
        notes.append(f"{missing} of the earlier run not here or changed")
    if undefined := len(problems) - comparison.problems:
        notes.append(f"{counted(undefined, 'problem')} left out as undefined")
    omitted = f" ({', '.join(notes)})" if notes else ""
    return Pairing(comparison, len({seed for _, _, seed in common}), omitted)


def _keys(table: RecordTable) -> list[tuple[str, str, str]]:
    """Of each row the problem, its content and the seed."""
    columns = [table.labels[name] for name in ("problem", "problem_digest", "seed")]
    return list(zip(*([column.values[code] for code in column.codes] for column in columns), strict=True))


def _together(now: ScoreTable, before: ScoreTable) -> ScoreTable:
    """Both rows in one table: score tables are sorted by problem, and both hold the same ones."""
    arrays: dict[str, Any] = {
        name: np.concatenate([getattr(now, name), getattr(before, name)])
        for name in ("with_floor", "finished", "scored_only", "cells", "failed", "undefined", "lost")
    }
    return replace(now, subjects=(_NOW, _EARLIER), **arrays)


def _demand_other_run(entry: TrackRecords, earlier: TrackRecords, gate: NotWorse, folder: Path, where: str) -> None:
    """An earlier run of the same folder is fine; the run itself would never be worse than itself."""
    if entry.run.id == earlier.run.id and gate.baseline.folder.resolve() == folder.resolve():
        raise InvalidInput(f"{where}: this is the run itself. Name the results folder of an earlier one.")


def _demand_same_scoring(entry: TrackRecords, earlier: TrackRecords, metric: str, where: str) -> None:
    if entry.track.sources().get(metric) != earlier.track.sources().get(metric):
        raise InvalidInput(f"{where}: scored by another state of {metric!r}. Score it again: assay rescore --metric.")
    mine, theirs = dict(entry.run.settings), dict(earlier.run.settings)
    for name in sorted({*mine, *theirs}):
        if mine.get(name) != theirs.get(name):
            raise InvalidInput(
                f"{where}: other settings than in this run ({name} = {theirs.get(name)!r} there, {mine.get(name)!r} "
                "here). Scores under different settings cannot be compared."
            )


def _demand_same_versions(now: RecordTable, before: RecordTable, metric: str, where: str) -> None:
    mine, theirs = _versions(now, metric), _versions(before, metric)
    if mine and theirs and mine != theirs:
        raise InvalidInput(f"{where}: {metric!r} was scored by another version. Score it again: assay rescore DIR.")


def _versions(table: RecordTable, metric: str) -> set[tuple[object, object]]:
    """Of examination and metric; rows of lost cells have none."""
    mappings = [decode_label("versions", value) for value in table.labels["versions"].values]
    return {(versions.get("examine"), versions[metric]) for versions in mappings if metric in versions}
