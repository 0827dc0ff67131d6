"""What may be asked of the generator: names that exist and whole numbers that are large enough."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, TypeAlias, get_args

from assay.core import UnknownName
from assay.insight.problem.task import ProblemType

__all__ = ["DIFFICULTIES", "PROBLEM_TYPES", "Difficulty", "require_known"]

Difficulty: TypeAlias = Literal["easy", "medium", "hard"]

DIFFICULTIES: tuple[Difficulty, ...] = get_args(Difficulty)
PROBLEM_TYPES: tuple[ProblemType, ...] = get_args(ProblemType)


def require_known(what: str, value: object, known: Collection[str]) -> None:
    """One of the known names."""
    if value not in known:
        raise UnknownName(what, str(value), known)
