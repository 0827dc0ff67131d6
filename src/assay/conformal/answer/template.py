"""The subject file that ``assay init conformal`` writes: small, complete, to be edited, with the contract on top."""

from __future__ import annotations

from assay.conformal.answer.contract import CONTRACT

__all__ = ["TEMPLATE"]

_CODE = """from assay.conformal import ConformalAnswer, calibrate
from assay.conformal.regions import calibrate_regions


def solve(task, budget):
    if task.numbers:  # tasks that predict numbers, perhaps beside classes
        calibration = calibrate_regions(
            task.calibration_predictions, task.calibration_truth, alpha=task.alpha, guarantee=task.guarantee
        )
        return calibration.predict(task.test_predictions)
    method = "joint-combinations" if task.guarantee == "joint" else "taskwise"
    calibration = calibrate(
        task.calibration_probabilities,
        task.calibration_labels,
        alpha=task.alpha,
        method=method,
        seed=budget.seed,
    )
    return ConformalAnswer(sets=calibration.predict_sets(task.test_probabilities))
"""

TEMPLATE = f'"""My prediction sets."""\n\n{CONTRACT.comment()}\n\n{_CODE}'
