"""A problem's moments as states of tables that grow with time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from assay.insight.columns.available import Availability, Moment
from assay.insight.problem.task import InsightTask
from assay.sandbox import GrowingTables, PackedState, SharedTable, can_grow

__all__ = ["Growth"]


@dataclass(frozen=True, slots=True, eq=False)
class Growth:
    """Tables that are handed over once, and from moment to moment what becomes available."""

    tables: GrowingTables
    _available: Availability
    _rows: int
    _whole: bool

    @classmethod
    def of(cls, task: InsightTask, rows: pd.DataFrame, available: Availability, *, whole: bool) -> Growth | None:
        """The growth of a task's dated tables; None when nothing is dated or a table cannot be sent in pieces."""
        dated = {name: task.tables[name] for name in available.dated}
        if not dated or not len(rows) or not all(map(can_grow, (rows, *dated.values()))):
            return None
        static = {name: SharedTable(frame, name) for name, frame in task.tables.items() if name not in dated}
        tables = GrowingTables(rows, dated, order=list(task.tables), static=static)
        return cls(tables, available, len(rows), whole)

    def states(self, moments: Sequence[Moment]) -> list[PackedState]:
        """The moments, earliest first; functions of the whole table see all rows each time, sent with the first."""
        states, since = [], None
        for number, moment in enumerate(moments):
            rows = np.arange(self._rows) if self._whole else moment.rows
            added = self._available.added(since, moment.time)
            states.append(self.tables.pack(rows, added, known_rows=self._whole and number > 0))
            since = moment.time
        return states
