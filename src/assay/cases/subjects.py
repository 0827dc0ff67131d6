"""Baselines: how far a prediction can be trusted, by its nearest cases or by the classifier's own word."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import assay.cases.checks as checks_module
import assay.cases.index as index_module
import assay.cases.metrics as metrics_module
import assay.cases.scaling as scaling_module
from assay.cases.answer import CasesAnswer
from assay.cases.checks import demand_k
from assay.cases.index import CaseIndex, Neighbours
from assay.cases.metrics import correspondence, demand_weighting
from assay.cases.problem import CasesTask
from assay.cases.scaling import fit_scaling
from assay.core import Budget, Call, digest_source

__all__ = ["SUBJECTS", "Correspondence", "MaxProbability", "Vote"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Correspondence:
    """Trusts a prediction as far as its k nearest training cases agree with it, near ones more."""

    k: int = 5
    weighting: str = "cubed"

    def __post_init__(self) -> None:
        demand_k(self.k)
        demand_weighting(self.weighting)

    @property
    def name(self) -> str:
        """With k, and with the weighting where it is not the document's."""
        weighting = {} if self.weighting == "cubed" else {"weighting": self.weighting}
        return str(Call("correspondence", {"k": self.k, **weighting}))

    @property
    def digest(self) -> str:
        """Of the source it runs."""
        return _source()

    def solve(self, task: CasesTask, _: Budget, /) -> CasesAnswer:
        """Correspondence as the score, the neighbours beside it."""
        return _by_neighbours(task, self.k, self.weighting)


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """Trusts a prediction by the share of its k nearest training cases that have the predicted class."""

    k: int = 5

    def __post_init__(self) -> None:
        demand_k(self.k)

    @property
    def name(self) -> str:
        """Canonical, with its parameters."""
        return str(Call("vote", {"k": self.k}))

    @property
    def digest(self) -> str:
        """Of the source it runs."""
        return _source()

    def solve(self, task: CasesTask, _: Budget, /) -> CasesAnswer:
        """The share as the score, the neighbours beside it."""
        return _by_neighbours(task, self.k, "uniform")


@dataclass(frozen=True, slots=True, kw_only=True)
class MaxProbability:
    """Trusts a prediction as far as the classifier itself does: its largest probability."""

    @property
    def name(self) -> str:
        """Canonical."""
        return "max-probability"

    @property
    def digest(self) -> str:
        """Of the source it runs."""
        return _source()

    def solve(self, task: CasesTask, _: Budget, /) -> CasesAnswer:
        """The largest probability as the score; it looks at no cases."""
        return CasesAnswer(scores=task.probabilities.max(axis=1))


SUBJECTS = {"correspondence": Correspondence, "vote": Vote, "max-probability": MaxProbability}


def _by_neighbours(task: CasesTask, k: int, weighting: str) -> CasesAnswer:
    found = _nearest(task, k)
    labels = task.train_y[found.indices]
    scores = correspondence(found.distances, labels, task.predicted, weighting=weighting)
    return CasesAnswer(scores=scores, neighbors=found.indices)


def _nearest(task: CasesTask, k: int) -> Neighbours:
    scaling = fit_scaling(task.train_X)
    return CaseIndex(scaling.apply(task.train_X)).query(scaling.apply(task.query_X), k)


@cache
def _source() -> str:
    import assay.cases.subjects as own_module

    return digest_source(own_module, checks_module, index_module, metrics_module, scaling_module)
