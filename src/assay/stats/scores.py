"""From records to a table: one number per subject and problem, and how many records stand behind it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from assay.core import Goal, InvalidInput, Record, UnknownName
from assay.stats.resampling import FloatArray, IntArray

__all__ = ["ScoreTable", "score_table"]

LabelT = TypeVar("LabelT", str, int)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoreTable:
    """One metric of one run: rows are subjects, columns problems, both sorted by name; a cell is a mean over seeds.

    In ``with_floor`` a failed record counts with the floor it carries; in ``scored_only`` it is left out. Undefined
    scores (nan) are left out of both; a cell with nothing left is nan. The counts are per subject: ``cells`` all its
    records, ``failed`` those that failed, ``undefined`` those with a nan score (a record may be both).
    """

    metric: str
    goal: Goal
    subjects: tuple[str, ...]
    problems: tuple[str, ...]
    with_floor: FloatArray
    scored_only: FloatArray
    cells: IntArray
    failed: IntArray
    undefined: IntArray

    def __post_init__(self) -> None:
        if self.goal not in get_args(Goal):
            raise UnknownName("goal", self.goal, get_args(Goal))
        for array in (self.with_floor, self.scored_only, self.cells, self.failed, self.undefined):
            array.setflags(write=False)

    def row(self, subject: str) -> int:
        """The row of a subject."""
        if subject not in self.subjects:
            raise UnknownName("subject", subject, self.subjects)
        return self.subjects.index(subject)


def score_table(records: Iterable[Record], metric: str, *, goal: Goal = "max") -> ScoreTable:
    """The scores of one metric, averaged over seeds.

    A subject without any record on a problem has nan there: a cell that was never run is not a failed one.

    >>> def record(problem, seed, score):
    ...     return Record(key="", answer_key="", track="cases", problem=problem, problem_digest="", subject="knn",
    ...                   subject_digest="", seed=seed, status="ok", scores={"auroc": score})
    >>> table = score_table([record("iris", 1, 0.5), record("iris", 0, 1.0), record("wine", 0, 0.25)], "auroc")
    >>> table.problems, table.with_floor.tolist()
    (('iris', 'wine'), [[0.75, 0.25]])
    """
    records = records if isinstance(records, Sequence) else tuple(records)
    try:
        scores = np.array([record.scores[metric] for record in records], dtype=np.float64)
    except KeyError:
        raise _lacking(records, metric) from None
    failed = np.array([record.status == "failed" for record in records], dtype=np.bool_)
    subjects, subject_codes = _encode([record.subject for record in records])
    problems, problem_codes = _encode([record.problem for record in records])
    cell = subject_codes * len(problems) + problem_codes
    _refuse_twins(records, cell)
    shape = (len(subjects), len(problems))
    defined = ~np.isnan(scores)
    return ScoreTable(
        metric=metric,
        goal=goal,
        subjects=subjects,
        problems=problems,
        with_floor=_cell_means(scores, cell, defined, shape),
        scored_only=_cell_means(scores, cell, defined & ~failed, shape),
        cells=np.bincount(subject_codes, minlength=len(subjects)),
        failed=np.bincount(subject_codes[failed], minlength=len(subjects)),
        undefined=np.bincount(subject_codes[~defined], minlength=len(subjects)),
    )


def _encode(entries: list[LabelT]) -> tuple[tuple[LabelT, ...], IntArray]:
    """The distinct entries, sorted, and each entry's place among them."""
    distinct = tuple(sorted(set(entries)))
    places = {entry: place for place, entry in enumerate(distinct)}
    return distinct, np.array([places[entry] for entry in entries], dtype=np.int64)


def _cell_means(scores: FloatArray, cell: IntArray, kept: NDArray[np.bool_], shape: tuple[int, int]) -> FloatArray:
    """Means per cell, nan where nothing is kept; the same scores give the same digits, whatever their seeds."""
    size = shape[0] * shape[1]
    scores, cell = scores[kept], cell[kept]
    order = np.lexsort((scores, cell))
    scores, cell = scores[order], cell[order]
    counts = np.bincount(cell, minlength=size)
    # summed as distances from the cell's smallest score, so that equal scores have exactly themselves as mean
    smallest = np.zeros(size)
    starts = np.flatnonzero(np.diff(cell, prepend=-1))
    smallest[cell[starts]] = np.where(np.isfinite(scores[starts]), scores[starts], 0.0)
    with np.errstate(over="ignore"):
        sums = np.bincount(cell, weights=scores - smallest[cell], minlength=size)
    means = np.full(size, np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return np.reshape(smallest + means, shape)


def _refuse_twins(records: Sequence[Record], cell: IntArray) -> None:
    _, seeds = _encode([record.seed for record in records])
    order = np.lexsort((seeds, cell))
    same = (np.diff(cell[order]) == 0) & (np.diff(seeds[order]) == 0)
    if same.any():
        first = int(np.flatnonzero(same)[0])
        twin, other = records[order[first]], records[order[first + 1]]
        keys = " and ".join(repr(key) for key in sorted((twin.key, other.key)))
        raise InvalidInput(
            f"two records (keys {keys}) of {_place(twin)}: keep one; "
            "an edited subject or problem, or other settings, belong into a table of their own."
        )


def _lacking(records: Sequence[Record], metric: str) -> UnknownName:
    """The error for a metric that is missing everywhere, or in some record, which is then named."""
    lacking = [record for record in records if metric not in record.scores]
    if len(lacking) == len(records):
        return UnknownName("metric", metric, {name for record in records for name in record.scores})
    first = min(lacking, key=lambda record: (record.subject, record.problem, record.seed))
    return UnknownName(f"metric in the record of {_place(first)}", metric, first.scores)


def _place(record: Record) -> str:
    return f"subject {record.subject!r} on problem {record.problem!r} with seed {record.seed}"
