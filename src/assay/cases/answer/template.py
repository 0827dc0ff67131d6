"""The subject file that ``assay init cases`` writes: small, complete, to be edited, with the contract on top."""

from __future__ import annotations

from assay.cases.answer.contract import CONTRACT

__all__ = ["TEMPLATE"]

_CODE = """import numpy as np

from assay.cases import CasesAnswer


def solve(task, budget):
    ordered = np.sort(task.probabilities, axis=1)
    margin = ordered[:, -1] - ordered[:, -2]
    return CasesAnswer(scores=margin)
"""

TEMPLATE = f'"""My way of telling which predictions of a classifier to trust."""\n\n{CONTRACT.comment()}\n\n{_CODE}'
