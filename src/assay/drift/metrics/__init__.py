"""Pure functions: rankings with ties, their twins over arrays, quotes, abstention, and the detection of drifts."""

from types import FunctionType

from assay.drift.metrics.arrays import (
    GoldenRanks,
    golden_ranks,
    mean_reciprocal_ranks,
    ndcgs,
    recalls_at_k,
    reciprocal_ranks,
    successes_at_k,
)
from assay.drift.metrics.detection import (
    DetectionCounts,
    always_fire,
    count_detections,
    detection_f1,
    detection_lag,
    detection_precision,
    detection_recall,
    match_points,
    pool_detections,
)
from assay.drift.metrics.evidence import (
    abstention_accuracy,
    abstention_precision,
    abstention_recall,
    confidence_brier,
    decision_accuracy,
    faithfulness,
)
from assay.drift.metrics.ranking import mean_reciprocal_rank, ndcg, recall_at_k, reciprocal_rank, success_at_k

__all__ = [
    "DetectionCounts",
    "GoldenRanks",
    "abstention_accuracy",
    "abstention_precision",
    "abstention_recall",
    "always_fire",
    "confidence_brier",
    "count_detections",
    "decision_accuracy",
    "detection_f1",
    "detection_lag",
    "detection_precision",
    "detection_recall",
    "faithfulness",
    "golden_ranks",
    "match_points",
    "mean_reciprocal_rank",
    "mean_reciprocal_ranks",
    "ndcg",
    "ndcgs",
    "pool_detections",
    "recall_at_k",
    "recalls_at_k",
    "reciprocal_rank",
    "reciprocal_ranks",
    "success_at_k",
    "successes_at_k",
]

# a function is called by the name under which it is documented and imported, wherever its file lies
for _name in __all__:
    if isinstance(_found := globals()[_name], FunctionType):
        _found.__module__ = __name__
