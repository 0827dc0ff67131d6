"""What a subject of the formula track gets and gives."""

from __future__ import annotations

from typing import Final

from assay.core.contract.contract import Contract, TaskField

__all__ = ["CONTRACT"]

CONTRACT: Final = Contract(
    task={
        "name": TaskField("str", "the name of the task", "'task-f05e5f74'"),
        "variables": TaskField("tuple of str", "the inputs, in the order of the columns", "('mass', 'speed')"),
        "target": TaskField("str", "what the formula is for", "'energy'"),
        "parts": TaskField("tuple of Part", "the training tables: one, but for problems about noise", "(Part(...),)"),
        "parts[0].inputs": TaskField("float array [rows, variables]", "the measured inputs", "[[2.0, 3.0]]"),
        "parts[0].target": TaskField("float array [rows]", "the measured target", "[9.0]"),
        "parts[0].noise": TaskField("float", "the noise, as a share of the target's variance", "0.0"),
        "test_inputs": TaskField(
            "float array or None", "rows to predict where no law is known: Model(test_predictions=...)", "None"
        ),
    },
    answer="a formula over task.variables as text, or for several parts a list of formulas each",
    answers={
        "'2.5 * ' + task.variables[0]": "a text, where the task has one part",
        "[task.variables[0], '1']": "several, where the task has one part: the one you stand by first",
        "Model(\n"
        "    formula=task.variables[0],\n"
        "    predictions=task.parts[0].inputs[:100, 0],\n"
        ")": "with what your own model says of the first 100 rows, which is checked",
        "FormulaAnswer(fronts=[[task.variables[0]] for part in task.parts])": "for every part its formulas, best first",
    },
    files={
        "problem.json": "variables, target, domain and parts: the names of the tables",
        "train.csv": "the measurements; train_00.csv, train_01.csv, ... for several parts",
    },
    program='{"models": ["0.5 * mass * speed**2"]}',
)
