"""One prediction explained by its nearest training cases."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy.typing as npt

from assay.cases.explanation.contrast import Contrast, FeatureDifference, compare
from assay.cases.explanation.lazy_columns import LateRow
from assay.cases.explanation.rendering.cautions import cautions_of
from assay.cases.explanation.rendering.wording import MASK, as_json
from assay.cases.metrics.agreement import Interpretation, interpret
from assay.cases.neighbors.casebase import CaseBase
from assay.cases.neighbors.checks import FloatArray, Label
from assay.core import Json

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Explanation", "FeatureDifference", "Neighbor", "PictureKind", "Thresholds", "neighbor_of"]

PictureKind: TypeAlias = Literal["neighbours", "contrast", "both"]


class Thresholds(NamedTuple):
    """From where on a correspondence is called high, and medium."""

    high: float
    medium: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Neighbor:
    """One training case: its row, its distance in the space of comparison, its label, its raw values and metadata."""

    index: int
    distance: float
    label: Label
    # raw and unmasked, for programs; everything that is shown leaves private columns out, and so does the repr
    features: npt.NDArray[Any] = field(repr=False)
    metadata: Mapping[str, Any] = field(default_factory=dict, repr=False)


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
class Explanation:
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
    late: LateRow | None = None

    def __repr__(self) -> str:
        return (
            f"Explanation(predicted_class={self.predicted_class!r}, correspondence={self.correspondence:.4g}, "
            f"interpretation={self.interpretation!r}, neighbors={len(self.neighbors)})"
        )

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
        if self.late is None:
            return None
        found = self.late.columns.unlike
        index, distance = int(found.indices[self.late.row]), float(found.distances[self.late.row])
        # cases that share no feature with the query are infinitely far: there is nothing to contrast
        return neighbor_of(self.cases, index, distance) if index >= 0 and math.isfinite(distance) else None

    @property
    def prior_lift(self) -> float:
        """Correspondence over the share of the predicted class in training; nan when that is unknown."""
        return math.nan if self.late is None else float(self.late.columns.prior_lift[self.late.row])

    @property
    def fidelity(self) -> float | None:
        """Share of the neighbours for which the model itself predicts the predicted class; None without a model."""
        column = None if self.late is None else self.late.columns.fidelity
        return None if column is None or self.late is None else float(column[self.late.row])

    @property
    def distance_percentile(self) -> float:
        """Share of the training cases that lie no farther from their neighbours than the query; nan when unknown."""
        column = None if self.late is None else self.late.columns.familiarity
        return math.nan if column is None or self.late is None else float(column.percentile[self.late.row])

    @property
    def unfamiliar(self) -> bool | None:
        """Whether the query lies farther off than the training cases do (out of distribution); None when unknown."""
        column = None if self.late is None else self.late.columns.familiarity
        return None if column is None or self.late is None else bool(column.unfamiliar[self.late.row])

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

    def cautions(self) -> tuple[str, ...]:
        """What a reader must not conclude, in sentences: two that always hold, and those that apply here."""
        return cautions_of(self)

    def summary(self) -> str:
        """The explanation as a text for a person."""
        from assay.cases.explanation.rendering.summary import summarise

        return summarise(self)

    def to_dict(self) -> dict[str, Json]:
        """The explanation as plain JSON values; private columns are masked."""
        name_of, unlike = self.cases.name_of, self.nearest_unlike
        return {
            "predicted_class": self.predicted_class,
            "predicted_class_name": name_of(self.predicted_class),
            "true_class": self.true_class,
            "true_class_name": None if self.true_class is None else name_of(self.true_class),
            "is_correct": self.is_correct,
            "correspondence": float(self.correspondence),
            "interpretation": self.interpretation,
            "thresholds": {"high": float(self.thresholds.high), "medium": float(self.thresholds.medium)},
            "query": self._features(self.query),
            "neighbors": [self._neighbor(neighbor) for neighbor in self.neighbors],
            "nearest_unlike": None
            if unlike is None
            else {**self._neighbor(unlike), "contrast": self.contrast().to_records()},
            "probabilities": None
            if self.probabilities is None
            else {
                str(label): as_json(share)
                for label, share in zip(self.cases.classes.tolist(), self.probabilities, strict=True)
            },
            "prior_lift": as_json(self.prior_lift),
            "fidelity": as_json(self.fidelity),
            "distance_percentile": as_json(self.distance_percentile),
            "unfamiliar": self.unfamiliar,
            "cautions": list(self.cautions()),
        }

    def _features(self, values: npt.NDArray[Any]) -> dict[str, Json]:
        pairs = zip(self.cases.feature_names, values, strict=True)
        return {name: MASK if name in self.cases.private else as_json(value) for name, value in pairs}

    def _neighbor(self, neighbor: Neighbor) -> dict[str, Json]:
        return {
            "index": neighbor.index,
            "distance": as_json(neighbor.distance),
            "label": neighbor.label,
            "label_name": self.cases.name_of(neighbor.label),
            "agrees": self.agrees(neighbor),
            "features": self._features(neighbor.features),
            "metadata": {
                name: MASK if name in self.cases.private else as_json(value)
                for name, value in neighbor.metadata.items()
            },
        }

    def plot(self, ax: Axes | None = None, *, kind: PictureKind | None = None) -> Figure:
        """Draw the neighbours by distance ("neighbours"), what separates ("contrast"), or "both" side by side.

        Without ``kind``, both are drawn on a figure of their own, and only the neighbours into given axes. What
        separates is told against the nearest unlike neighbour, or the nearest case where there is none. Needs
        matplotlib (the extra ``plot``).
        """
        from assay.cases.explanation.rendering.picture import draw_explanation

        return draw_explanation(self, ax=ax, kind=kind)

    def _repr_html_(self) -> str:
        from assay.cases.explanation.rendering.html import explanation_html

        return explanation_html(self)
