"""Insight columns computed from their functions, with nothing in reach that was not known: leaks cannot be scored.

The target is withheld from ``row``, test targets never enter the sandbox, labels in ``df_train`` are out-of-fold for
training rows, and auxiliary tables are cut to each row's time of prediction where times are declared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from assay.core import Problem
from assay.core.arrays import IntArray
from assay.insight.answer.functions import FeatureFunction
from assay.insight.columns.available import Availability, Moment
from assay.insight.columns.calling import Needs, read_needs
from assay.insight.columns.distinct_rows import DistinctRows
from assay.insight.columns.folds import FOLDS, fold_numbers, out_of_fold
from assay.insight.columns.growth import Growth
from assay.insight.columns.spending import Spending, function_limits
from assay.insight.columns.stateless import leaves_nothing
from assay.insight.examine.config import InsightConfig
from assay.insight.problem.task import InsightTask, InsightTruth
from assay.sandbox import CLOCK, FunctionResult, FunctionSource, Limits, Sandbox, SharedTable, Tables

__all__ = ["ComputedColumn", "ComputedColumns", "compute_columns"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ComputedColumn:
    """One function's values in both parts, or why there are none; rows that failed are missing and counted."""

    name: str
    status: str = "ok"
    message: str = ""
    train: pd.Series[Any] | None = None
    test: pd.Series[Any] | None = None
    rows_failed: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ComputedColumns:
    """The columns in the order of their functions, and what they were computed with."""

    columns: tuple[ComputedColumn, ...]
    clock: datetime = CLOCK
    isolation: str = ""
    notes: tuple[str, ...] = field(default=())

    @property
    def ok(self) -> dict[str, tuple[pd.Series[Any], pd.Series[Any]]]:
        """Train and test values by name, of the functions that ran."""
        return {c.name: (c.train, c.test) for c in self.columns if c.train is not None and c.test is not None}


def compute_columns(
    problem: Problem[InsightTask, InsightTruth],
    functions: Sequence[FeatureFunction],
    *,
    sandbox: Sandbox,
    limits: Limits | None = None,
    config: InsightConfig | None = None,
    clock: datetime = CLOCK,
    spending: Spending | None = None,
    distinct: DistinctRows | None = None,
) -> ComputedColumns:
    """Run feature functions over the training and the test rows.

    A function's seconds are limited for all of its runs together, with what was spent before where ``spending`` is
    given; it fails as a whole when it fails in any of them. ``distinct`` knows of earlier runs, and learns of these.
    """
    task = problem.task
    limits = limits or function_limits()
    job = _Job(distinct or DistinctRows(sandbox), limits, clock, spending or Spending(limits))
    needs = [read_needs(function.code, function.name, task.base_columns) for function in functions]
    parts = {
        part: _Part(task, part, rows[list(task.base_columns)], seed=(config or InsightConfig()).RANDOM_STATE)
        for part, rows in (("train", task.train), ("test", task.test))
    }
    values: dict[tuple[int, str], _Column] = {}
    for part in parts.values():
        for kind in dict.fromkeys(needs):
            chosen = [place for place, need in enumerate(needs) if need == kind]
            running = [place for place in chosen if (place, "train") not in values or values[place, "train"].ok]
            pieces = job.run([functions[place] for place in running], kind, part)
            values.update({(place, part.name): column for place, column in zip(running, pieces, strict=True)})
    columns = [
        _finish(function.name, values.get((place, "train")), values.get((place, "test")))
        for place, function in enumerate(functions)
    ]
    return ComputedColumns(columns=tuple(columns), clock=clock, isolation=sandbox.level, notes=_notes(task))


def _notes(task: InsightTask) -> tuple[str, ...]:
    if task.time_column is None:
        return ()
    static = [name for name in task.tables if name not in task.table_times or task.table_times[name].static]
    return (f"taken as static: {', '.join(static)}",) if static else ()


class _View(NamedTuple):
    """Some rows, and the tables that they see."""

    rows: IntArray
    tables: Mapping[str, pd.DataFrame | SharedTable]
    train: SharedTable | None


class _Part:
    """The rows of one part and what they may see."""

    def __init__(self, task: InsightTask, name: str, rows: pd.DataFrame, *, seed: int) -> None:
        self.name = name
        self.rows = rows
        self.available = Availability(task, rows)
        self._task = task
        # rows of the test part are in no fold: they see every label
        self._folds = fold_numbers(len(rows), seed=seed) if name == "train" else np.full(len(rows), -1)

    def views(self, needs: Needs) -> Iterator[_View]:
        """All rows, view by view; nothing is handed over that is not asked for."""
        folds = self._fold_tables() if needs.train else {}
        for moment in self.available.moments() if needs.auxiliary else [Moment(np.arange(len(self.rows)), None)]:
            tables = self.available.cut(moment.time) if needs.auxiliary else {}
            if not folds:
                yield _View(moment.rows, tables, None)
                continue
            shared = {name: SharedTable(frame, name) for name, frame in tables.items()}
            for fold, train in folds.items():
                members = moment.rows[self._folds[moment.rows] == fold]
                if len(members):
                    yield _View(members, shared, train)

    def growth(self, needs: Needs) -> Growth | None:
        """The views as states of growing tables, a chain for every fold; None where they cannot be sent so."""
        if not needs.known or not needs.auxiliary:
            return None
        return Growth.of(self._task, self.rows, self.available, whole=needs.whole)

    def chains(self, needs: Needs) -> Iterator[tuple[SharedTable | None, list[Moment]]]:
        """The moments of all rows, or of each fold's with the training table that it may see."""
        moments = list(self.available.moments())
        if not needs.train:
            yield None, moments
            return
        for fold, train in self._fold_tables().items():
            members = [moment._replace(rows=moment.rows[self._folds[moment.rows] == fold]) for moment in moments]
            yield train, [moment for moment in members if len(moment.rows)]

    def _fold_tables(self) -> dict[int, SharedTable]:
        train, target = self._task.train, self._task.target_column
        if self.name == "test":
            return {-1: SharedTable(train, "train")}
        return {fold: SharedTable(out_of_fold(train, target, self._folds, fold), "train") for fold in range(FOLDS)}


