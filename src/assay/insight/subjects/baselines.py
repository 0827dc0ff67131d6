"""Baselines that add nothing to a problem's own columns."""

from __future__ import annotations

from dataclasses import dataclass

from assay.core import Budget, NamedSubject
from assay.insight.answer.answer import InsightAnswer
from assay.insight.problem.task import InsightTask

__all__ = ["BaseColumns", "Nothing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseColumns(NamedSubject):
    """Declares every base column as its insight and adds nothing: no code, no values."""

    title = "base-columns"

    def solve(self, task: InsightTask, _: Budget, /) -> InsightAnswer:
        """The base columns' names; their values are the problem's own."""
        return InsightAnswer(solved_by=self.name, columns=task.base_columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing(NamedSubject):
    """Finds no insight at all."""

    title = "nothing"

    def solve(self, task: InsightTask, _: Budget, /) -> InsightAnswer:
        """No columns."""
        return InsightAnswer(solved_by=self.name, columns=())
