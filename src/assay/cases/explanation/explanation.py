"""One prediction explained by its nearest training cases, in words, values and pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from assay.cases.explanation.facts import ExplanationFacts, Neighbor
from assay.cases.explanation.rendering.cautions import cautions_of
from assay.cases.explanation.rendering.html import explanation_html
from assay.cases.explanation.rendering.picture import PictureKind, draw_explanation
from assay.cases.explanation.rendering.summary import summarise
from assay.cases.explanation.rendering.wording import MASK, as_json
from assay.core import Json

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Explanation", "Neighbor"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Explanation(ExplanationFacts):
    """The nearest cases of one query and how far they agree with its prediction.

    What costs time (the nearest unlike neighbour, fidelity, familiarity, prior lift) is computed when it is looked at.
    """

    def __repr__(self) -> str:
        return (
            f"Explanation(predicted_class={self.predicted_class!r}, correspondence={self.correspondence:.4g}, "
            f"interpretation={self.interpretation!r}, neighbors={len(self.neighbors)})"
        )

    def cautions(self) -> tuple[str, ...]:
        """What a reader must not conclude, in sentences: two that always hold, and those that apply here."""
        return cautions_of(self)

    def summary(self) -> str:
        """The explanation as a text for a person."""
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

    def _masked(self, values: Mapping[str, Any]) -> dict[str, Json]:
        private = self.cases.private
        return {name: MASK if name in private else as_json(value) for name, value in values.items()}

    def _features(self, values: npt.NDArray[Any]) -> dict[str, Json]:
        return self._masked(dict(zip(self.cases.feature_names, values, strict=True)))

    def _neighbor(self, neighbor: Neighbor) -> dict[str, Json]:
        return {
            "index": neighbor.index,
            "distance": as_json(neighbor.distance),
            "label": neighbor.label,
            "label_name": self.cases.name_of(neighbor.label),
            "agrees": self.agrees(neighbor),
            "features": self._features(neighbor.features),
            "metadata": self._masked(neighbor.metadata),
        }

    def plot(self, ax: Axes | None = None, *, kind: PictureKind | None = None) -> Figure:
        """Draw the neighbours by distance ("neighbours"), what separates ("contrast"), or "both" side by side.

        Without ``kind``, both are drawn on a figure of their own, and only the neighbours into given axes. What
        separates is told against the nearest unlike neighbour, or the nearest case where there is none. Needs
        matplotlib (the extra ``plot``).
        """
        return draw_explanation(self, ax=ax, kind=kind)

    def _repr_html_(self) -> str:
        return explanation_html(self)
