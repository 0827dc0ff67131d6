"""Random forests with scikit-learn's predictions at a fraction of its cost."""

from assay.insight.fits.forest.engine import Choice, choose_engine, predict
from assay.insight.fits.forest.randomness import Bootstrap, bootstrap
from assay.insight.fits.forest.selfcheck import Finding, check_engines
from assay.insight.fits.forest.settings import ForestSettings, Prediction, Task

__all__ = [
    "Bootstrap",
    "Choice",
    "Finding",
    "ForestSettings",
    "Prediction",
    "Task",
    "bootstrap",
    "check_engines",
    "choose_engine",
    "predict",
]
