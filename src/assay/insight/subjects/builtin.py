"""The built-in subjects: baselines and agents that see the task only, and two privileged ones that see the truth."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import TypeAlias

import pandas as pd

from assay.core import Problem, Subject
from assay.insight.answer.answer import InsightAnswer
from assay.insight.answer.functions import FeatureFunction
from assay.insight.problem.task import InsightTask, InsightTruth
from assay.insight.subjects.baselines import BaseColumns, Nothing

__all__ = ["PRIVILEGED", "SUBJECTS", "TARGET_COPY", "BaseColumns", "Nothing", "ground_truth", "target"]

TARGET_COPY = "target_copy"


def ground_truth(problem: Problem[InsightTask, InsightTruth]) -> InsightAnswer:
    """The experts' columns with their words and values, without code."""
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


Maker: TypeAlias = Callable[..., Subject[InsightTask, InsightAnswer]]


class _Subjects(Mapping[str, Maker]):
    """Subjects by name, each imported on access: scoring needs none of them."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = places

    def __getitem__(self, name: str) -> Maker:
        module, _, attribute = self._places[name].partition(":")
        maker: Maker = getattr(import_module(f"assay.insight.subjects.{module}"), attribute)
        return maker

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


SUBJECTS: Mapping[str, Maker] = _Subjects(
    {
        "base-columns": "baselines:BaseColumns",
        "llm": "llm:Llm",
        "nothing": "baselines:Nothing",
        "random-features": "random_features:RandomFeatures",
        "relational": "relational:Relational",
    }
)

PRIVILEGED: MappingProxyType[str, Callable[[Problem[InsightTask, InsightTruth]], InsightAnswer]] = MappingProxyType(
    {"ground-truth": ground_truth, "target": target}
)
