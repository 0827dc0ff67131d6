"""Pure functions: rankings with ties, their twins over arrays, quotes, abstention, and the detection of drifts.

Each module lists its public functions in ``__all__`` and registers its metrics in ``METRICS``, below the definitions.
"""

from assay.drift.metrics import arrays, detection, evidence, ranking
from assay.drift.metrics.arrays import *
from assay.drift.metrics.detection import *
from assay.drift.metrics.evidence import *
from assay.drift.metrics.ranking import *

__all__ = [
    *arrays.__all__,
    *detection.__all__,
    *evidence.__all__,
    *ranking.__all__,
]

FAMILIES = ranking.FAMILIES

METRICS = (
    *ranking.METRICS,
    *evidence.METRICS,
)  # in the order of tables, the headline first
