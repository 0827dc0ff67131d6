"""What a failed subject gets, and where scores end."""

from __future__ import annotations

import math

import numpy as np

from assay.core import AnyProblem

__all__ = ["UP_TO_ONE", "floor", "undefined"]

UP_TO_ONE = (-math.inf, 1.0)  # an R² has no lower end, and coverage beyond chance may fall below 0


def floor(problem: AnyProblem) -> float:
    """Nothing where performance on the target is defined: the test part of a classification must hold two classes."""
    # what is undefined on a problem is undefined for a failed subject too: otherwise only failures would count
    target = np.asarray(problem.truth.test_target)
    defined = problem.task.problem_type == "regression" or len(set(target.tolist())) > 1
    return 0.0 if defined else math.nan


def undefined(problem: AnyProblem) -> float:
    """Undefined: a failed subject says nothing about the problem itself."""
    return math.nan
