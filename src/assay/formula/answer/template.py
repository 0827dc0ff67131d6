"""The subject file that ``assay init formula`` writes: small, complete, to be edited, with the contract on top."""

from __future__ import annotations

from assay.formula.answer.contract import CONTRACT

__all__ = ["TEMPLATE"]

_CODE = """import numpy as np

from assay.formula import FormulaAnswer, Model


def solve(task, budget):
    fronts = []
    for part in task.parts:
        matrix = np.column_stack([np.ones(len(part.target)), part.inputs])
        weights = np.linalg.lstsq(matrix, part.target, rcond=None)[0]
        terms = [f"({weight!r})*{name}" for weight, name in zip(weights[1:].tolist(), task.variables)]
        formula = " + ".join([repr(float(weights[0])), *terms])
        fronts.append([Model(formula=formula, predictions=(matrix @ weights)[:100])])
    return FormulaAnswer(fronts=fronts)
"""

TEMPLATE = f'"""My way of finding formulas."""\n\n{CONTRACT.comment()}\n\n{_CODE}'
