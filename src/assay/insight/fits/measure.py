"""Performances of models under the document's rules, one call per fit."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from assay.insight.examine.config import InsightConfig
from assay.insight.examine.prediction_target import Outcome
from assay.insight.fits.encoding import EncodedColumn
from assay.insight.fits.fits import FitCache
from assay.insight.metrics import on_auc_scale

__all__ = ["Measure", "shared_fits"]

_FITS = FitCache()


def shared_fits() -> FitCache:
    """The fits of this process, shared by all cells that it examines."""
    return _FITS


class Measure:
    """Performances of models, and how many fits each engine did."""

    def __init__(self, config: InsightConfig, fits: FitCache = _FITS) -> None:
        self._forest = config.forest
        self._raw = config.r2_scale == "raw"
        self._fits = fits
        self.engines: Counter[str] = Counter()

    def plain(self, predictors: Sequence[EncodedColumn], outcome: Outcome) -> float:
        """AUC or R² of a model of the predictors; no information gives 0.5, or an R² of 0.

        Undefined (nan) where the test part holds a single class.
        """
        if not outcome.regression and len(np.unique(outcome.test)) < 2:
            return math.nan
        if outcome.constant or all(column.constant for column in predictors):
            self.engines["no information"] += 1
            return 0.0 if outcome.regression else 0.5
        fit = self._fits.fit(predictors, outcome, self._forest)
        self.engines[fit.engine] += 1
        return fit.performance

    def scaled(self, predictors: Sequence[EncodedColumn], outcome: Outcome) -> float:
        """The same on the scale that ρ reads."""
        return self.scale(self.plain(predictors, outcome), outcome)

    def scale(self, performance: float, outcome: Outcome) -> float:
        """A performance on the scale that ρ reads: R² is moved onto that of an AUC, unless raw values are asked for."""
        return on_auc_scale(performance) if outcome.regression and not self._raw else performance
