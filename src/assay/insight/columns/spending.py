"""What the functions of one solution may still use: all runs of an examination count against one limit."""

from __future__ import annotations

from assay.insight.answer.functions import FeatureFunction
from assay.sandbox import Allowance, Limits

__all__ = ["Spending", "function_limits"]

_SOLUTION = 60  # times what one function may take


def function_limits(seconds: float = 60.0) -> Limits:
    """What one function may take, and with it what all functions of a solution may."""
    return Limits(function_seconds=seconds, solution_seconds=_SOLUTION * seconds)


class Spending:
    """An allowance for each function, of the limits of one run: values, checks and repetitions share it."""

    def __init__(self, limits: Limits) -> None:
        self._seconds = limits.function_seconds
        self._whole = Allowance(limits.solution_seconds)
        self._allowances: dict[FeatureFunction, Allowance] = {}

    def allowance(self, function: FeatureFunction) -> Allowance:
        """The same one whenever the function is asked for."""
        return self._allowances.setdefault(function, Allowance(self._seconds, whole=self._whole))
