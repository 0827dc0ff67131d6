"""Pure functions of sets and labels: accuracy, coverage, size, their certainty, and weights of tasks."""

from types import FunctionType

from assay.conformal.metrics.accuracy import high_level_accuracy, low_level_accuracy
from assay.conformal.metrics.certainty import (
    CoverageTest,
    coverage_interval,
    coverage_test,
    share_interval,
    taskwise_coverage_interval,
)
from assay.conformal.metrics.coverage import (
    Slice,
    class_coverage,
    coverage,
    coverage_gap,
    covered,
    size_coverage,
    size_stratified_coverage,
    taskwise_coverage,
    taskwise_coverage_gap,
    worst_slice_coverage,
)
from assay.conformal.metrics.size import (
    efficiency,
    empty_rate,
    hardest_tasks,
    informativeness,
    relative_size,
    singleton_accuracy,
    size_histogram,
    taskwise_efficiency,
    taskwise_empty_rate,
    taskwise_informativeness,
    taskwise_singleton_accuracy,
    weighted_efficiency,
    weighted_informativeness,
)
from assay.conformal.metrics.slab import worst_slab_coverage
from assay.conformal.metrics.weights import (
    class_count_weights,
    confidence_weights,
    data_share_weights,
    difficulty_weights,
    importance_weights,
)

__all__ = [
    "CoverageTest",
    "Slice",
    "class_count_weights",
    "class_coverage",
    "confidence_weights",
    "coverage",
    "coverage_gap",
    "coverage_interval",
    "coverage_test",
    "covered",
    "data_share_weights",
    "difficulty_weights",
    "efficiency",
    "empty_rate",
    "hardest_tasks",
    "high_level_accuracy",
    "importance_weights",
    "informativeness",
    "low_level_accuracy",
    "relative_size",
    "share_interval",
    "singleton_accuracy",
    "size_coverage",
    "size_histogram",
    "size_stratified_coverage",
    "taskwise_coverage",
    "taskwise_coverage_gap",
    "taskwise_coverage_interval",
    "taskwise_efficiency",
    "taskwise_empty_rate",
    "taskwise_informativeness",
    "taskwise_singleton_accuracy",
    "weighted_efficiency",
    "weighted_informativeness",
    "worst_slab_coverage",
    "worst_slice_coverage",
]

# a function is called by the name under which it is documented and imported, wherever its file lies
for _name in __all__:
    if isinstance(_found := globals()[_name], FunctionType):
        _found.__module__ = __name__
