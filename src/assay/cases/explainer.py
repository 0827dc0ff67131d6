"""Predictions explained by their nearest training cases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.cases.batch import ExplanationBatch
from assay.cases.casebase import CaseBase, Names, build_case_base
from assay.cases.checks import FloatArray, Label, LabelArray, as_k, as_label, as_labels, demand_same_kind, listed
from assay.cases.explanation import Explanation, Thresholds
from assay.cases.index import Algorithm, CaseIndex
from assay.cases.metrics import HIGH, MEDIUM, Weighting, correspondence, demand_weighting, interpret
from assay.core import InvalidInput

__all__ = ["CaseExplainer", "K"]

K: TypeAlias = int | Literal["all"]


class CaseExplainer:
    """Finds the nearest training cases of a prediction and measures how far they agree with it.

    With ``scale`` (the default) features are standardised by the training mean and standard deviation: distances and
    weights live in that space, the values shown are raw. ``class_weights`` is a mapping, an array in the order of the
    sorted classes, or "balanced" (a class weighs inversely to its frequency). The raw array is kept for showing values,
    not copied.

    >>> explainer = CaseExplainer([[0.0], [1.0], [10.0]], ["low", "low", "high"], k=2)
    >>> explanation = explainer.explain_instance([0.25], predicted_class="low")
    >>> explanation.correspondence, [neighbor.index for neighbor in explanation.neighbors]
    (1.0, [0, 1])
    """

    def __init__(
        self,
        X_train: object,
        y_train: object,
        *,
        k: K = 5,
        feature_names: Names | None = None,
        class_names: Names | Mapping[Any, str] | None = None,
        scale: bool = True,
        class_weights: Mapping[Any, float] | npt.ArrayLike | Literal["balanced"] | None = None,
        weighting: Weighting = "cubed",
        algorithm: Algorithm = "auto",
        thresholds: tuple[float, float] = (HIGH, MEDIUM),
        allow_unseen: bool = False,
    ) -> None:
        self.cases = build_case_base(
            X_train, y_train, feature_names=feature_names, class_names=class_names, scale=scale
        )
        self.k = as_k(k, available=len(self.cases.y))
        self.thresholds = _as_thresholds(thresholds)
        self.class_weights = _weights_by_class(class_weights, self.cases)
        if not callable(weighting):
            demand_weighting(weighting)
        self.weighting = weighting
        self.allow_unseen = allow_unseen
        # the index owns its array even when nothing is scaled: a later change of X_train must not move a neighbour
        self.index = CaseIndex(self.cases.scaling.apply(self.cases.X), algorithm=algorithm)

    def explain_instance(
        self,
        x: object,
        *,
        predicted_class: object = None,
        model: object = None,
        true_class: object = None,
        k: K | None = None,
    ) -> Explanation:
        """Explain one prediction: that of ``predicted_class``, or what ``model.predict`` says."""
        row = self.cases.row(x, what="x")
        _demand_one_source(predicted_class, model, name="predicted_class")
        if model is None:
            predicted = self._seen([as_label(predicted_class, what="predicted_class")], count=1, what="predicted_class")
        else:
            predicted = self._ask(model, x, row)
        truth = None if true_class is None else [as_label(true_class, what="true_class")]
        return self._explain(row, predicted, self._truth(truth, count=1, what="true_class"), k)[0]

    def explain_batch(
        self,
        X: object,
        *,
        predictions: object = None,
        model: object = None,
        y: object = None,
        k: K | None = None,
    ) -> ExplanationBatch:
        """Explain many predictions at once: those given, or those of ``model``; ``y`` is the truth, if known."""
        rows = self.cases.rows(X, what="X")
        _demand_one_source(predictions, model, name="predictions")
        if model is None:
            predicted = self._seen(predictions, count=len(rows), what="predictions")
        else:
            predicted = self._ask(model, X, rows)
        return self._explain(rows, predicted, self._truth(y, count=len(rows), what="y"), k)

    def _explain(
        self, rows: FloatArray, predicted: LabelArray, true: LabelArray | None, k: K | None
    ) -> ExplanationBatch:
        count = self.k if k is None else as_k(k, available=len(self.index))
        found = self.index.query(self.cases.scaling.apply(rows), count)
        labels = self.cases.y[found.indices]
        return ExplanationBatch(
            indices=found.indices,
            distances=found.distances,
            labels=labels,
            correspondence=correspondence(
                found.distances, labels, predicted, class_weights=self.class_weights, weighting=self.weighting
            ),
            predicted=predicted,
            true=true,
            queries=rows,
            thresholds=self.thresholds,
            cases=self.cases,
        )

    def _seen(self, labels: object, *, count: int, what: str) -> LabelArray:
        return self.cases.labels(labels, count=count, what=what, allow_unseen=self.allow_unseen)

    def _truth(self, labels: object, *, count: int, what: str) -> LabelArray | None:
        # the truth may well be a class that training never saw
        return None if labels is None else self.cases.labels(labels, count=count, what=what, allow_unseen=True)

    def _ask(self, model: Any, given: Any, rows: FloatArray) -> LabelArray:
        if not callable(getattr(model, "predict", None)):
            raise InvalidInput(f"model: {type(model).__name__} has no predict(); pass the predictions instead.")
        trained_on = getattr(model, "feature_names_in_", None)
        if hasattr(given, "columns"):
            table = given
        elif trained_on is not None and len(trained_on) == rows.shape[1]:
            import pandas as pd

            table = pd.DataFrame(rows, columns=trained_on)  # a model that learned names gets names
        else:
            table = rows
        if not len(rows):
            return self.cases.y[:0]  # most models refuse an empty table
        return self._seen(model.predict(table), count=len(rows), what="the model's predictions")


def _demand_one_source(given: object, model: object, *, name: str) -> None:
    if (given is None) == (model is None):
        said = "neither was" if given is None else "both were"
        raise InvalidInput(f"give either {name} or a model, exactly one of them; {said} given.")


def _as_thresholds(thresholds: tuple[float, float]) -> Thresholds:
    try:
        high, medium = (float(threshold) for threshold in thresholds)
    except (TypeError, ValueError):
        raise InvalidInput(f"thresholds: must be two numbers (high, medium), got {thresholds!r}.") from None
    interpret(0.0, high=high, medium=medium)
    return Thresholds(high, medium)


def _weights_by_class(given: Any, cases: CaseBase) -> dict[Label, float] | None:
    """Class weights in any of their three forms as a mapping over all training classes."""
    if given is None:
        return None
    classes: list[Label] = cases.classes.tolist()
    if isinstance(given, str):
        if given != "balanced":
            raise InvalidInput(f'class_weights: the only text is "balanced", got {given!r}.')
        counts = np.unique(cases.y, return_counts=True)[1]
        given = len(cases.y) / (len(classes) * counts)
    if isinstance(given, Mapping):
        named = as_labels(list(given), what="class_weights")
        demand_same_kind(named, cases.y, what="class_weights and training labels")
        unknown = [label for label in named.tolist() if label not in classes]
        if unknown:
            raise InvalidInput(
                f"class_weights: {unknown[0]!r} is not a training class. Known classes: {listed(classes)}."
            )
        weights = {label: given.get(label, 1.0) for label in classes}
    else:
        if np.shape(given) != (len(classes),):
            raise InvalidInput(
                f"class_weights: give one weight for each of the {len(classes)} classes in the order "
                f"{listed(classes)}; got shape {np.shape(given)}."
            )
        weights = dict(zip(classes, np.asarray(given).tolist(), strict=True))
    # one trial row has the metric judge the weights now, not at the first explanation
    correspondence(np.zeros((1, len(classes))), cases.classes[None], cases.classes[:1], class_weights=weights)
    return {label: float(weight) for label, weight in weights.items()}
