"""Pure functions of arrays: agreement, detection, calibration, neighbourhoods, and what was planted."""

from types import FunctionType

from assay.cases.metrics.agreement import (
    HIGH,
    MEDIUM,
    WEIGHTINGS,
    ClassWeights,
    Interpretation,
    Weighting,
    compute_correspondence,
    correspondence,
    demand_weighting,
    euclidean_distance,
    interpret,
    mean_correspondence_correct,
    mean_correspondence_wrong,
)
from assay.cases.metrics.calibration import (
    brier,
    cross_recalibrated,
    expected_calibration_error,
    recalibrate,
    recalibrated_brier,
    recalibrated_calibration_error,
)
from assay.cases.metrics.detection import (
    auprc,
    aurc,
    auroc,
    excess_aurc,
    fpr_at_tpr,
)
from assay.cases.metrics.neighbourhood import (
    class_homogeneity,
    diversity,
    neighbour_recall,
    non_representativeness,
    score_stability,
    stability,
)
from assay.cases.metrics.planted import (
    label_noise_auroc,
    ood_auroc,
)

__all__ = [
    "HIGH",
    "MEDIUM",
    "WEIGHTINGS",
    "ClassWeights",
    "Interpretation",
    "Weighting",
    "auprc",
    "aurc",
    "auroc",
    "brier",
    "class_homogeneity",
    "compute_correspondence",
    "correspondence",
    "cross_recalibrated",
    "demand_weighting",
    "diversity",
    "euclidean_distance",
    "excess_aurc",
    "expected_calibration_error",
    "fpr_at_tpr",
    "interpret",
    "label_noise_auroc",
    "mean_correspondence_correct",
    "mean_correspondence_wrong",
    "neighbour_recall",
    "non_representativeness",
    "ood_auroc",
    "recalibrate",
    "recalibrated_brier",
    "recalibrated_calibration_error",
    "score_stability",
    "stability",
]

# a function is called by the name under which it is documented and imported, wherever its file lies
for _name in __all__:
    if isinstance(_found := globals()[_name], FunctionType):
        _found.__module__ = __name__
