"""The facts of one explanation: the query, its nearest training cases, and what the explainer knows of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from assay.cases.explanation.contrast import Contrast, FeatureDifference, compare
from assay.cases.explanation.lazy_columns import LazyRow
from assay.cases.metrics.agreement import Interpretation, interpret
from assay.cases.neighbors.casebase import CaseBase
from assay.cases.neighbors.checks import FloatArray, Label

__all__ = ["ExplanationFacts", "Neighbor", "Thresholds", "neighbor_of", "same_values"]


class Thresholds(NamedTuple):
    """From where on a correspondence is called high, and medium."""

    high: float
    medium: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Neighbor:
    """One training case near a query.

    Parameters
    ----------
    index : int
        Its row among the training cases.
    distance : float
        How far it is, in the space of comparison.
    label : str or int
        Its class.
    features : array of one value per feature
        Its raw values, private ones included; everything that is shown masks them.
    metadata : mapping
        What is known of it beside the features.

    Examples
    --------
    >>> from assay.cases import CaseExplainer
    >>> explainer = CaseExplainer([[0.0], [1.0]], ["low", "high"], k=1, scale=False)
    >>> explainer.explain_instance([0.25], predicted_class="low").neighbors
    (Neighbor(index=0, distance=0.25, label='low'),)
    """

    index: int
    distance: float
    label: Label
    # raw and unmasked, for programs; everything that is shown leaves private columns out, and so does the repr
    features: npt.NDArray[Any] = field(repr=False)
    metadata: Mapping[str, Any] = field(default_factory=dict, repr=False)


def same_values(rows: npt.NDArray[Any], others: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Which raw values are equal; a missing one equals a missing one only.

    >>> same_values(np.array([1.0, np.nan, np.nan]), np.array([1.0, np.nan, 2.0])).tolist()
    [True, True, False]
    """
    missing = np.logical_and(rows != rows, others != others)
    same: npt.NDArray[np.bool_] = np.logical_or(rows == others, missing).astype(np.bool_)
    return same


def neighbor_of(cases: CaseBase, index: int, distance: float) -> Neighbor:
    """A training case as a neighbour."""
    return Neighbor(
        index=index,
        distance=distance,
        label=cases.y[index].item(),
        features=cases.X[index],
        metadata=cases.metadata_of(index),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ExplanationFacts:
    """The nearest cases of one query and how far they agree with its prediction.

    What costs time (the nearest unlike neighbour, fidelity, familiarity, prior lift) is computed when it is looked at.
    """

    query: npt.NDArray[Any]
    neighbors: tuple[Neighbor, ...]
    predicted_class: Label
    true_class: Label | None
    correspondence: float
    thresholds: Thresholds
    cases: CaseBase
    probabilities: FloatArray | None = None  # of the classes, in the order of ``cases.classes``
    lazy: LazyRow | None = None

    @property
    def interpretation(self) -> Interpretation:
        """The correspondence in a word."""
        return interpret(self.correspondence, high=self.thresholds.high, medium=self.thresholds.medium)

    @property
    def is_correct(self) -> bool | None:
        """Whether the prediction is the true class; None when the truth was not given."""
        return None if self.true_class is None else self.predicted_class == self.true_class

    @property
    def nearest_unlike(self) -> Neighbor | None:
        """The nearest training case of another class than the predicted one; None when there is none."""
        if self.lazy is None:
            return None
        columns, row = self.lazy
        index, distance = int(columns.unlike.indices[row]), float(columns.unlike.distances[row])
        # cases that share no feature with the query are infinitely far: there is nothing to contrast
        return neighbor_of(self.cases, index, distance) if index >= 0 and math.isfinite(distance) else None

    @property
    def prior_lift(self) -> float:
        """Correspondence over the share of the predicted class in training; nan when that is unknown."""
        return math.nan if self.lazy is None else float(self.lazy.columns.prior_lift[self.lazy.row])

    @property
    def fidelity(self) -> float | None:
        """Share of the neighbours for which the model itself predicts the predicted class; None without a model."""
        if self.lazy is None or self.lazy.columns.fidelity is None:
            return None
        return float(self.lazy.columns.fidelity[self.lazy.row])

    @property
    def distance_percentile(self) -> float:
        """Share of the training cases that lie no farther from their neighbours than the query; nan when unknown."""
        if self.lazy is None or self.lazy.columns.familiarity is None:
            return math.nan
        return float(self.lazy.columns.familiarity.percentile[self.lazy.row])

    @property
    def unfamiliar(self) -> bool | None:
        """Whether the query lies farther off than the training cases do (out of distribution); None when unknown."""
        if self.lazy is None or self.lazy.columns.familiarity is None:
            return None
        return bool(self.lazy.columns.familiarity.unfamiliar[self.lazy.row])

    @property
    def outside(self) -> tuple[str, ...]:
        """The features whose number lies farther beyond the training values than these lie apart; private ones too."""
        familiarity = None if self.lazy is None else self.lazy.columns.familiarity
        if self.lazy is None or familiarity is None or familiarity.outside is None:
            return ()
        return tuple(self.cases.feature_names[feature] for feature in familiarity.outside[self.lazy.row].nonzero()[0])

    @property
    def band(self) -> str:
        """The correspondence in a word, and beside it the warning that a far-away query calls for."""
        if self.unfamiliar:
            return f"{self.interpretation}, but the query is unfamiliar"
        unknown = self.interpretation == "high" and math.isnan(self.distance_percentile)
        return f"{self.interpretation}, familiarity unknown" if unknown else self.interpretation

    def agrees(self, neighbor: Neighbor) -> bool:
        """Whether a neighbour has the predicted class."""
        return neighbor.label == self.predicted_class

    def differences(self, neighbor: Neighbor | None = None) -> tuple[FeatureDifference, ...]:
        """Query minus case by feature, the largest share of the distance first; the nearest case by default."""
        return compare(self.query, (neighbor or self.neighbors[0]).features, self.cases).rows

    def contrast(self) -> Contrast:
        """What separates the query from its nearest unlike neighbour; empty when there is none."""
        unlike = self.nearest_unlike
        return Contrast(()) if unlike is None else compare(self.query, unlike.features, self.cases)
