"""The task as the search sees it: typed tables within reach of each other, and the rows to try candidates on."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from assay.core.arrays import FloatArray, IntArray
from assay.insight.problem.task import InsightTask, ProblemType
from assay.insight.search.links import Link, find_links, reach_out
from assay.insight.search.stacks import stack_tables
from assay.insight.search.typed_tables import SELF, Ref, TableData, TypedTable, read_typed

__all__ = ["Join", "SearchContext", "make_context"]

MOST_ROWS = 2500  # training rows that candidates are tried on


@dataclass(frozen=True, slots=True)
class Join:
    """Rows of a table that belong to a primary row: the columns on either side whose values agree."""

    table: str
    row_key: Ref
    table_key: Ref

    @property
    def far(self) -> int:
        """How many look-ups are needed."""
        return self.row_key.hops + self.table_key.hops


@dataclass(slots=True, kw_only=True)
class SearchContext:
    """Typed tables, joins, and rows."""

    data: TableData
    primary: TypedTable
    tables: dict[str, TypedTable]
    joins: list[Join]
    rows: IntArray  # of the primary table: those that candidates are tried on
    timed: bool  # times are declared: nothing may look ahead
    dated: frozenset[str]  # tables whose rows have declared times
    itself: bool  # whether aggregates of the primary table may be used
    target: npt.NDArray[Any]
    kind: ProblemType
    faults: list[str] = field(default_factory=list)  # what odd data cost

    def numbers(self, ref: Ref) -> FloatArray:
        """A column of the primary table as numbers, of the rows tried."""
        return self.data.numbers(SELF, ref)[self.rows]

    def days(self, ref: Ref) -> FloatArray:
        """A column of the primary table as days, of the rows tried."""
        return self.data.days(SELF, ref)[self.rows]

    def keys(self, ref: Ref) -> npt.NDArray[Any]:
        """A column of the primary table as keys, of the rows tried."""
        return self.data.keys(SELF, ref)[self.rows]

    @property
    def moments(self) -> list[Ref]:
        """The primary table's own dates that rows can look back from."""
        if self.timed:
            return [self.primary.clock] if self.primary.clock else []
        dates = [c.ref for c in self.primary.of("date") if c.ref.key is None and "birth" not in c.ref.column.lower()]
        dates.sort(key=lambda ref: ref != self.primary.clock)
        return dates[:2]


def make_context(task: InsightTask, *, transductive: bool, seed: int) -> SearchContext:
    """Type the columns, find the keys, choose the rows."""
    base = task.train.drop(columns=task.target_column)
    timed = task.time_column is not None
    with_test = transductive and not timed
    frame = pd.concat([base, task.test[list(base.columns)]], ignore_index=True) if with_test else base
    frame = frame.reset_index(drop=True)
    data = TableData(frame, {name: table for name, table in task.tables.items() if len(table) and len(table.columns)})
    faults: list[str] = []
    tables: dict[str, TypedTable] = {}
    for name, frame in data.frames.items():
        with _dropping(f"table {name!r}", faults):
            tables[name] = read_typed(name, frame, data=data)
    primary = tables[SELF]
    dated = frozenset(name for name, declared in task.table_times.items() if declared.time_column and name in tables)
    if timed:
        primary.clock = Ref(str(task.time_column))
        for name in dated:
            tables[name].clock = Ref(str(task.table_times[name].time_column))
    links: list[Link] = []
    for a, b in itertools.permutations(tables.values(), 2):
        with _dropping(f"keys of {a.name!r} and {b.name!r}", faults):
            links += find_links(data, a, b)
    # what a dated table says about a key is not known at all times
    fixed = [link for link in links if link.right not in dated]
    for table in list(tables.values()):
        if table is not primary:
            with _dropping(f"look-ups of {table.name!r}", faults):
                reach_out(data, table, list(tables.values()), fixed, hops=1)
    with _dropping("look-ups of the primary table", faults):
        reach_out(data, primary, list(tables.values()), fixed, hops=2)
    joins = _joins(primary, tables, links)
    if not timed:
        with _dropping("tables as one", faults):
            for table, key in stack_tables(data, list(tables.values()), links, itself=with_test):
                tables[table.name] = table
                joins.append(Join(table.name, Ref(key), Ref(key)))
    rng = np.random.default_rng([seed, 1])
    count = len(task.train)
    rows = np.arange(count) if count <= MOST_ROWS else np.sort(rng.permutation(count)[:MOST_ROWS])
    target = task.train[task.target_column].to_numpy()[rows]
    itself = with_test or (timed and primary.clock is not None)
    return SearchContext(
        data=data, primary=primary, tables=tables, joins=joins, rows=rows, timed=timed, dated=dated, itself=itself,
        target=target, kind=task.problem_type, faults=faults,
    )  # fmt: skip


@contextmanager
def _dropping(what: str, faults: list[str]) -> Iterator[None]:
    """Drop one table or key when odd data raise, and keep the others."""
    try:
        yield
    except Exception as fault:  # noqa: BLE001 - whatever odd data raise, the others stay
        faults.append(f"{what}: {type(fault).__name__}: {fault}")


def _joins(primary: TypedTable, tables: dict[str, TypedTable], links: list[Link]) -> list[Join]:
    """Direct ones first, then groups of the primary table, whole tables, and what takes a look-up on either side."""
    direct: list[Join] = []
    far: list[Join] = []
    for table in tables.values():
        if table is primary:
            continue
        mine = [link for link in links if link.left == SELF and link.right == table.name]
        direct += [Join(table.name, Ref(link.column), Ref(link.other)) for link in mine]
        for column in primary.columns:  # a key or category that another table says about the row
            if column.ref.key is None or column.ref.hops > 1 or column.kind not in ("key", "category"):
                continue
            for link in links:
                same = link.left == column.ref.table and link.column == column.ref.column and link.right == table.name
                if same and link.named:
                    far.append(Join(table.name, column.ref, Ref(link.other)))
            if column.ref.table == table.name and 1 < column.distinct <= 0.5 * len(table.frame):
                far.append(Join(table.name, column.ref, Ref(column.ref.column)))
        for column in table.columns:  # what another table says about the table's rows
            if column.ref.key is None or column.kind not in ("key", "category"):
                continue
            for link in links:
                back = link.left == SELF and link.right == column.ref.table and link.other == column.ref.column
                if back and link.named:
                    far.append(Join(table.name, Ref(link.column), column.ref))
            far += [
                Join(table.name, other.ref, column.ref)
                for other in primary.columns
                if other.ref.key
                and (other.ref.table, other.ref.column) == (column.ref.table, column.ref.column)
                and column.distinct <= 200
            ]
    sizes = {c.ref: c.distinct for c in primary.columns}
    groups = [
        Join(SELF, c.ref, c.ref)
        for c in primary.columns
        if c.kind in ("key", "category")
        and 1 < c.distinct < 0.95 * len(primary.frame)
        # a name that goes with a key one to one groups as the key does
        and (c.ref.key is None or c.distinct < 0.9 * sizes.get(c.ref.key, np.inf))
    ]
    everything = Ref("")
    wholes = [Join(name, everything, everything) for name, table in tables.items() if table.clock is not None]
    own = [join for join in groups if join.far == 0]
    reached = [join for join in groups if join.far > 0]
    return list(dict.fromkeys([*direct, *own, *wholes, *sorted(far, key=lambda join: join.far)[:10], *reached[:8]]))
