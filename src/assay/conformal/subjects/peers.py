"""Other people's conformal classifiers on one task, from bare probabilities; imported when they are asked for."""

from __future__ import annotations

import warnings
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from assay.conformal.sets.checks import BoolArray, FloatArray, IntArray
from assay.core import MissingExtra, UnknownName

__all__ = ["SCORES_OF", "demand", "predict"]

SCORES_OF = {"mapie": ("lac", "top_k", "aps", "raps"), "crepes": ("hinge", "margin")}


def demand(library: str, score: str) -> None:
    """A library that is there, and one of its scores."""
    if score not in SCORES_OF[library]:
        raise UnknownName(f"score of {library}", str(score), SCORES_OF[library])
    if find_spec(library) is None:
        raise MissingExtra(f"The {library} subject", library, "peers")


def predict(
    library: str, score: str, probabilities: FloatArray, labels: IntArray, new: FloatArray, *, alpha: float
) -> BoolArray:
    """Its sets for new probabilities, as an (n, C) boolean matrix."""
    demand(library, score)
    sets = {"mapie": _mapie, "crepes": _crepes}[library](score, probabilities, labels, new, alpha)
    return np.asarray(sets, dtype=np.bool_)


def _mapie(score: str, probabilities: FloatArray, labels: IntArray, new: FloatArray, alpha: float) -> Any:
    from sklearn.base import BaseEstimator, ClassifierMixin

    class Given(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
        """A fitted classifier whose features are its probabilities."""

        def __init__(self, count: int = 0) -> None:
            self.count = count

        def fit(self, X: Any, y: Any) -> Any:
            self.classes_ = np.arange(self.count)
            self.n_features_in_ = self.count
            return self

        def predict_proba(self, X: Any) -> Any:
            return np.asarray(X)

        def predict(self, X: Any) -> Any:
            return np.asarray(X).argmax(axis=1)

    model = Given(probabilities.shape[1]).fit(probabilities, labels)
    outcome = import_module("mapie.classification").SplitConformalClassifier(
        estimator=model, confidence_level=1 - alpha, conformity_score=score, prefit=True, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a class without calibration samples; evidence will show it
        outcome.conformalize(probabilities, labels)
        return outcome.predict_set(new)[1][:, :, 0]


def _crepes(score: str, probabilities: FloatArray, labels: IntArray, new: FloatArray, alpha: float) -> Any:
    strange = getattr(import_module("crepes.extras"), score)
    classes = np.arange(probabilities.shape[1])
    model = import_module("crepes").ConformalClassifier()
    model.fit(strange(probabilities, classes, labels))
    return model.predict_set(strange(new), confidence=1 - alpha, smoothing=False)
