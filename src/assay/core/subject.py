"""What is under test."""

from __future__ import annotations

from typing import Protocol, TypeVar, runtime_checkable

from assay.core.budget import Budget
from assay.core.digest import digest_implementation

__all__ = ["BuiltInSubject", "Subject"]

TaskT_contra = TypeVar("TaskT_contra", contravariant=True)
AnswerT_co = TypeVar("AnswerT_co", covariant=True)


@runtime_checkable
class Subject(Protocol[TaskT_contra, AnswerT_co]):
    """Solves tasks. Name and digest identify it: an edited subject is a new subject."""

    @property
    def name(self) -> str:
        """Stable, with its parameters: ``bm25(k1=1.2)``."""

    @property
    def digest(self) -> str:
        """Of its source or folder."""

    def solve(self, task: TaskT_contra, budget: Budget, /) -> AnswerT_co:
        """The answer to one task, within the budget, with randomness from ``budget.seed`` only."""


class BuiltInSubject:
    """What subjects of the package share: an edited implementation is another subject."""

    __slots__ = ()

    @property
    def digest(self) -> str:
        """Of the code it runs."""
        return digest_implementation(type(self).__module__)
