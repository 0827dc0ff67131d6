"""One prediction explained by its nearest training cases, in words, values and pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from assay.cases.explanation.facts import ExplanationFacts, Neighbor
from assay.cases.explanation.rendering.cards import document, save_page
from assay.cases.explanation.rendering.cautions import cautions_of
from assay.cases.explanation.rendering.html import explanation_html
from assay.cases.explanation.rendering.picture import PictureKind, draw_explanation
from assay.cases.explanation.rendering.summary import summarise
from assay.cases.explanation.rendering.wording import MASK, as_json
from assay.cases.explanation.schema import explanation_schema
from assay.core import Json
from assay.core.display import counted, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Explanation", "Neighbor"]

_NEAREST, _LABEL = 3, 30  # of the repr: neighbours, and letters of a class


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Explanation(ExplanationFacts):
    """One prediction with its nearest training cases, and how far they agree with it.

    Made by :meth:`CaseExplainer.explain_instance`, or by indexing a batch. What costs time (the nearest unlike
    neighbour, fidelity, familiarity, prior lift) is computed when it is looked at.

    Parameters
    ----------
    query : array of one value per feature
        The raw values that were explained.
    neighbors : tuple of Neighbor
        The nearest training cases, nearest first.
    predicted_class : str or int
        What the classifier said.
    true_class : str or int, optional
        What is right, if that is known.
    correspondence : float
        Share of the neighbours' weight that lies on the predicted class, from 0 to 1.
    thresholds : Thresholds
        From where on a correspondence is called high, and medium.
    cases : CaseBase
        The training cases.
    probabilities : array of one number per class, optional
        In the order of ``cases.classes``.
    lazy : LazyRow, optional
        Computes the other facts on first access.

    Examples
    --------
    >>> from assay.cases import CaseExplainer
    >>> explainer = CaseExplainer([[0.0], [1.0], [10.0]], ["low", "low", "high"], k=2)
    >>> explanation = explainer.explain_instance([2.0], predicted_class="low")
    >>> explanation
    Explanation(predicted 'low', correspondence 1 (high), 2 neighbours:
    'low' at 0.2224 (case 1), 'low' at 0.4447 (case 0))
    >>> explanation.nearest_unlike.label
    'high'
    """

    def __repr__(self) -> str:
        nearest = ", ".join(
            f"{shortened(repr(neighbor.label), _LABEL)} at {neighbor.distance:.4g} (case {neighbor.index})"
            for neighbor in self.neighbors[:_NEAREST]
        )
        more = ", ..." if len(self.neighbors) > _NEAREST else ""
        return (
            f"Explanation(predicted {shortened(repr(self.predicted_class), _LABEL)}, correspondence "
            f"{self.correspondence:.4g} ({self.band}), {counted(len(self.neighbors), 'neighbour')}: "
            f"{nearest}{more})"
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
            "unfamiliar": self.unfamiliar,
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
            "outside": list(self.outside),
            "units": dict(self.cases.units),
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

    def to_html(self, path: str | PathLike[str] | None = None) -> str:
        """The explanation as a page of its own, which is also written to ``path`` if one is given."""
        return save_page(document([explanation_html(self)], title="Explanation"), path)

    @staticmethod
    def schema() -> dict[str, Json]:
        """The JSON schema of :meth:`to_dict`."""
        return explanation_schema()

    def _repr_html_(self) -> str:
        return explanation_html(self)
