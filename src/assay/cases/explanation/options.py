"""What an explainer is told, checked: thresholds, shares, weights of classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.cases.explanation.facts import Thresholds
from assay.cases.metrics import correspondence, interpret
from assay.cases.neighbors.casebase import CaseBase
from assay.cases.neighbors.checks import Label, as_labels, demand_same_kind, listed
from assay.core import InvalidInput

__all__ = ["as_share", "as_thresholds", "weights_by_class"]


def as_thresholds(thresholds: tuple[float, float]) -> Thresholds:
    """Two numbers in order: from where on a correspondence is high, and medium."""
    try:
        high, medium = (float(threshold) for threshold in thresholds)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(f"thresholds: must be two numbers (high, medium), got {thresholds!r}.") from None
    interpret(0.0, high=high, medium=medium)
    return Thresholds(high, medium)


def as_share(value: Any, *, what: str) -> float:
    """A number between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating) or not 0 <= value <= 1:
        raise InvalidInput(f"{what} must be a number between 0 and 1, got {value!r}.")
    return float(value)


def weights_by_class(class_weights: Any, cases: CaseBase) -> dict[Label, float] | None:
    """Class weights in any of their three forms as a mapping over all training classes."""
    if class_weights is None:
        return None
    classes: list[Label] = cases.classes.tolist()
    if isinstance(class_weights, str):
        if class_weights != "balanced":
            raise InvalidInput(f'class_weights: the only text is "balanced", got {class_weights!r}.')
        counts = np.unique(cases.y, return_counts=True)[1]
        class_weights = len(cases.y) / (len(classes) * counts)
    if isinstance(class_weights, Mapping):
        named = as_labels(list(class_weights), what="class_weights")
        demand_same_kind(named, cases.y, what="class_weights and training labels")
        unknown = [label for label in named.tolist() if label not in classes]
        if unknown:
            raise InvalidInput(
                f"class_weights: {unknown[0]!r} is not a training class. Known classes: {listed(classes)}."
            )
        weights = {label: class_weights.get(label, 1.0) for label in classes}
    else:
        if np.shape(class_weights) != (len(classes),):
            raise InvalidInput(
                f"class_weights: give one weight for each of the {len(classes)} classes in the order "
                f"{listed(classes)}; got shape {np.shape(class_weights)}."
            )
        weights = dict(zip(classes, np.asarray(class_weights).tolist(), strict=True))
    # one trial row has the metric judge the weights now, not at the first explanation
    correspondence(np.zeros((1, len(classes))), cases.classes[None], cases.classes[:1], class_weights=weights)
    return {label: float(weight) for label, weight in weights.items()}
