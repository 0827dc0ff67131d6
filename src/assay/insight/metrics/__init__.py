"""The insight metrics as pure functions: numbers in, numbers out."""

from assay.insight.metrics.association import correlation_ratio, spearman
from assay.insight.metrics.coverage import (
    BestCoverer,
    best_coverer,
    correlation_coverage,
    coverage,
    incremental_coverage,
    incremental_performance_coverage,
    predictive_coverage,
    single_column_predictive_coverage,
    weighted_mean,
)
from assay.insight.metrics.performance import auc, lift, macro_auc, on_auc_scale, r_squared, rho
from assay.insight.metrics.score import (
    combined_score,
    exclusive_performance,
    inclusive_performance,
    naive_performance,
    target_leak,
)

__all__ = [
    "BestCoverer",
    "auc",
    "best_coverer",
    "combined_score",
    "correlation_coverage",
    "correlation_ratio",
    "coverage",
    "exclusive_performance",
    "inclusive_performance",
    "incremental_coverage",
    "incremental_performance_coverage",
    "lift",
    "macro_auc",
    "naive_performance",
    "on_auc_scale",
    "predictive_coverage",
    "r_squared",
    "rho",
    "single_column_predictive_coverage",
    "spearman",
    "target_leak",
    "weighted_mean",
]
