"""What a subject of the insight track was given, for the page of its cell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from assay.core.display import counted, shortened
from assay.insight.answer.answer import InsightAnswer
from assay.insight.problem.task import InsightTask

__all__ = ["given"]

_ROWS, _COLUMNS, _TABLES = 5, 16, 12


def given(task: InsightTask, answer: InsightAnswer | None) -> Mapping[str, Any]:
    """The task in words, and the first rows of every table."""
    tables = {"train.csv": task.train, "test.csv, without the target": task.test}
    tables |= {name: task.tables[name] for name in list(task.tables)[:_TABLES]}
    parts: dict[str, Any] = {"description": task.description} if task.description else {}
    parts["target"] = f"{task.target_column} ({task.problem_type})"
    if task.time_column is not None:
        parts["predicted at"] = task.time_column
    for name, table in tables.items():
        cut = f", the first {_COLUMNS} are shown" if table.shape[1] > _COLUMNS else ""
        parts[f"{name}: {counted(len(table), 'row')}, {counted(table.shape[1], 'column')}{cut}"] = _head(table)
    if len(task.tables) > _TABLES:
        parts["further tables"] = list(task.tables)[_TABLES:]
    return parts


def _head(table: pd.DataFrame) -> list[dict[str, Any]]:
    rows = table.iloc[:_ROWS, :_COLUMNS].to_dict("records")
    return [
        {str(name): shortened(value) if isinstance(value, str) else value for name, value in row.items()}
        for row in rows
    ]
