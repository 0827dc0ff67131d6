"""The same question answered by scikit-learn itself: the reference, and the way out wherever parity is not certain."""

from __future__ import annotations

import sys
from functools import cache
from importlib.metadata import version

import numpy as np
import numpy.typing as npt

from assay.core.arrays import FloatArray
from assay.insight.fits.forest.settings import ForestSettings, Task

__all__ = ["installed_version", "predict_with_sklearn"]


def installed_version() -> str:
    """The scikit-learn that answers here; to ask for its version does not load it, which takes longer than a score."""
    loaded = sys.modules.get("sklearn")
    return _distributed_version() if loaded is None else str(loaded.__version__)


@cache
def _distributed_version() -> str:
    return version("scikit-learn")


def predict_with_sklearn(
    train: FloatArray,
    target: npt.NDArray[np.int64] | FloatArray,
    test: FloatArray,
    *,
    task: Task,
    classes: int,
    settings: ForestSettings,
) -> FloatArray:
    """Values of the test rows, or one column of probabilities per class; one thread, so that trees add up in order.

    Closeness of values is judged as the installed version does, whatever ``merge_close_values`` says.
    """
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    kind = RandomForestClassifier if task == "classification" else RandomForestRegressor
    forest = kind(n_estimators=settings.trees, random_state=settings.seed, max_depth=settings.max_depth, n_jobs=1)
    forest.fit(train, target)
    if task == "regression":
        return np.asarray(forest.predict(test), dtype=np.float64)
    values = np.zeros((test.shape[0], classes))
    values[:, forest.classes_] = forest.predict_proba(test)
    return values
