"""Pure functions: accuracy, features, noise, re-discovery, outcomes, and ranks into one score.

Each module lists its public functions in ``__all__`` and registers its metrics in ``METRICS``, below the definitions.
"""

from assay.formula.metrics import accuracy, extrapolation, features, headline, judging, noise, outcome, rediscovery
from assay.formula.metrics.accuracy import *
from assay.formula.metrics.extrapolation import *
from assay.formula.metrics.features import *
from assay.formula.metrics.headline import *
from assay.formula.metrics.judging import *
from assay.formula.metrics.noise import *
from assay.formula.metrics.outcome import *
from assay.formula.metrics.rediscovery import *

__all__ = [
    *accuracy.__all__,
    *extrapolation.__all__,
    *features.__all__,
    *headline.__all__,
    *judging.__all__,
    *noise.__all__,
    *outcome.__all__,
    *rediscovery.__all__,
]

FAMILIES = accuracy.FAMILIES

METRICS = (
    *headline.METRICS,
    *rediscovery.METRICS,
    *accuracy.METRICS,
    *features.METRICS,
    *extrapolation.METRICS,
    *noise.METRICS,
    *outcome.METRICS,
)  # in the order of tables, the headline first
