"""Methods for tasks of any kind: intervals by residuals, scales or quantiles beside sets, each task or all at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from assay.conformal.answer.answer import ConformalAnswer
from assay.conformal.metrics.volumes import marginal_interval
from assay.conformal.problem.numbers import Numbers
from assay.conformal.problem.task import ConformalTask
from assay.conformal.regions.calibrate import calibrate_regions
from assay.conformal.regions.checks import demand_guarantee
from assay.conformal.regions.numbers import Quantiles, Values
from assay.conformal.regions.region import Intervals
from assay.conformal.regions.thresholds import JointChoice
from assay.conformal.sets.prediction_sets import PredictionSets
from assay.core import Budget, BuiltInSubject, Call, NamedSubject, UnknownName

__all__ = ["Marginal", "RegionMethod", "point_intervals", "region_answer"]

Scores: TypeAlias = Literal["best", "split", "normalised", "cqr"]


def region_answer(task: ConformalTask, *, scores: Scores = "best", joint: JointChoice = "auto") -> ConformalAnswer:
    """Sets and intervals that keep the problem's guarantee, groups calibrated apart where there are any."""
    calibration, new = task.calibration_predictions, task.test_predictions
    for entry in task.numbers:
        calibration[entry.name] = _prediction_of(entry.calibration, scores)
        new[entry.name] = _prediction_of(entry.test, scores)
    regions = calibrate_regions(
        calibration,
        task.calibration_truth,
        alpha=task.alpha,
        guarantee=task.guarantee,
        method=joint,
        groups=task.calibration_groups,
    )
    return ConformalAnswer.of(regions.predict(new, groups=task.test_groups))


def _prediction_of(numbers: Numbers, scores: Scores) -> Values | Quantiles:
    """The prediction that a method uses; where a model does not give what it wants, the next best."""
    if scores == "split" or (scores == "normalised" and numbers.scale is None):
        return Values(numbers.predicted)
    return Values(numbers.predicted, numbers.scale) if scores == "normalised" else numbers.best()


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionMethod(BuiltInSubject):
    """Intervals by one kind of score, beside sets of classes by hinge.

    ``split`` uses residuals, ``normalised`` divides them by the scale where the model gives one, ``cqr`` moves the
    quantiles where it gives those. All tasks at once by ranks or by shares of α.
    """

    scores: Scores = "split"
    joint: JointChoice = "auto"

    def __post_init__(self) -> None:
        if self.scores not in get_args(Scores):
            raise UnknownName("scores", str(self.scores), get_args(Scores))
        demand_guarantee("joint", self.joint)

    @property
    def name(self) -> str:
        """The scores, with how all tasks are covered at once where it was chosen."""
        return str(Call(self.scores, {} if self.joint == "auto" else {"joint": self.joint}))

    def solve(self, task: ConformalTask, _: Budget, /) -> ConformalAnswer:
        """Sets and intervals of the test samples."""
        return region_answer(task, scores=self.scores, joint=self.joint)


@dataclass(frozen=True, slots=True, kw_only=True)
class Marginal(NamedSubject):
    """The interval that calibration truths alone allow, and all classes: what is reached without a model."""

    title = "marginal"

    def solve(self, task: ConformalTask, _: Budget, /) -> ConformalAnswer:
        """The same interval for every sample; for all tasks at once each at its share of α."""
        tasks = len(task.classes) + len(task.numbers) if task.guarantee == "joint" else 1
        ends = {entry.name: marginal_interval(entry.truth, task.alpha / tasks) for entry in task.numbers}
        samples = task.test_samples
        return ConformalAnswer(
            sets=PredictionSets.full(samples, task.classes) if task.classes else (),  # type: ignore[arg-type]  # made tuples
            intervals={
                name: Intervals(np.full(samples, low), np.full(samples, high)) for name, (low, high) in ends.items()
            },
        )


def point_intervals(task: ConformalTask) -> dict[str, Intervals]:
    """The predicted numbers alone, as intervals without width."""
    return {entry.name: Intervals(entry.test.predicted, entry.test.predicted) for entry in task.numbers}
