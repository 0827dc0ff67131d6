"""A generator of fresh insight problems: relational, dated, with planted insights of graded difficulty."""

from assay.insight.generate.arguments import Difficulty
from assay.insight.generate.domains import DOMAINS
from assay.insight.generate.problems import generate_problem, generate_problems

__all__ = ["DOMAINS", "Difficulty", "generate_problem", "generate_problems"]
