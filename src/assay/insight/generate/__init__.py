"""A generator of fresh insight problems: relational, dated, with planted insights of graded difficulty."""

from typing import TYPE_CHECKING

from assay.core.deprecation import moved_names as _moved_names
from assay.insight.generate.arguments import Difficulty
from assay.insight.generate.domains import DOMAINS

if TYPE_CHECKING:
    from assay.insight.generate.problems import generate_problem, generate_problems

__all__ = ["DOMAINS", "Difficulty", "generate_problem", "generate_problems"]

if not TYPE_CHECKING:  # they score what they generate; the built-in problems beside them do not
    __getattr__ = _moved_names(
        __name__, {}, later=dict.fromkeys(("generate_problem", "generate_problems"), "assay.insight.generate.problems")
    )
