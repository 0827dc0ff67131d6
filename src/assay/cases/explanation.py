"""One prediction explained by its nearest training cases."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.cases.casebase import CaseBase
from assay.cases.checks import FloatArray, Label
from assay.cases.metrics import Interpretation, interpret
from assay.core import Json

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Explanation", "FeatureDifference", "Neighbor", "Thresholds"]


class Thresholds(NamedTuple):
    """From where on a correspondence is called high, and medium."""

    high: float
    medium: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Neighbor:
    """One training case: its row, its distance in the space of comparison, its label, its raw feature values."""

    index: int
    distance: float
    label: Label
    features: FloatArray


class FeatureDifference(NamedTuple):
    """How a query differs from a case in one feature; ``scaled`` is in the units that distances are made of."""

    name: str
    query: float
    case: float
    scaled: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Explanation:
    """The nearest cases of one query and how far they agree with its prediction."""

    query: FloatArray
    neighbors: tuple[Neighbor, ...]
    predicted_class: Label
    true_class: Label | None
    correspondence: float
    thresholds: Thresholds
    cases: CaseBase = field(repr=False)

    @property
    def interpretation(self) -> Interpretation:
        """The correspondence in a word."""
        return interpret(self.correspondence, high=self.thresholds.high, medium=self.thresholds.medium)

    @property
    def is_correct(self) -> bool | None:
        """Whether the prediction is the true class; None when the truth was not given."""
        return None if self.true_class is None else self.predicted_class == self.true_class

    def agrees(self, neighbor: Neighbor) -> bool:
        """Whether a neighbour has the predicted class."""
        return neighbor.label == self.predicted_class

    def differences(self, neighbor: Neighbor | None = None) -> tuple[FeatureDifference, ...]:
        """Query minus case by feature, the largest share of the distance first; the nearest case by default."""
        neighbor = neighbor or self.neighbors[0]
        scaled = (self.query - neighbor.features) / self.cases.scaling.spread
        order = np.argsort(-np.abs(scaled), kind="stable")
        return tuple(
            FeatureDifference(
                self.cases.feature_names[j], float(self.query[j]), float(neighbor.features[j]), float(scaled[j])
            )
            for j in order
        )

    def summary(self) -> str:
        """The explanation as a text for a person."""
        name_of, high, medium = self.cases.name_of, self.thresholds.high, self.thresholds.medium
        verdict = ""
        if self.true_class is not None:
            verdict = f" ({'right' if self.is_correct else 'wrong'}: the true class is {name_of(self.true_class)})"
        agreeing = sum(self.agrees(neighbor) for neighbor in self.neighbors)
        lines = [
            f"Prediction: {name_of(self.predicted_class)}{verdict}",
            f"Correspondence: {self.correspondence:.1%} ({self.interpretation}); "
            f"{agreeing} of the {len(self.neighbors)} nearest of {len(self.cases.y)} training cases agree.",
            "Nearest cases:",
        ]
        width = max(len(name_of(neighbor.label)) for neighbor in self.neighbors)
        for rank, neighbor in enumerate(self.neighbors, start=1):
            mark = "agrees" if self.agrees(neighbor) else "differs"
            lines.append(
                f"  {rank}. {name_of(neighbor.label):<{width}}  {mark:<7}  distance {neighbor.distance:.4g}  "
                f"(case {neighbor.index})"
            )
        changed = [difference for difference in self.differences() if difference.scaled][:3]
        if changed:
            told = "; ".join(f"{entry.name} {entry.query:.4g} against {entry.case:.4g}" for entry in changed)
            lines.append(f"Largest differences to the nearest case: {told}.")
        else:
            lines.append("The nearest case is identical to the query.")
        lines.append(
            "Correspondence measures agreement with these neighbours, not correctness: neighbours can agree with a "
            f"wrong prediction. The thresholds (high from {high:g}, medium from {medium:g}) depend on the domain."
        )
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Json]:
        """The explanation as plain JSON values."""
        names, name_of = self.cases.feature_names, self.cases.name_of
        return {
            "predicted_class": self.predicted_class,
            "predicted_class_name": name_of(self.predicted_class),
            "true_class": self.true_class,
            "true_class_name": None if self.true_class is None else name_of(self.true_class),
            "is_correct": self.is_correct,
            "correspondence": float(self.correspondence),
            "interpretation": self.interpretation,
            "thresholds": {"high": float(self.thresholds.high), "medium": float(self.thresholds.medium)},
            "query": dict(zip(names, self.query.tolist(), strict=True)),
            "neighbors": [
                {
                    "index": neighbor.index,
                    "distance": neighbor.distance,
                    "label": neighbor.label,
                    "label_name": name_of(neighbor.label),
                    "agrees": self.agrees(neighbor),
                    "features": dict(zip(names, neighbor.features.tolist(), strict=True)),
                }
                for neighbor in self.neighbors
            ],
        }

    def plot(self, ax: Axes | None = None) -> Figure:
        """Draw the neighbours by distance and, on a figure of its own, the differences to the nearest case.

        Needs matplotlib (the extra ``plot``). With ``ax`` only the neighbours are drawn, into these axes.
        """
        from assay.cases.picture import draw_explanation

        return draw_explanation(self, ax=ax)
