"""The columns that a batch computes on first access, so that plain explanations stay fast."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from assay.cases.neighbors.checks import FloatArray, IntArray, LabelArray

__all__ = ["ExplainerContext", "Familiarity", "QueryRows", "Unlike"]


class QueryRows(NamedTuple):
    """Columns of one batch, a row per query: raw values, predicted class, and the neighbours [n, k].

    ``exclude`` names the training case that a query itself is (-1: none), where a case must not explain itself.
    """

    queries: npt.NDArray[Any]
    predicted: LabelArray
    indices: IntArray
    distances: FloatArray
    exclude: IntArray | None = None


class Unlike(NamedTuple):
    """Per query its nearest unlike neighbour: the nearest training case whose label is not the predicted class.

    ``indices`` is -1 and ``distances`` nan where every training case has the predicted class.
    """

    indices: IntArray
    distances: FloatArray


class Familiarity(NamedTuple):
    """Per query how usual its distance to its neighbours is, and whether it is beyond what training knows.

    ``percentile`` is the share of training cases whose own mean distance to their k nearest other cases is at most the
    query's; ``unfamiliar`` is whether the share whose mean is smaller exceeds the explainer's ``ood_level``, or a
    feature is ``outside`` [n, features]: farther beyond the training values than these lie apart.
    """

    percentile: FloatArray
    unfamiliar: npt.NDArray[np.bool_]
    outside: npt.NDArray[np.bool_] | None = None


@runtime_checkable
class ExplainerContext(Protocol):
    """What a batch keeps of its explainer, to answer on first access what costs time.

    Every method may be given any subset of a batch's rows. The answers depend on the row alone, so a slice of a batch
    may ask again or slice what it has.
    """

    def unlike(self, rows: QueryRows, /) -> Unlike:
        """The nearest unlike neighbour of each query."""

    def familiarity(self, rows: QueryRows, /) -> Familiarity:
        """How usual the distances to the neighbours are among the training cases."""

    def fidelity(self, rows: QueryRows, /) -> FloatArray | None:
        """Share of the neighbours for which the model's own prediction is the predicted class; None without a model."""

    def prior(self, rows: QueryRows, /) -> FloatArray:
        """Share of the predicted class among the training cases; 0 for a class that training never saw."""
