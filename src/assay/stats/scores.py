"""From records to a table: one number per subject and problem, and how many records stand behind it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np

from assay.core import Goal, InvalidInput, Record, UnknownName
from assay.core.arrays import BoolArray
from assay.stats.clusters import cluster_codes
from assay.stats.record_table import RecordTable
from assay.stats.resampling import FloatArray, IntArray

__all__ = ["ScoreTable", "floor_means", "metric_scores", "score_table"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoreTable:
    """One metric of one run: rows are subjects, columns problems, both sorted by name; a cell is a mean over seeds.

    In ``with_floor`` failed records and lost cells count with the floor they carry; ``finished`` leaves out what was
    lost, and ``scored_only`` what failed as well. Undefined scores (nan) are left out of all; a cell with nothing left
    is nan. The counts are per subject: ``cells`` all its records, ``failed`` those that failed, ``undefined`` those
    with a nan score (a record may be both), and beside them ``lost``, its cells without a record. Ranks and
    comparisons rest on ``with_floor``, so that nobody gains by losing cells.

    ``clusters`` has a number for each problem: those with the same one resemble each other and are resampled together.
    It is None where no two problems do. ``best`` and ``worst`` are the ends of what the metric
    gives, where they are known.
    """

    metric: str
    goal: Goal
    subjects: tuple[str, ...]
    problems: tuple[str, ...]
    with_floor: FloatArray
    finished: FloatArray
    scored_only: FloatArray
    cells: IntArray
    failed: IntArray
    undefined: IntArray
    lost: IntArray
    clusters: IntArray | None = None
    best: float | None = None
    worst: float | None = None

    def __post_init__(self) -> None:
        if self.goal not in get_args(Goal):
            raise UnknownName("goal", self.goal, get_args(Goal))
        counts = (self.cells, self.failed, self.undefined, self.lost)
        for array in (self.with_floor, self.finished, self.scored_only, *counts):
            array.setflags(write=False)
        if self.clusters is not None:
            self.clusters.setflags(write=False)

    def row(self, subject: str) -> int:
        """The row of a subject."""
        if subject not in self.subjects:
            raise UnknownName("subject", subject, self.subjects)
        return self.subjects.index(subject)


def score_table(
    records: Iterable[Record] | RecordTable,
    metric: str,
    *,
    goal: Goal = "max",
    clusters: Sequence[str] = (),
    best: float | None = None,
    worst: float | None = None,
) -> ScoreTable:
    """The scores of one metric, averaged over seeds.

    ``clusters`` are tags: problems with the same value of the first that they have are resampled together. ``best``
    and ``worst`` are the ends of what the metric gives: no interval of a mean goes beyond one that no score exceeds.

    A subject without any record on a problem has nan there: a cell that was never run is not a failed one.

    >>> def record(problem, seed, score):
    ...     return Record(key="", answer_key="", track="cases", problem=problem, problem_digest="", subject="knn",
    ...                   subject_digest="", seed=seed, status="ok", scores={"auroc": score})
    >>> table = score_table([record("iris", 1, 0.5), record("iris", 0, 1.0), record("wine", 0, 0.25)], "auroc")
    >>> table.problems, table.with_floor.tolist()
    (('iris', 'wine'), [[0.75, 0.25]])
    """
    table = records if isinstance(records, RecordTable) else RecordTable.of(records)
    scores, failed, lost = metric_scores(table, metric), table.failed, table.lost
    subjects = table.labels["subject"].values
    problems = table.labels["problem"].values
    defined = ~np.isnan(scores)
    with_floor = _cell_means(table, scores, defined)
    finished = _cell_means(table, scores, defined & ~lost) if lost.any() else with_floor
    return ScoreTable(
        metric=metric,
        goal=goal,
        subjects=subjects,
        problems=problems,
        with_floor=with_floor,
        finished=finished,
        scored_only=_cell_means(table, scores, defined & ~failed & ~lost) if failed.any() else finished.copy(),
        cells=_per_subject(table, ~lost),
        failed=_per_subject(table, failed),
        undefined=_per_subject(table, ~defined & ~lost),
        lost=_per_subject(table, lost),
        clusters=cluster_codes(table, clusters),
        best=best,
        worst=worst,
    )


def floor_means(table: RecordTable, metric: str) -> FloatArray:
    """``with_floor`` of the score table alone."""
    scores = metric_scores(table, metric)
    return _cell_means(table, scores, ~np.isnan(scores))


def _per_subject(table: RecordTable, rows: BoolArray) -> IntArray:
    subjects, codes = table.labels["subject"]
    return np.bincount(codes[rows], minlength=len(subjects))


def metric_scores(table: RecordTable, metric: str) -> FloatArray:
    """The scores of each record; an error where a record lacks them, or two are of the same cell and seed."""
    if len(table) and (metric not in table.scores or metric in table.absent):
        raise _lacking(table, metric)
    _refuse_twins(table)
    return table.scores.get(metric, table.seconds)


def _cell_means(table: RecordTable, scores: FloatArray, used: BoolArray) -> FloatArray:
    """Means per cell, nan where no row is used; equal scores give equal digits, in any order of seeds."""
    shape = len(table.labels["subject"].values), len(table.labels["problem"].values)
    size = shape[0] * shape[1]
    means = np.full(size, np.nan)
    if table.one_per_cell:
        if used.all():
            means[table.cells] = scores
        else:
            means[table.cells[used]] = scores[used]
        return np.reshape(means, shape)
    for cells, rows in table.groups if used.all() else table.grouped(table.by_cell[used[table.by_cell]]):
        together = np.sort(scores[rows], axis=1)
        # summed as distances from the cell's smallest score, so that equal scores have exactly themselves as mean
        smallest = np.where(np.isfinite(together[:, 0]), together[:, 0], 0.0)
        with np.errstate(over="ignore", invalid="ignore"):  # the outcome says it: an infinite mean, or none
            means[cells] = smallest + (together - smallest[:, np.newaxis]).sum(axis=1) / rows.shape[1]
    return np.reshape(means, shape)


def _refuse_twins(table: RecordTable) -> None:
    if table.twins is not None:
        twin, other = table.twins
        keys = " and ".join(repr(key) for key in sorted((table.key(twin), table.key(other))))
        raise InvalidInput(
            f"two records (keys {keys}) of {_place(table, twin)}: keep one; "
            "an edited subject or problem, or other settings, belong into a table of their own."
        )


def _lacking(table: RecordTable, metric: str) -> UnknownName:
    """The error for a metric that is missing everywhere, or in some record, which is then named."""
    if metric not in table.scores:
        return UnknownName("metric", metric, table.scores)
    lacking = np.flatnonzero(table.absent[metric]).tolist()
    first = min(lacking, key=lambda row: (table.label("subject", row), table.label("problem", row), table.seed(row)))
    available = [name for name in table.scores if not (name in table.absent and table.absent[name][first])]
    return UnknownName(f"metric in the record of {_place(table, first)}", metric, available)


def _place(table: RecordTable, row: int) -> str:
    subject, problem = table.label("subject", row), table.label("problem", row)
    return f"subject {subject!r} on problem {problem!r} with seed {table.seed(row)}"
