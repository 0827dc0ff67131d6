"""What a subject of the cases track gets and gives."""

from __future__ import annotations

from typing import Final

from assay.core.contract.contract import Contract, TaskField

__all__ = ["CONTRACT"]

CONTRACT: Final = Contract(
    task={
        "train_X": TaskField("float array [cases, features]", "the training cases", "[[5.1, 3.5], [4.9, 3.0]]"),
        "train_y": TaskField("array [cases]", "their labels", "['setosa', 'virginica']"),
        "query_X": TaskField("float array [queries, features]", "what was classified", "[[5.0, 3.4]]"),
        "predicted": TaskField("array [queries]", "the class that the classifier gave", "['setosa']"),
        "probabilities": TaskField(
            "float array [queries, classes]", "its probabilities, in the order of classes", "[[0.8, 0.1, 0.1]]"
        ),
        "classes": TaskField("tuple", "all classes", "('setosa', 'versicolor', 'virginica')"),
        "feature_names": TaskField("tuple of str", "one per column of train_X", "('length', 'width')"),
        "train_predicted": TaskField(
            "array [cases] or None", "what the classifier says of the training cases", "['setosa', 'setosa']"
        ),
        "twins": TaskField(
            "int array [queries] or None", "the query that is a perturbed copy of this one, or -1", "[-1, 3, -1, -1]"
        ),
    },
    answer="one finite number per query, higher for more trust that its prediction is right",
    answers={
        "task.probabilities.max(axis=1)": "an array or a list of scores",
        "CasesAnswer(\n"
        "    scores=task.probabilities.max(axis=1),\n"
        "    neighbors=[[0, 1]] * len(task.query_X),\n"
        "    unfamiliarity=[0.0] * len(task.query_X),\n"
        "    suspicion=[0.0] * len(task.train_y),\n"
        ")": "scores and, each optional, the rows of train_X that they rest on, a number per query that is higher for "
        "one unlike the training cases, a number per training case that is higher for a doubtful label",
    },
    files={
        "problem.json": "classes and feature_names",
        "train.npz": "arrays X and y, maybe predicted",
        "queries.npz": "arrays X, predicted and probabilities, maybe twins",
    },
    program='{"scores": [0.9, 0.2]}',
)
