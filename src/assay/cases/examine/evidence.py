"""What the metrics of the cases track may look at."""

from __future__ import annotations

from dataclasses import dataclass

from assay.cases.neighbors.checks import FloatArray, IntArray, LabelArray
from assay.core.arrays import BoolArray

__all__ = ["CasesEvidence"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CasesEvidence:
    """All that the metrics of the cases track may look at: scores beside which predictions are wrong.

    Perturbed copies of queries count for stability only: they stand in ``twin_neighbors`` and nowhere else. All that
    concerns neighbours is computed from the cases that the answer names; None when it names none, or where the problem
    lacks what is needed.

    Parameters
    ----------
    scores : array of n numbers
        Higher for more trust in the prediction.
    wrong : array of n booleans
        Which predictions are wrong.
    correspondence : array of n numbers, optional
        How far the named cases agree with the prediction.
    neighbors, exact_neighbors : array of shape (n, k), optional
        The cases that the answer names, and the truly nearest, equally many.
    neighbor_labels, neighbor_predictions : array of shape (n, k), optional
        Labels of the named cases, and what the classifier says of them.
    neighbor_distances : array of n numbers, optional
        Mean distance between two of the named cases.
    predicted : array of n classes, optional
        What the classifier said.
    twin_neighbors : tuple of two arrays, optional
        Named cases of the queries that have a twin, and of their twins.
    unfamiliarity, ood : array of n, optional
        What the answer says, and which queries come from elsewhere.
    suspicion, mislabelled : array of one per training case, optional
        What the answer says, and which labels were changed.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.cases import auroc
    >>> evidence = CasesEvidence(scores=np.array([0.9, 0.2]), wrong=np.array([False, True]))
    >>> auroc(evidence.scores, evidence.wrong)
    1.0
    """

    scores: FloatArray
    wrong: BoolArray
    correspondence: FloatArray | None = None
    neighbors: IntArray | None = None
    exact_neighbors: IntArray | None = None  # the truly nearest, equally many
    neighbor_labels: LabelArray | None = None
    neighbor_distances: FloatArray | None = None  # per query, mean distance between two of its neighbours
    predicted: LabelArray | None = None
    neighbor_predictions: LabelArray | None = None
    twin_neighbors: tuple[IntArray, IntArray] | None = None  # of the queries that have a twin, and of their twins
    unfamiliarity: FloatArray | None = None
    ood: BoolArray | None = None
    suspicion: FloatArray | None = None
    mislabelled: BoolArray | None = None
