"""A draft, its insights and its target as a task and a truth."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from assay.insight.answer.functions import FeatureFunction
from assay.insight.generate.draft import Draft
from assay.insight.generate.insight import Insight
from assay.insight.generate.target import Target
from assay.insight.problem.task import InsightTask, InsightTruth, ProblemType, TableTime

__all__ = ["assemble"]

_TEST_SHARE = 3  # one row in three is a test row


def assemble(
    draft: Draft, kind: ProblemType, chosen: Sequence[Insight], target: Target, *, base: pd.DataFrame, timed: bool
) -> tuple[InsightTask, InsightTruth]:
    """The first two thirds of the rows are for training; the tables' times are declared if there are any."""
    d = draft.domain
    column = {"binary": d.flag, "multiclass": d.outcome, "regression": d.measure}[kind]
    split = len(base) - len(base) // _TEST_SHARE
    dates = {f"{d.events}.csv": f"{d.event}_date", f"{d.contacts}.csv": f"{d.contact}_date"}
    tables = draft.auxiliary()
    times = {name: TableTime(time_column=dates[name]) if name in dates else TableTime(static=True) for name in tables}
    task = InsightTask(
        name=d.title,
        description=d.question,
        domain=d.label,
        target_column=column,
        problem_type=kind,
        train=base[:split].assign(**{column: target.values[:split]}),
        test=base[split:].reset_index(drop=True),
        tables=tables,
        time_column=f"{d.row}_date" if timed else None,
        table_times=times if timed else {},
    )
    planted = pd.DataFrame({insight.name: insight.values for insight in chosen})
    truth = InsightTruth(
        test_target=pd.Series(target.values[split:]),
        columns=tuple(planted.columns),
        descriptions=tuple(insight.words for insight in chosen),
        train=planted[:split],
        test=planted[split:].reset_index(drop=True),
        functions=tuple(FeatureFunction(name=insight.name, code=insight.code) for insight in chosen),
    )
    return task, truth
