"""How probable each class is at a query, judged by the training cases alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from assay.cases.checks import FloatArray, IntArray, LabelArray
from assay.cases.index import CaseIndex, Neighbours
from assay.cases.scaling import Scaling, fit_scaling

__all__ = ["CasePosterior", "fit_posterior"]

Tensor: TypeAlias = FloatArray  # [queries, classes, features]

NEAR, WIDE = 10, 40  # the two neighbourhoods whose votes are counted
OF_EACH_CLASS = 5  # nearest cases of a class that its closeness is measured by
MOST_FITTED = 2_000  # training cases that the weights are fitted on; more would not move three numbers
_STEPS = 50


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CasePosterior:
    """A conditional logit over the classes: how the neighbours vote, and how near each class comes.

    ``weights`` belong to the vote of the 10 nearest cases, the vote of the 40 nearest, and the closeness of the class.
    They are fitted on the training cases, each one left out of its own neighbourhood.
    """

    classes: LabelArray  # those of the training labels, sorted
    scaling: Scaling
    weights: FloatArray
    _cases: _Cases

    def of(self, X: FloatArray) -> FloatArray:
        """Probabilities of the classes at new queries, rows sum to 1."""
        return _softmax(self._cases.features(self.scaling.apply(X)) @ self.weights)

    def suspicion(self, y: LabelArray) -> FloatArray:
        """Per training case, the probability that another class than its label would be right, judged by the others."""
        rows = np.arange(len(y))
        chance = _softmax(self._cases.features_left_out(rows) @ self.weights)
        doubt: FloatArray = 1.0 - chance[rows, np.searchsorted(self.classes, y)]
        return doubt

    def nearest(self, X: FloatArray, k: int) -> Neighbours:
        """The k nearest cases of new queries in the standardised space, or all when there are fewer."""
        return self._cases.index.query(self.scaling.apply(X), min(k, len(self._cases.codes)))


def fit_posterior(X: FloatArray, y: LabelArray) -> CasePosterior:
    r"""Fit the weights on the training cases, so that each is explained by the others.

    $$P(c \mid x) \propto \exp\left(\beta_1 \log V_{10}(c) + \beta_2 \log V_{40}(c) - \beta_3\, \overline{\log d_c}
    \right)$$

    $$V_k(c)$$ is the share of class c among the k nearest cases, weighted by $$\exp(-\tfrac12 (1.5\, d_i / d_k)^2)$$
    and smoothed by one nearest case of the overall class shares; $$\overline{\log d_c}$$ is the mean logarithm of the
    distances to the 5 nearest cases of class c. The weights are not negative and maximise the likelihood of the
    training labels, held to one third by a penalty of one squared unit.

    >>> posterior = fit_posterior(np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]), np.array([0, 0, 0, 1, 1, 1]))
    >>> posterior.of(np.array([[0.05], [5.05]])).argmax(axis=1).tolist()
    [0, 1]
    """
    scaling = fit_scaling(X)
    cases = _gather(scaling.apply(X), y)
    rows = np.unique(np.linspace(0, len(y) - 1, min(len(y), MOST_FITTED)).round().astype(np.int64))
    rows = rows[cases.sizes[cases.codes[rows]] > 1]  # without another case of its class there is nothing to learn
    weights = np.full(3, 1 / 3)
    if len(rows) and len(cases.sizes) > 1:
        weights = _fit(cases.features_left_out(rows), cases.codes[rows], weights)
    return CasePosterior(classes=np.unique(y), scaling=scaling, weights=weights, _cases=cases)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Cases:
    """Standardised training cases, searchable together and by class."""

    rows: FloatArray
    codes: IntArray  # class of each case, as a position among the sorted classes
    sizes: IntArray  # of the classes
    index: CaseIndex
    members: tuple[IntArray, ...]  # of each class
    by_class: tuple[CaseIndex, ...]
    shortest: float  # distances below this are not told apart

    def features(self, queries: FloatArray) -> Tensor:
        found = self.index.query(queries, min(WIDE, len(self.codes)))
        of_class = [index.query(queries, min(OF_EACH_CLASS, len(index))).distances for index in self.by_class]
        return self._features(found, [self._mean_log(distances) for distances in of_class])

    def features_left_out(self, rows: IntArray) -> Tensor:
        queries = self.rows[rows]
        found = _without_self(self.index.query(queries, min(WIDE + 1, len(self.codes))), rows)
        closeness = []
        for code, (members, index) in enumerate(zip(self.members, self.by_class, strict=True)):
            near = self._mean_log(index.query(queries, min(OF_EACH_CLASS, len(index))).distances)
            own = np.flatnonzero(self.codes[rows] == code)
            if len(own) and len(index) > 1:
                wider = index.query(queries[own], min(OF_EACH_CLASS + 1, len(index)))
                near[own] = self._mean_log(_without_self(wider, np.searchsorted(members, rows[own])).distances)
            elif len(own):
                near[own] = np.inf  # filled below: the only case of its class has no other one near
            closeness.append(near)
        table = np.column_stack(closeness)
        table[np.isinf(table)] = table[np.isfinite(table)].max(initial=0.0)
        return self._features(found, list(table.T))

    def _features(self, found: Neighbours, mean_logs: list[FloatArray]) -> Tensor:
        return np.stack([self._vote(found, NEAR), self._vote(found, WIDE), -np.column_stack(mean_logs)], axis=2)

    def _vote(self, found: Neighbours, k: int) -> FloatArray:
        """Logarithm of the smoothed share of each class among the k nearest cases."""
        distances, codes = found.distances[:, :k], self.codes[found.indices[:, :k]]
        prior = self.sizes / self.sizes.sum()
        if not distances.shape[1]:
            return _log(np.tile(prior, (len(distances), 1)))
        reach = np.where(distances[:, -1:] > 0, distances[:, -1:], 1.0)
        weights = np.exp(-0.5 * (1.5 * distances / reach) ** 2)
        votes = np.zeros((len(distances), len(self.sizes)))
        for column in range(distances.shape[1]):
            votes[np.arange(len(votes)), codes[:, column]] += weights[:, column]
        nearest = weights[:, :1]
        shares = (votes + nearest * prior) / (weights.sum(axis=1, keepdims=True) + nearest)
        return _log(shares)

    def _mean_log(self, distances: FloatArray) -> FloatArray:
        means: FloatArray = np.log(distances + self.shortest).mean(axis=1)
        return means


def _gather(rows: FloatArray, y: LabelArray) -> _Cases:
    classes, codes = np.unique(y, return_inverse=True)
    members = tuple(np.flatnonzero(codes == code) for code in range(len(classes)))
    index = CaseIndex(rows)
    nearest = index.query(rows[:: max(1, len(rows) // MOST_FITTED)], min(2, len(rows))).distances[:, -1]
    positive = nearest[nearest > 0]
    return _Cases(
        rows=rows,
        codes=codes.astype(np.int64),
        sizes=np.bincount(codes).astype(np.int64),
        index=index,
        members=members,
        by_class=tuple(CaseIndex(rows[member]) for member in members),
        # a duplicate at distance 0 is near, not infinitely near
        shortest=0.05 * float(np.median(positive)) if len(positive) else 1.0,
    )


def _without_self(found: Neighbours, own: IntArray) -> Neighbours:
    """One neighbour fewer: the case itself, or the last one when duplicates have pushed it out."""
    k = found.indices.shape[1]
    is_own = found.indices == own[:, None]
    place = np.where(is_own.any(axis=1), is_own.argmax(axis=1), k - 1)
    keep = np.arange(k) != place[:, None]
    shape = (len(own), k - 1)
    return Neighbours(found.indices[keep].reshape(shape), found.distances[keep].reshape(shape))


def _fit(features: Tensor, codes: IntArray, start: FloatArray) -> FloatArray:
    """Newton's method on the penalised likelihood, kept at weights that are not negative."""
    own = features[np.arange(len(codes)), codes]
    weights: FloatArray = start.copy()
    for _ in range(_STEPS):
        chance = _softmax(features @ weights)
        expected = np.einsum("nc,ncj->nj", chance, features)
        slope = (own - expected).sum(axis=0) - (weights - start)
        apart = features - expected[:, None, :]
        curvature = np.einsum("nc,nci,ncj->ij", chance, apart, apart) + np.eye(len(weights))
        step = np.clip(np.linalg.solve(curvature, slope), -2.0, 2.0)
        moved: FloatArray = np.maximum(weights + step, 0.0)
        if np.abs(moved - weights).max() < 1e-9:
            return moved
        weights = moved
    return weights


def _log(values: FloatArray) -> FloatArray:
    logs: FloatArray = np.log(values)
    return logs


def _softmax(logits: FloatArray) -> FloatArray:
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    chance: FloatArray = raised / raised.sum(axis=1, keepdims=True)
    return chance
