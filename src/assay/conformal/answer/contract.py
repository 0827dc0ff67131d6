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
        "numbers": TaskField(
            "tuple of NumberTask",
            "tasks of numbers: name, truth, and in calibration and test the arrays predicted, scale, low, high or None",
            "()",
        ),
        "calibration_predictions": TaskField(
            "dict of str to predictions", "all tasks by name, as calibrate_regions takes them", "{'size': Classes(...)}"
        ),
        "calibration_truth": TaskField("dict of str to arrays", "their truth by name", "{'size': array([0])}"),
        "test_predictions": TaskField(
            "dict of str to predictions", "the same of the test samples", "{'size': Classes(...)}"
        ),
    },
    answer="for every task the set of classes, or the interval of numbers, still possible for each test sample",
    answers={
        "[matrix > 0.05 for matrix in task.test_probabilities]": "one boolean matrix [samples, classes] per task",
        "[[[0, 1] for row in matrix] for matrix in task.test_probabilities]": "class numbers, by task and sample",
        "ConformalAnswer(\n    sets=[matrix > 0.05 for matrix in task.test_probabilities]\n)": "either, as an object",
        "ConformalAnswer(\n    combinations=[[[0] * len(task.classes)]] * task.test_samples\n)": (
            "by sample the combinations of classes that are still possible, a class per task"
        ),
        "calibrate(\n"
        "    task.calibration_probabilities,\n"
        "    task.calibration_labels,\n"
        "    alpha=task.alpha,\n"
        ").predict_sets(task.test_probabilities)": "the PredictionSets or CombinationSets of a calibration",
        "ConformalAnswer(\n"
        "    sets=[matrix > 0.05 for matrix in task.test_probabilities],\n"
        "    intervals={\n"
        "        number.name: regions.Intervals(\n"
        "            number.test.predicted - 1, number.test.predicted + 1\n"
        "        )\n"
        "        for number in task.numbers\n"
        "    },\n"
        ")": "with intervals by task where tasks predict numbers; a bound may be infinite",
        "regions.calibrate_regions(\n"
        "    task.calibration_predictions,\n"
        "    task.calibration_truth,\n"
        "    alpha=task.alpha,\n"
        "    guarantee=task.guarantee,\n"
        ").predict(task.test_predictions)": "the Regions of tasks of any kind",
    },
    files={
        "problem.json": "alpha, guarantee and task_names; number_names of tasks of numbers",
        "calibration.npz": "arrays probabilities_0 and labels_0, probabilities_1, ...; of numbers predicted_0, maybe "
        "scale_0, low_0 and high_0, and the truth numbers_0; maybe groups",
        "test.npz": "arrays probabilities_0, probabilities_1, ..., and of numbers predicted_0, ...; maybe groups",
    },
    program='{"sets": [[[0], [1, 2]], [[0, 1], [2]]], "intervals": {"price": {"low": [1.5, null], "high": [2, 3]}}}',
)
