"""The built-in subjects: baselines and agents that know nothing more than the task, and two that know the truth."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

import pandas as pd

from assay.core import Problem, Subject
from assay.insight.answer.answer import InsightAnswer
from assay.insight.answer.functions import FeatureFunction
from assay.insight.problem.task import InsightTask, InsightTruth
from assay.insight.subjects.baselines import BaseColumns, Nothing
from assay.insight.subjects.llm import Llm
from assay.insight.subjects.random_features import RandomFeatures
from assay.insight.subjects.relational import Relational

__all__ = ["PRIVILEGED", "SUBJECTS", "TARGET_COPY", "BaseColumns", "Nothing", "ground_truth", "target"]

TARGET_COPY = "target_copy"


def ground_truth(problem: Problem[InsightTask, InsightTruth]) -> InsightAnswer:
    """The experts' columns with their words and values; there is no code to be doubted."""
    truth = problem.truth
    return InsightAnswer(
        solved_by="ground-truth",
        columns=truth.columns,
        descriptions=truth.descriptions,
        train=truth.train,
        test=truth.test,
    )


def target(problem: Problem[InsightTask, InsightTruth]) -> InsightAnswer:
    """The target itself as an insight, with code that reads it from the row: the plainest leak there is."""
    column = problem.task.target_column
    code = f"def {TARGET_COPY}(row):\n    return row[{column!r}]\n"
    return InsightAnswer(
        solved_by="target",
        columns=(TARGET_COPY,),
        descriptions=("the target itself",),
        functions=(FeatureFunction(name=TARGET_COPY, code=code),),
        train=pd.DataFrame({TARGET_COPY: problem.task.train[column]}),
        test=pd.DataFrame({TARGET_COPY: problem.truth.test_target}),
    )


SUBJECTS: MappingProxyType[str, Callable[..., Subject[InsightTask, InsightAnswer]]] = MappingProxyType(
    {
        "base-columns": BaseColumns,
        "llm": Llm,
        "nothing": Nothing,
        "random-features": RandomFeatures,
        "relational": Relational,
    }
)

PRIVILEGED: MappingProxyType[str, Callable[[Problem[InsightTask, InsightTruth]], InsightAnswer]] = MappingProxyType(
    {"ground-truth": ground_truth, "target": target}
)
