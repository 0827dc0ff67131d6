"""Pure functions of sets and labels, or intervals and numbers: coverage, size, certainty, accuracy, weights of tasks.

Each module lists its public functions in ``__all__`` and registers its metrics in ``METRICS``, below the definitions.
"""

from assay.conformal.metrics import (
    accuracy,
    certainty,
    class_coverages,
    coverages,
    headline,
    hits,
    intervals,
    size,
    slab,
    slices,
    smallest_sets,
    volumes,
    weights,
)
from assay.conformal.metrics.accuracy import *
from assay.conformal.metrics.certainty import *
from assay.conformal.metrics.class_coverages import *
from assay.conformal.metrics.coverages import *
from assay.conformal.metrics.headline import *
from assay.conformal.metrics.hits import *
from assay.conformal.metrics.intervals import *
from assay.conformal.metrics.size import *
from assay.conformal.metrics.slab import *
from assay.conformal.metrics.slices import *
from assay.conformal.metrics.smallest_sets import *
from assay.conformal.metrics.volumes import *
from assay.conformal.metrics.weights import *

__all__ = [
    *accuracy.__all__,
    *certainty.__all__,
    *class_coverages.__all__,
    *coverages.__all__,
    *headline.__all__,
    *hits.__all__,
    *intervals.__all__,
    *size.__all__,
    *slab.__all__,
    *slices.__all__,
    *smallest_sets.__all__,
    *volumes.__all__,
    *weights.__all__,
]

FAMILIES = coverages.FAMILIES

METRICS = (
    *headline.METRICS,
    *coverages.METRICS,
    *class_coverages.METRICS,
    *slices.METRICS,
    *size.METRICS,
    *smallest_sets.METRICS,
)  # in the order of tables, the headline first
