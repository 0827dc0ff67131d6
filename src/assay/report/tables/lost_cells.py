"""Cells that could not be finished, as rows of a table with the scores of a failure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from assay.core import AnyTrack, Record
from assay.harness.plan import Cell
from assay.stats import RecordTable

__all__ = ["Floors", "with_lost_cells"]

Floors = Mapping[str, Mapping[str, float]]  # record key -> metric -> what a failure scores in that cell


def with_lost_cells(track: AnyTrack, table: RecordTable, lost: Sequence[Cell], floors: Floors) -> RecordTable:
    """The table with a row at the floor for every lost cell of a subject that has records; the same table without any.

    The floor is what the run stored with the loss. A store of an earlier release has none: there a floor that does not
    depend on the problem is known; else a failed record on the same problem tells it, else the worst score that anyone
    has there stands in, and on a problem that nobody finished the cell is left out.
    """
    present = frozenset(table.labels["subject"].values)
    cells = [cell for cell in lost if cell.subject.name in present]
    if not cells:
        return table
    return table.with_lost(RecordTable.of([_at_floor(track, table, cell, floors) for cell in cells]))


def _at_floor(track: AnyTrack, table: RecordTable, cell: Cell, floors: Floors) -> Record:
    stored = floors.get(cell.record_key, {})
    return cell.record(
        status="failed",
        scores={
            name: stored[name] if name in stored else _derived_floor(track, table, cell, name) for name in table.scores
        },
    )


def _derived_floor(track: AnyTrack, table: RecordTable, cell: Cell, name: str) -> float:
    metric = next((metric for metric in track.metrics if metric.name == name), None)
    if metric is None:
        return math.nan
    if not callable(metric.floor):
        return float(metric.floor)
    there = table.labels["problem_digest"].where(cell.problem_digest)
    if (failed := there & table.failed).any():
        return float(table.scores[name][failed][0])
    scores = table.scores[name][there]
    defined = scores[~np.isnan(scores)]
    if not defined.size:
        return math.nan
    return float(defined.min() if metric.goal == "max" else defined.max())
