"""Pure functions of arrays: agreement, detection, calibration, neighbourhoods, and what was planted.

Each module lists its public functions in ``__all__`` and registers its metrics in ``METRICS``, below the definitions.
"""

from assay.cases.metrics import agreement, calibration, detection, neighbourhood, planted
from assay.cases.metrics.agreement import *
from assay.cases.metrics.calibration import *
from assay.cases.metrics.detection import *
from assay.cases.metrics.neighbourhood import *
from assay.cases.metrics.planted import *

__all__ = [
    *agreement.__all__,
    *calibration.__all__,
    *detection.__all__,
    *neighbourhood.__all__,
    *planted.__all__,
]

FAMILIES = (
    *detection.FAMILIES,
    *calibration.FAMILIES,
)

METRICS = (
    *detection.METRICS,
    *calibration.METRICS,
    *agreement.METRICS,
    *neighbourhood.METRICS,
    *planted.METRICS,
)  # in the order of tables, the headline first
