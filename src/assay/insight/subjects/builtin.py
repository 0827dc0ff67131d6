"""Built-in subjects: baselines and agents that know nothing more than the task, and two that know the truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType

import pandas as pd

from assay.core import Budget, BuiltInSubject, Problem, Subject
from assay.insight.answer.answer import InsightAnswer
from assay.insight.answer.functions import FeatureFunction
from assay.insight.problem.task import InsightTask, InsightTruth
from assay.insight.subjects.llm import Llm
from assay.insight.subjects.random_features import RandomFeatures
from assay.insight.subjects.relational import Relational

__all__ = ["PRIVILEGED", "SUBJECTS", "TARGET_COPY", "BaseColumns", "Nothing", "ground_truth", "target"]

TARGET_COPY = "target_copy"


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseColumns(BuiltInSubject):
    """Declares every base column as its insight and adds nothing: no code, no values."""

    @property
    def name(self) -> str:
        """Canonical."""
        return "base-columns"

    def solve(self, task: InsightTask, _: Budget, /) -> InsightAnswer:
        """The base columns' names; their values are the problem's own."""
        return InsightAnswer(solved_by=self.name, columns=task.base_columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing(BuiltInSubject):
    """Finds no insight at all."""

    @property
    def name(self) -> str:
        """Canonical."""
        return "nothing"

    def solve(self, task: InsightTask, _: Budget, /) -> InsightAnswer:
        """No columns."""
        return InsightAnswer(solved_by=self.name, columns=())


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
