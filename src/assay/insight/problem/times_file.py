"""Times declared beside a problem, for one that declares none itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from assay.core import InvalidInput, read_json
from assay.insight.problem.task import InsightTask
from assay.insight.problem.times import TableTime, check_times, read_times
from assay.intake.fields import demand_known_keys

__all__ = ["DeclaredTimes", "declare_times", "read_times_file"]

_KEYS = ("time_column", "tables")


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredTimes:
    """When rows are predicted and when auxiliary rows became known, for a problem that does not say so itself.

    Parameters
    ----------
    time_column : str
        The column of the primary table with the time of prediction.
    tables : mapping of str to TableTime, optional
        For auxiliary tables the column with their rows' times, or that they do not change.

    Examples
    --------
    >>> from assay.insight.problem.times import TableTime
    >>> DeclaredTimes(time_column="signed_on", tables={"orders.csv": TableTime(time_column="ordered_on")}).time_column
    'signed_on'
    """

    time_column: str
    tables: Mapping[str, TableTime] = field(default_factory=dict)


def read_times_file(path: Path) -> DeclaredTimes:
    """A JSON file with the keys ``time_column`` and ``tables`` of problem.json."""
    path = Path(path)
    content = read_json(path)
    demand_known_keys(content, _KEYS, what=path)
    column, tables = read_times(content, path)
    if column is None:
        raise InvalidInput(f"{path}: 'time_column' is missing: name the column that holds the time of prediction.")
    return DeclaredTimes(time_column=column, tables=tables)


def declare_times(task: InsightTask, times: DeclaredTimes, *, where: str = "times") -> InsightTask:
    """The task with other times, checked against its tables as those of problem.json are."""
    if times.time_column == task.target_column:
        raise InvalidInput(f"{where}: the time column {times.time_column!r} is the target itself; name another column.")
    check_times(times.time_column, times.tables, train=task.train, test=task.test, tables=task.tables, where=where)
    return replace(task, time_column=times.time_column, table_times=dict(times.tables))
