"""Scores to compare: how far a prediction can be trusted, by its nearest cases or by the classifier's own word."""

from __future__ import annotations

from dataclasses import dataclass

from assay.cases.answer.answer import CasesAnswer
from assay.cases.metrics.agreement import correspondence, demand_weighting
from assay.cases.neighbors.checks import demand_k
from assay.cases.neighbors.index import CaseIndex, Neighbours
from assay.cases.neighbors.scaling import fit_scaling
from assay.cases.problem.task import CasesTask
from assay.cases.subjects.conformal_knn import credibility
from assay.cases.subjects.detector import default_detector_scores
from assay.cases.subjects.neighbourhood_detector import DetectorScores, neighbourhood_detector_scores
from assay.cases.subjects.posterior import WIDE, CasePosterior, fit_posterior
from assay.cases.subjects.second_opinion import TREES, fit_second_opinion
from assay.cases.subjects.trust import nearest_distance_scores, trust_scores
from assay.core import Budget, NamedSubject
from assay.core.checks import demand_share, demand_whole

__all__ = [
    "SUBJECTS",
    "ConformalKnn",
    "Correspondence",
    "Detector",
    "MaxProbability",
    "NearestDistance",
    "NeighbourhoodDetectorScore",
    "SecondOpinionAndConfidence",
    "SecondOpinionScore",
    "TrustScore",
    "Vote",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Correspondence(NamedSubject):
    """Trusts a prediction as far as its k nearest training cases agree with it, near ones more."""

    title = "correspondence"
    always = ("k",)
    k: int = 5
    weighting: str = "cubed"

    def __post_init__(self) -> None:
        demand_k(self.k)
        demand_weighting(self.weighting)

    def solve(self, task: CasesTask, _: Budget, /) -> CasesAnswer:
        """Correspondence as the score, the neighbours beside it."""
        return _by_neighbours(task, self.k, self.weighting)


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote(NamedSubject):
    """Trusts a prediction by the share of its k nearest training cases that have the predicted class."""

    title = "vote"
    always = ("k",)
    k: int = 5

    def __post_init__(self) -> None:
        demand_k(self.k)

    def solve(self, task: CasesTask, _: Budget, /) -> CasesAnswer:
        """The share as the score, the neighbours beside it."""
        return _by_neighbours(task, self.k, "uniform")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustScore(NamedSubject):
    """Trusts a prediction that is nearer to the predicted class than to any other (Jiang et al. 2018, bounded)."""

    title = "trust-score"
    always = ("k",)
    k: int = 2
    alpha: float = 0.0

    def __post_init__(self) -> None:
        demand_k(self.k)
        demand_share(self.alpha, "alpha")

    def solve(self, task: CasesTask, _: Budget, /) -> CasesAnswer:
        """The bounded ratio of distances as the score."""
        scores = trust_scores(task.train_X, task.train_y, task.query_X, task.predicted, k=self.k, alpha=self.alpha)
        return CasesAnswer(scores=scores)


@dataclass(frozen=True, slots=True, kw_only=True)
class MaxProbability(NamedSubject):
    """Trusts a prediction as far as the classifier itself does: its largest probability."""

    title = "max-probability"

    def solve(self, task: CasesTask, _: Budget, /) -> CasesAnswer:
        """The largest probability as the score; it looks at no cases."""
        return CasesAnswer(scores=task.probabilities.max(axis=1))


@dataclass(frozen=True, slots=True, kw_only=True)
class NearestDistance(NamedSubject):
    """Trusts a prediction that has a training case of the predicted class close by."""

    title = "nearest-distance"

    def solve(self, task: CasesTask, _: Budget, /) -> CasesAnswer:
        """Minus the distance as the score; the distance to any case as unfamiliarity."""
        scores = nearest_distance_scores(task.train_X, task.train_y, task.query_X, task.predicted)
        return CasesAnswer(scores=scores, unfamiliarity=_nearest(task, 1).distances[:, 0])


@dataclass(frozen=True, slots=True, kw_only=True)
class ConformalKnn(NamedSubject):
    """Trusts a prediction under which the query would not be strange among the training cases of that class."""

    title = "conformal-knn"
    always = ("k",)
    k: int = 5

    def __post_init__(self) -> None:
        demand_k(self.k)

    def solve(self, task: CasesTask, _: Budget, /) -> CasesAnswer:
        """Credibility as the score."""
        return CasesAnswer(scores=credibility(task.train_X, task.train_y, task.query_X, task.predicted, k=self.k))


@dataclass(frozen=True, slots=True, kw_only=True)
class Detector(NamedSubject):
    """The default: the prediction's probability by four opinions on the training cases, weighed on left-out ones."""

    title = "detector"
    seed: int = 0

    def __post_init__(self) -> None:
        demand_whole(self.seed, "seed")

    def solve(self, task: CasesTask, _: Budget, /) -> CasesAnswer:
        """The scores, the nearest cases, how unlike them each query is, and doubts about their labels."""
        posterior = fit_posterior(task.train_X, task.train_y)
        detected = default_detector_scores(
            task.train_X, task.train_y, task.query_X, task.predicted, posterior=posterior, seed=self.seed
        )
        return _with_neighbourhood(task, detected, posterior)


@dataclass(frozen=True, slots=True, kw_only=True)
class NeighbourhoodDetectorScore(NamedSubject):
    """The earlier default: probability by the cases, and the classifier's confidence where the cases bear it out."""

    title = "neighbourhood-detector"

    def solve(self, task: CasesTask, _: Budget, /) -> CasesAnswer:
        """The scores of the batch, its nearest cases, how unlike them each query is, and doubts about their labels."""
        posterior = fit_posterior(task.train_X, task.train_y)
        detected = neighbourhood_detector_scores(
            task.train_X, task.train_y, task.query_X, task.predicted, task.probabilities, posterior=posterior
        )
        return _with_neighbourhood(task, detected, posterior)


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondOpinionScore(NamedSubject):
    """Trusts a prediction as far as an independent forest on the same training cases does."""

    title = "second-opinion"
    trees: int = TREES
    seed: int = 0

    def __post_init__(self) -> None:
        demand_whole(self.trees, "trees", least=1)
        demand_whole(self.seed, "seed")

    def solve(self, task: CasesTask, _: Budget, /) -> CasesAnswer:
        """The forest's probability of the predicted class as the score."""
        opinion = fit_second_opinion(task.train_X, task.train_y, trees=self.trees, seed=self.seed)
        return CasesAnswer(scores=opinion.scores(task.query_X, task.predicted))


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondOpinionAndConfidence(SecondOpinionScore):
    """Trusts a prediction by the mean of the second opinion and the classifier's own largest probability."""

    title = "second-opinion-and-confidence"

    def solve(self, task: CasesTask, _: Budget, /) -> CasesAnswer:
        """The mean as the score."""
        opinion = fit_second_opinion(task.train_X, task.train_y, trees=self.trees, seed=self.seed)
        return CasesAnswer(scores=opinion.scores(task.query_X, task.predicted, task.probabilities))


SUBJECTS = {
    "correspondence": Correspondence,
    "vote": Vote,
    "trust-score": TrustScore,
    "max-probability": MaxProbability,
    "nearest-distance": NearestDistance,
    "conformal-knn": ConformalKnn,
    "detector": Detector,
    "neighbourhood-detector": NeighbourhoodDetectorScore,
    "second-opinion": SecondOpinionScore,
    "second-opinion-and-confidence": SecondOpinionAndConfidence,
}


def _with_neighbourhood(task: CasesTask, detected: DetectorScores, posterior: CasePosterior) -> CasesAnswer:
    nearest = posterior.nearest(task.query_X, WIDE)
    return CasesAnswer(
        scores=detected.probability,
        neighbors=nearest.indices,
        unfamiliarity=nearest.distances.mean(axis=1),
        suspicion=posterior.suspicion(task.train_y),
    )


def _by_neighbours(task: CasesTask, k: int, weighting: str) -> CasesAnswer:
    nearest = _nearest(task, k)
    labels = task.train_y[nearest.indices]
    scores = correspondence(nearest.distances, labels, task.predicted, weighting=weighting)
    return CasesAnswer(scores=scores, neighbors=nearest.indices)


def _nearest(task: CasesTask, k: int) -> Neighbours:
    scaling = fit_scaling(task.train_X)
    return CaseIndex(scaling.apply(task.train_X)).query(scaling.apply(task.query_X), k)
