"""Methods to compare: our calibrations, a joint model, other people's libraries task by task, and two extremes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from assay.conformal.answer.answer import ConformalAnswer
from assay.conformal.calibration.calibrate import METHODS, calibrate
from assay.conformal.calibration.joint_model import joint_labels, joint_probabilities, project_sets
from assay.conformal.calibration.scores import parse_score
from assay.conformal.metrics.weights import class_count_weights
from assay.conformal.problem.task import ConformalTask
from assay.conformal.regions.region import Intervals
from assay.conformal.sets.checks import MISSING
from assay.conformal.sets.combination_sets import CombinationSets
from assay.conformal.sets.prediction_sets import PredictionSets
from assay.conformal.subjects.regions import Marginal, RegionMethod, point_intervals, region_answer
from assay.core import Budget, BuiltInSubject, Call, InvalidInput, NamedSubject, Subject, SubjectFailed

__all__ = ["SUBJECTS", "Auto", "Calibrated", "FullSet", "JointModel", "LikeliestClass", "Peer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scored(BuiltInSubject):
    """A method with a nonconformity score."""

    method: str
    score: str = "hinge"

    def __post_init__(self) -> None:
        parse_score(self.score)

    @property
    def name(self) -> str:
        """The method, with the score where it is not hinge."""
        return str(Call(self.method, {} if self.score == "hinge" else {"score": str(parse_score(self.score))}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated(_Scored):
    """One calibration method with one score."""

    method: str = "taskwise"

    def solve(self, task: ConformalTask, budget: Budget, /) -> ConformalAnswer:
        """The sets of the test samples."""
        return ConformalAnswer.of(_calibrated(task, self.method, self.score, budget.seed))


@dataclass(frozen=True, slots=True, kw_only=True)
class Auto(_Scored):
    """Assay's default: the method that the problem's guarantee asks for."""

    method: str = field(default="auto", init=False)

    def solve(self, task: ConformalTask, budget: Budget, /) -> ConformalAnswer:
        """Combinations where all tasks must be covered at once; else task by task, apart for each known group.

        A score other than hinge leaves the choice of a threshold, where all tasks must be covered. A problem with
        numbers gets sets and intervals by what the model says best of each task.
        """
        if task.numbers:
            return region_answer(task)
        joint = "joint-combinations" if parse_score(self.score).by_probability else "joint-threshold"
        method = joint if task.guarantee == "joint" else "mondrian"
        return ConformalAnswer.of(_calibrated(task, method, self.score, budget.seed))


@dataclass(frozen=True, slots=True, kw_only=True)
class JointModel(_Scored):
    """One head over the product of the tasks, calibrated as a single task; each task keeps what the set leaves open."""

    method: str = field(default="joint-model", init=False)

    def solve(self, task: ConformalTask, budget: Budget, /) -> ConformalAnswer:
        """The projections of the sets of combinations."""
        demand_classes(task, self.method)
        labels = joint_labels(task.calibration_labels, task.classes)
        calibration = calibrate(
            [joint_probabilities(task.calibration_probabilities)],
            [labels],
            alpha=task.alpha,
            score=self.score,
            seed=budget.seed,
        )
        joint = calibration.predict_sets([joint_probabilities(task.test_probabilities)])
        assert isinstance(joint, PredictionSets)  # taskwise
        return ConformalAnswer.of(project_sets(joint, task.classes))


@dataclass(frozen=True, slots=True, kw_only=True)
class FullSet(NamedSubject):
    """Always all classes: never wrong, never of use."""

    title = "full-set"

    def solve(self, task: ConformalTask, _: Budget, /) -> ConformalAnswer:
        """Everything is possible, of numbers the whole line."""
        samples = task.test_samples
        whole = Intervals(np.full(samples, -np.inf), np.full(samples, np.inf))
        return ConformalAnswer(
            sets=PredictionSets.full(samples, task.classes) if task.classes else (),  # type: ignore[arg-type]  # made tuples
            intervals={entry.name: whole for entry in task.numbers},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LikeliestClass(NamedSubject):
    """Always the likeliest class or the predicted number alone: the model without conformal prediction."""

    title = "likeliest-class"

    def solve(self, task: ConformalTask, _: Budget, /) -> ConformalAnswer:
        """Singletons, and intervals without width."""
        return ConformalAnswer(
            sets=tuple(tuple((int(c),) for c in matrix.argmax(axis=1)) for matrix in task.test_probabilities),
            intervals=point_intervals(task),
        )


def demand_classes(task: ConformalTask, method: str) -> None:
    """The method knows classes alone."""
    if task.numbers:
        raise SubjectFailed(
            "crash", f"{method} is for classes, and this problem has numbers: use auto, split, normalised or cqr."
        )


def _calibrated(task: ConformalTask, method: str, score: str, seed: int) -> PredictionSets | CombinationSets:
    demand_classes(task, method)
    options: dict[str, Any] = {}
    groups = None
    if method == "mondrian" and task.test_groups is None:
        method = "taskwise"  # everybody is one group
    if method == "mondrian":
        options["groups"], groups = task.calibration_groups, task.test_groups
    if method == "weighted-bonferroni":
        options["weights"] = class_count_weights(task.classes)  # known beforehand, as the guarantee demands
    calibration = calibrate(
        task.calibration_probabilities,
        task.calibration_labels,
        alpha=task.alpha,
        method=method,
        score=score,
        seed=seed,
        **options,
    )
    return calibration.predict_sets(task.test_probabilities, groups=groups)


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer(BuiltInSubject):
    """Another library, task by task, with one of its scores."""

    library: str
    score: str

    def __post_init__(self) -> None:
        from assay.conformal.subjects import peers

        peers.demand(self.library, self.score)

    @property
    def libraries(self) -> tuple[str, ...]:
        """The other library."""
        return (self.library,)

    @property
    def name(self) -> str:
        """The library and its score."""
        return str(Call(self.library, {"score": self.score}))

    def solve(self, task: ConformalTask, _: Budget, /) -> ConformalAnswer:
        """Each task on its own, samples without a label left out."""
        from assay.conformal.subjects import peers

        demand_classes(task, self.library)
        matrices = []
        for probabilities, labels, new in zip(
            task.calibration_probabilities, task.calibration_labels, task.test_probabilities, strict=True
        ):
            labelled = labels != MISSING
            try:
                sets = peers.predict(
                    self.library, self.score, probabilities[labelled], labels[labelled], new, alpha=task.alpha
                )
            except InvalidInput:
                raise
            except ValueError as error:
                raise SubjectFailed("crash", f"{self.library}: {error}") from error
            matrices.append(sets)
        return ConformalAnswer.of(PredictionSets.from_matrices(matrices))


SUBJECTS: Mapping[str, Callable[..., Subject[ConformalTask, ConformalAnswer]]] = {
    "auto": Auto,
    **{method: partial(Calibrated, method=method) for method in METHODS},
    "joint-model": JointModel,
    "mapie": lambda score="lac": Peer(library="mapie", score=score),
    "crepes": lambda score="hinge": Peer(library="crepes", score=score),
    "split": partial(RegionMethod, scores="split"),
    "normalised": partial(RegionMethod, scores="normalised"),
    "cqr": partial(RegionMethod, scores="cqr"),
    "marginal": Marginal,
    "likeliest-class": LikeliestClass,
    "full-set": FullSet,
}
