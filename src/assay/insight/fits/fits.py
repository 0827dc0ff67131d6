"""Every distinct fit is done once: performances of models, kept by the content of what went into them."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b
from threading import Lock
from typing import NamedTuple

import numpy as np

from assay.core.arrays import FloatArray
from assay.insight.examine.prediction_target import Outcome
from assay.insight.fits.encoding import EncodedColumn
from assay.insight.fits.forest import ForestSettings, Prediction, predict
from assay.insight.metrics import macro_auc, r_squared

__all__ = ["Fit", "FitCache", "performance", "predictions"]

MOST_FITS = 200_000  # fits remembered; each takes some hundred bytes


class Fit(NamedTuple):
    """A model's performance on the test part: AUC or R²; and who fitted it."""

    performance: float
    engine: str
    reason: str


class FitCache:
    """Fits by content, the least recently used forgotten first; never shared with code under test."""

    def __init__(self, capacity: int = MOST_FITS) -> None:
        self._capacity = capacity
        self._fits: OrderedDict[bytes, Fit] = OrderedDict()
        self._lock = Lock()
        self.fitted = 0
        self.shared = 0

    def fit(self, predictors: Sequence[EncodedColumn], outcome: Outcome, forest: ForestSettings) -> Fit:
        """The fit of these predictors, in this order, to this outcome."""
        key = blake2b(
            b"".join(column.digest for column in predictors) + outcome.digest + repr(forest).encode(), digest_size=16
        ).digest()
        with self._lock:
            stored = self._fits.get(key)
            if stored is not None:
                self._fits.move_to_end(key)
                self.shared += 1
                return stored
        fit = _fit(predictors, outcome, forest)
        with self._lock:
            self._fits[key] = fit
            self.fitted += 1
            while len(self._fits) > self._capacity:
                self._fits.popitem(last=False)
        return fit

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._fits.clear()
            self.fitted = self.shared = 0


def performance(outcome: Outcome, predictions: FloatArray) -> float:
    """AUC or R² of predictions of the test part; nan where the test part holds a single class."""
    if outcome.regression:
        return r_squared(outcome.test, predictions)
    unknown = int(outcome.test.max(initial=0)) + 1 - predictions.shape[1]
    if unknown > 0:  # a class that no training row has gets no probability
        predictions = np.hstack([predictions, np.zeros((len(predictions), unknown))])
    return macro_auc(outcome.test, predictions)


def predictions(predictors: Sequence[EncodedColumn], outcome: Outcome, forest: ForestSettings) -> Prediction:
    """What a forest of these predictors, in this order, says of the test part."""
    return predict(
        _matrix([column.train for column in predictors]),
        outcome.train,
        _matrix([column.test for column in predictors]),
        task="regression" if outcome.regression else "classification",
        classes=outcome.classes,
        settings=forest,
    )


def _fit(predictors: Sequence[EncodedColumn], outcome: Outcome, forest: ForestSettings) -> Fit:
    prediction = predictions(predictors, outcome, forest)
    value = performance(outcome, prediction.values)
    return Fit(value if math.isfinite(value) else math.nan, prediction.engine, prediction.reason)


def _matrix(columns: Sequence[FloatArray]) -> FloatArray:
    return np.ascontiguousarray(np.stack(columns, axis=1))
