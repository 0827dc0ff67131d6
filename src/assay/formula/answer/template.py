"""The subject file that ``assay init formula`` writes: small, complete, to be edited."""

from __future__ import annotations

__all__ = ["TEMPLATE"]

TEMPLATE = '''"""My way of finding formulas.

`task` holds variables (names), target and parts; a part holds inputs (one row per sample, columns in the order of the
variables), target and noise. Most tasks have one part; tasks about noise have one per level. Give a list of formulas
for every part: the one you stand by first, others of your Pareto set behind it. `predictions`, what your own model says
of the first 100 training rows, is optional and checked against the formula.
"""

import numpy as np

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
'''
