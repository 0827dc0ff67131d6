"""Public contract checks: a track, metric, subject or runner that passes them works with all of Assay."""

from assay.testing.failure import CheckFailed
from assay.testing.hiding import find_truth_in_task
from assay.testing.metric import check_metric
from assay.testing.runner import check_runner
from assay.testing.sandbox import check_sandbox
from assay.testing.subject import check_subject
from assay.testing.track import check_track

__all__ = [
    "CheckFailed",
    "check_metric",
    "check_runner",
    "check_sandbox",
    "check_subject",
    "check_track",
    "find_truth_in_task",
]
