"""Experts' functions as an answer may have them: they leave out rows of other tables that were not known yet."""

from __future__ import annotations

import pandas as pd

from assay.insight.answer.functions import FeatureFunction
from assay.insight.columns.calling import read_plan
from assay.insight.problem.task import InsightTask

__all__ = ["with_known_rows"]

_AGAIN = """{code}

_{name}_of_known_rows = {name}


def {name}(row, aux_dataframes):
    known = dict(aux_dataframes)
{cuts}
    return _{name}_of_known_rows(row, known)
"""
_CUT = """    table = known[{table!r}]
    known[{table!r}] = table[{later} <= {now}]"""


def with_known_rows(function: FeatureFunction, task: InsightTask) -> FeatureFunction:
    """A function of a row and the tables, which takes rows up to the row's time only; others are as they were.

    Experts' functions see tables without later rows and need not compare times; those of an answer have to.
    """
    plan = read_plan(function.code, function.name, task.base_columns)
    own = task.time_column
    dated = {name: each.time_column for name, each in task.table_times.items() if each.time_column is not None}
    if own is None or not dated or plan is None or plan.positional != ("row", "auxiliary") or plan.named:
        return function
    read = (
        "{}"
        if pd.api.types.is_numeric_dtype(task.train[own].dtype)
        else "pd.to_datetime({}, format='ISO8601', utc=True, errors='coerce')"
    )
    cuts = [
        _CUT.format(table=table, later=read.format(f"table[{column!r}]"), now=read.format(f"row[{own!r}]"))
        for table, column in dated.items()
    ]
    return FeatureFunction(
        name=function.name, code=_AGAIN.format(code=function.code, name=function.name, cuts="\n".join(cuts))
    )