class _Job:
    """Runs of functions over views of one task."""

    def __init__(self, distinct: DistinctRows, limits: Limits, clock: datetime, spending: Spending) -> None:
        self._distinct = distinct
        self._limits = limits
        self._clock = clock
        self._spending = spending

    def run(self, functions: Sequence[FeatureFunction], needs: Needs, part: _Part) -> list[_Column]:
        """Each function's values; those that leave nothing behind go through all states in one process."""
        columns = [_Column(function, len(part.rows)) for function in functions]
        chained = [column for column in columns if leaves_nothing(column.function.code)]
        growth = part.growth(needs) if chained else None
        if growth is not None:
            self._run_chained(chained, needs, part, growth)
        self._run_apart([column for column in columns if growth is None or column not in chained], needs, part)
        return columns

    def _run_chained(self, columns: Sequence[_Column], needs: Needs, part: _Part, growth: Growth) -> None:
        for train, moments in part.chains(needs):
            states = growth.states(moments)
            for column in columns:
                if not column.ok:
                    continue
                results = self._distinct.sandbox.run_states(
                    self._source(column), growth.tables, states, train=train, limits=self._limits, clock=self._clock
                )
                for moment, result in zip(moments, results, strict=False):
                    column.add(result, moment.rows, whole=needs.whole)

    def _run_apart(self, columns: Sequence[_Column], needs: Needs, part: _Part) -> None:
        # a table function sees all rows each time, and so may a function whose source cannot be read
        whole = needs.whole or not needs.known
        for rows, tables, train in part.views(needs) if columns else ():
            active = [column for column in columns if column.ok]
            if not active:
                break
            sources = [self._source(column) for column in active]
            shown = part.rows if whole else part.rows.iloc[rows]
            visible = Tables(rows=shown, train=train, auxiliary=tables)
            results = self._distinct.run(sources, visible, limits=self._limits, clock=self._clock)
            for column, result in zip(active, results, strict=True):
                column.add(result, rows, whole=whole)

    def _source(self, column: _Column) -> FunctionSource:
        function = column.function
        return FunctionSource(function.name, function.code, self._spending.allowance(function))


class _Column:
    """One function's values, which arrive in pieces."""

    def __init__(self, function: FeatureFunction, rows: int) -> None:
        self.function = function
        self.values: list[Any] = [None] * rows
        self.status = "ok"
        self.message = ""
        self.seconds = 0.0
        self.failed = 0

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    def add(self, result: FunctionResult, rows: IntArray, *, whole: bool) -> None:
        self.seconds += result.seconds
        if result.status != "ok":
            self.status, self.message = result.status, result.message
            return
        self.failed += result.rows_failed if not whole else 0
        self.message = self.message or result.message
        listed = result.column.to_pylist()
        for place, row in enumerate(rows.tolist()):
            self.values[row] = listed[row if whole else place]

    def series(self) -> pd.Series[Any]:
        """The values as pandas would read them from a file."""
        kinds = {type(value) for value in self.values} - {type(None)}
        if not kinds:
            return pd.Series(np.full(len(self.values), np.nan))
        if str in kinds:  # pieces of one column may differ in type
            return pd.Series([None if value is None or value != value else str(value) for value in self.values])
        if kinds == {bool} and None not in self.values:
            return pd.Series(self.values, dtype=bool)
        if kinds == {bool}:
            return pd.Series([np.nan if value is None else value for value in self.values], dtype=object)
        if kinds == {int} and None not in self.values:
            return pd.Series(self.values, dtype="int64")
        return pd.Series([np.nan if value is None else float(value) for value in self.values], dtype="float64")


def _finish(name: str, train: _Column | None, test: _Column | None) -> ComputedColumn:
    pieces = [piece for piece in (train, test) if piece is not None]
    seconds = sum(piece.seconds for piece in pieces)
    for piece in pieces:
        if not piece.ok:
            return ComputedColumn(name=name, status=piece.status, message=piece.message, seconds=seconds)
    if train is None or test is None:
        return ComputedColumn(name=name, status="exception", message="was not run", seconds=seconds)
    return ComputedColumn(
        name=name,
        message=train.message or test.message,
        train=train.series(),
        test=test.series(),
        rows_failed=train.failed + test.failed,
        seconds=seconds,
    )
