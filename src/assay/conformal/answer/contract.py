"""What a subject of the conformal track gets and gives."""

from __future__ import annotations

from typing import Final

from assay.core.contract.contract import Contract, TaskField

__all__ = ["CONTRACT"]

CONTRACT: Final = Contract(
    task={
        "calibration_probabilities": TaskField(
            "tuple of float arrays [samples, classes]", "one matrix per task", "(array([[0.9, 0.1]]),)"
        ),
        "calibration_labels": TaskField(
            "tuple of int arrays [samples]", "class numbers, -1 where missing", "(array([0]),)"
        ),
        "test_probabilities": TaskField(
            "tuple of float arrays [samples, classes]", "the samples to give sets for", "(array([[0.6, 0.4]]),)"
        ),
        "alpha": TaskField("float", "the share of errors that is allowed", "0.1"),
        "guarantee": TaskField("str", "'taskwise', or 'joint' for all tasks of a sample at once", "'taskwise'"),
        "task_names": TaskField("tuple of str", "one per task", "('species', 'size')"),
        "classes": TaskField("tuple of int", "the number of classes of each task", "(6, 3)"),
        "calibration_groups": TaskField("int array [samples] or None", "groups of the samples", "[0, 2, 1]"),
        "test_groups": TaskField("int array [samples] or None", "the same for the test samples", "[1, 1, 0]"),
    },
    answer="for every task the set of classes that are still possible for each test sample",
    answers={
        "[matrix > 0.05 for matrix in task.test_probabilities]": "one boolean matrix [samples, classes] per task",
        "[[[0, 1] for row in matrix] for matrix in task.test_probabilities]": "class numbers, by task and sample",
        "ConformalAnswer(\n    sets=[matrix > 0.05 for matrix in task.test_probabilities]\n)": "either, as an object",
        "ConformalAnswer(\n    combinations=[[[0] * len(task.classes)]] * len(task.test_probabilities[0])\n)": (
            "by sample the combinations of classes that are still possible, a class per task"
        ),
        "calibrate(\n"
        "    task.calibration_probabilities,\n"
        "    task.calibration_labels,\n"
        "    alpha=task.alpha,\n"
        ").predict_sets(task.test_probabilities)": "the PredictionSets or CombinationSets of a calibration",
    },
    files={
        "problem.json": "alpha, guarantee and task_names",
        "calibration.npz": "arrays probabilities_0 and labels_0, probabilities_1, ..., maybe groups",
        "test.npz": "arrays probabilities_0, probabilities_1, ..., maybe groups",
    },
    program='{"sets": [[[0], [1, 2]], [[0, 1], [2]]]}',
)
