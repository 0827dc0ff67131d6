"""The subject file that ``assay init cases`` writes: small, complete, to be edited."""

from __future__ import annotations

__all__ = ["TEMPLATE"]

TEMPLATE = '''"""My way of telling which predictions of a classifier to trust.

`task` holds train_X, train_y (the cases), query_X, predicted, probabilities (one row per query), classes and
feature_names. Give one score per query: the higher, the more the prediction is to be trusted. Neighbours (indices into
train_X, a row per query) are optional.
"""

import numpy as np

from assay.cases import CasesAnswer


def solve(task, budget):
    ordered = np.sort(task.probabilities, axis=1)
    margin = ordered[:, -1] - ordered[:, -2]
    return CasesAnswer(scores=margin)
'''
