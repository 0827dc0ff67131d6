"""The subject file that ``assay init conformal`` writes: small, complete, to be edited."""

from __future__ import annotations

__all__ = ["TEMPLATE"]

TEMPLATE = '''"""My prediction sets.

`task` holds, per task, calibration_probabilities [samples, C] with calibration_labels [samples] (-1 is missing) and
test_probabilities [samples, C]; then alpha, guarantee ("taskwise" or "joint"), task_names, and groups if there are any.
Give one boolean matrix [samples, C] per task: True where the class is still possible.
"""

from assay.conformal import ConformalAnswer, calibrate


def solve(task, budget):
    method = "joint" if task.guarantee == "joint" else "taskwise"
    calibration = calibrate(
        task.calibration_probabilities,
        task.calibration_labels,
        alpha=task.alpha,
        method=method,
        score="margin",
        seed=budget.seed,
    )
    return ConformalAnswer(sets=calibration.predict_sets(task.test_probabilities))
'''
