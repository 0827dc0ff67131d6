"""The insight metrics as pure functions: numbers in, numbers out.

Each module lists its public functions in ``__all__`` and registers its metrics in ``METRICS``, below the definitions.
"""

from assay.insight.metrics import association, chance, coverages, covered_columns, leak, performance, score
from assay.insight.metrics.association import *
from assay.insight.metrics.chance import *
from assay.insight.metrics.coverages import *
from assay.insight.metrics.leak import *
from assay.insight.metrics.performance import *
from assay.insight.metrics.score import *

__all__ = [
    *association.__all__,
    *chance.__all__,
    *coverages.__all__,
    *leak.__all__,
    *performance.__all__,
    *score.__all__,
]

METRICS = (
    *score.METRICS,
    *covered_columns.METRICS,
    *leak.METRICS,
)  # in the order of tables, the headline first
