"""What a batch computes on first access: nearest cases of other classes, usual distances, base rates."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from assay.cases.explanation.context import Familiarity, QueryRows, Unlike
from assay.cases.neighbors.casebase import CaseBase
from assay.cases.neighbors.checks import FloatArray, IntArray, LabelArray, places_among
from assay.cases.neighbors.index import CaseIndex
from assay.core.arrays import BoolArray

__all__ = ["ReferenceDistances"]

_SAMPLE = 2_000  # training cases whose distances say what is usual


class ReferenceDistances:
    """The :class:`~assay.cases.explanation.context.ExplainerContext` of a case base.

    **Familiarity.** A seeded sample of at most 2,000 training cases is asked for the mean distance to their k nearest
    other cases, once for each k and not before anybody wants to know. The percentile of a query is the share of these
    means that are at most the query's own; it is unfamiliar when more than the share ``ood_level`` of them are smaller
    than its own (the same thing unless means are equal). By this rule a share of about 1 - ``ood_level`` of queries
    that are like the training cases is called unfamiliar, too. Where the case base is a single case nothing is usual:
    the percentile is nan and no query is unfamiliar.

    Some distances hardly see how far a query is off: Gower's takes a value beyond the range for one at its end, and
    angles have no length. So a query is unfamiliar, too, when one of its numbers lies farther beyond the training
    values than these lie apart (more than 1 beyond them where they are all equal).
    """

    def __init__(
        self,
        cases: CaseBase,
        index: CaseIndex,
        *,
        train_predictions: LabelArray | None = None,
        ood_level: float = 0.99,
        seed: int = 0,
    ) -> None:
        self.cases = cases
        self.index = index
        self.train_predictions = train_predictions
        self.ood_level = ood_level
        self._seed = seed
        self._usual: dict[int, FloatArray] = {}

    def unlike(self, rows: QueryRows) -> Unlike:
        """The nearest case of another class: among the neighbours, or by exact search where these all agree."""
        y, predicted = self.cases.y, rows.predicted
        nearest = Unlike(np.full(len(predicted), -1, dtype=np.int64), np.full(len(predicted), np.nan))
        other = y[rows.indices] != predicted[:, None]
        settled = np.flatnonzero(other.any(axis=1))
        first = other[settled].argmax(axis=1)
        nearest.indices[settled], nearest.distances[settled] = (
            rows.indices[settled, first],
            rows.distances[settled, first],
        )
        pending = np.flatnonzero(~other.any(axis=1))
        for label in np.unique(predicted[pending]):
            others = np.flatnonzero(y != label)
            if len(others):
                self._search_among(nearest, rows, pending[predicted[pending] == label], others)
        return nearest

    def _search_among(self, nearest: Unlike, rows: QueryRows, chosen: IntArray, others: IntArray) -> None:
        """Fill the chosen rows with their nearest case among the others, the row's own case left out."""
        space = self.cases.space
        # few queries are left for each class, and the others change with it: no tree would pay
        index = CaseIndex(self.index.cases[others], algorithm="brute", distance=space.distance)
        own_case = np.full(len(chosen), -1, dtype=np.int64)
        if rows.exclude is not None:
            place, inside = places_among(others, rows.exclude[chosen])
            own_case = np.where(inside, place, -1)
        has_other = (own_case < 0) | (len(others) > 1)
        chosen, own_case = chosen[has_other], own_case[has_other]
        compared = space.queries(self.cases.numbers(rows.queries[chosen]))
        matches = index.query(compared, 1, exclude=own_case)
        nearest.indices[chosen], nearest.distances[chosen] = others[matches.indices[:, 0]], matches.distances[:, 0]

    def familiarity(self, rows: QueryRows) -> Familiarity:
        """How many training cases lie no farther from their neighbours than the queries from theirs."""
        means = rows.distances.mean(axis=1)
        usual = self.usual_distances(rows.distances.shape[1])
        if not len(usual):
            return Familiarity(np.full(len(means), np.nan), np.zeros(len(means), dtype=np.bool_))
        percentile = np.searchsorted(usual, means, side="right") / len(usual)
        # strictly nearer ones: where most cases have copies, to be as near as they are is not to be far
        nearer = np.searchsorted(usual, means, side="left") / len(usual)
        outside = self._outside(rows)
        return Familiarity(percentile, (nearer > self.ood_level) | outside.any(axis=1), outside)

    def _outside(self, rows: QueryRows) -> BoolArray:
        """Per query and feature, whether a number lies farther beyond the training values than these lie apart."""
        low, high = self._limits
        numbers = self.cases.numbers(rows.queries)
        outside: BoolArray = (numbers < low) | (numbers > high)
        return outside

    @cached_property
    def _limits(self) -> tuple[FloatArray, FloatArray]:
        """The training values of each feature, as far again on either side; without bounds where nothing counts."""
        cases = self.cases
        numbers = self.index.cases if cases.encoding.categories else cases.X
        low, high = np.full(numbers.shape[1], -np.inf), np.full(numbers.shape[1], np.inf)
        for feature, column in enumerate(numbers.T):
            present = column[~np.isnan(column)]
            if feature not in cases.encoding.categories and len(present) and np.isfinite(cases.scaling.spread[feature]):
                least, most = present.min(), present.max()
                reach = (most - least) or 1.0
                low[feature], high[feature] = least - reach, most + reach
        return low, high

    def usual_distances(self, k: int) -> FloatArray:
        """Sorted mean distances of a sample of the training cases to their k nearest other cases."""
        if k not in self._usual:
            self._usual[k] = self._measure(k)
        return self._usual[k]

    def _measure(self, k: int) -> FloatArray:
        n = len(self.index)
        if n == 1:
            return np.empty(0)
        chosen = np.arange(n)
        if n > _SAMPLE:
            chosen = np.sort(np.random.default_rng(self._seed).choice(n, _SAMPLE, replace=False))
        # a case has one neighbour less than a query when all are asked for
        near = self.index.query(self._as_queries(chosen), min(k, n - 1), exclude=chosen)
        return np.sort(near.distances.mean(axis=1))

    def _as_queries(self, chosen: IntArray) -> FloatArray:
        space = self.cases.space
        if space.rotation is None:
            return self.index.cases[chosen]
        return space.queries(self.cases.numbers(self.cases.X[chosen]))

    def fidelity(self, rows: QueryRows) -> FloatArray | None:
        """Share of the neighbours for which the model predicts what it predicts for the query."""
        if self.train_predictions is None:
            return None
        share: FloatArray = (self.train_predictions[rows.indices] == rows.predicted[:, None]).mean(axis=1)
        return share

    def prior(self, rows: QueryRows) -> FloatArray:
        """Share of the predicted class among the training cases."""
        classes, counts = np.unique(self.cases.y, return_counts=True)
        place, is_class = places_among(classes, rows.predicted)
        shares: FloatArray = np.where(is_class, counts[place] / len(self.cases.y), 0.0)
        return shares
