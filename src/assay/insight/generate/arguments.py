"""The arguments of the generators: difficulties, problem types, and a check of names."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, TypeAlias, get_args

from assay.core import UnknownName
from assay.insight.problem.task import ProblemType

__all__ = ["DIFFICULTIES", "PROBLEM_TYPES", "Difficulty", "demand_choice"]

Difficulty: TypeAlias = Literal["easy", "medium", "hard"]

DIFFICULTIES: tuple[Difficulty, ...] = get_args(Difficulty)
PROBLEM_TYPES: tuple[ProblemType, ...] = get_args(ProblemType)


def demand_choice(what: str, value: object, choices: Collection[str]) -> None:
    """One of the known names."""
    if value not in choices:
        raise UnknownName(what, str(value), choices)
