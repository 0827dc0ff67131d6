"""How probable each class is at a query, judged by the training cases alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from assay.cases.neighbors.checks import FloatArray, IntArray, LabelArray, places_among
from assay.cases.neighbors.index import Algorithm, CaseIndex, Neighbours
from assay.cases.neighbors.scaling import Scaling, fit_scaling

__all__ = ["CasePosterior", "fit_posterior", "fit_weights", "fitted_rows", "log_odds_of", "softmax"]

Tensor: TypeAlias = FloatArray  # [queries, classes, features]

NEAR, WIDE = 2, 10  # nearest cases of a class that its closeness is measured by
MOST_FITTED = 2_000  # training cases that weights and strengths are fitted on
MOST_JUDGING = 10_000  # training cases that doubt the labels of all: with more, every second, third, ... of a class
_FEWEST_APPROXIMATE = 20_000  # cases of a class that is searched approximately; fewer are searched as fast exactly
_STEPS = 50
_WIDTHS = (0.35, 0.7)  # of the bell around a case, in median distances between cases
_PENALTIES = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
_VOICE = 5.0  # brings the vote, which lies between 0 and 1, to about the size of a difference of log distances
_BLOCK = 1 << 21  # numbers in a temporary array
_SMALL_BLOCK = 1 << 18  # fits the processor's cache, for very many rows


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CasePosterior:
    """A conditional logit over the classes: how near each class comes, and how all cases together vote.

    ``weights`` belong to the closeness of the 2 nearest cases of the class, that of the 10 nearest, and the vote. They
    are fitted on the training cases, each one left out of what judges it.
    """

    classes: LabelArray  # those of the training labels, sorted
    scaling: Scaling
    weights: FloatArray
    _cases: _Cases

    def of(self, X: FloatArray) -> FloatArray:
        """Probabilities of the classes at new queries, rows sum to 1."""
        return softmax(self.logits(X))

    def log_odds(self, X: FloatArray, labels: LabelArray) -> FloatArray:
        """Of each query's label against all other classes; minus infinity for a label that no training case has."""
        return log_odds_of(self.logits(X), self.classes, labels)

    def suspicion(self, y: LabelArray) -> FloatArray:
        """Per training case, the probability that another class than its label would be right, judged by the others.

        Of more than 10,000 cases an even choice of each class judges: every second, third, ... one.
        """
        rows = np.arange(len(y))
        chance = softmax(self.logits_left_out(rows, step=-(-len(y) // MOST_JUDGING)))
        doubt: FloatArray = 1.0 - chance[rows, np.searchsorted(self.classes, y)]
        return doubt

    def nearest(self, X: FloatArray, k: int) -> Neighbours:
        """The k nearest cases of new queries in the standardised space, or all when there are fewer."""
        return self._cases.index.query(self.scaling.apply(X), min(k, len(self._cases.codes)))

    @property
    def recall(self) -> float | None:
        """The least measured recall of a class that is searched approximately; None where all searches are exact."""
        return min((index.recall for index in self._cases.by_class if index.recall is not None), default=None)

    def logits(self, X: FloatArray) -> FloatArray:
        """Of the classes at new queries; probabilities before they are made to sum to 1."""
        logits: FloatArray = self._cases.features(self.scaling.apply(X)) @ self.weights
        return logits

    def logits_left_out(self, rows: IntArray, *, step: int = 1) -> FloatArray:
        """Of the classes at training cases, by row; each is judged by the others, or by every so many of a class."""
        logits: FloatArray = self._cases.features_left_out(rows, step=step) @ self.weights
        return logits


def fit_posterior(X: FloatArray, y: LabelArray, *, algorithm: Algorithm = "auto") -> CasePosterior:
    r"""Fit the weights on the training cases, so that each is explained by the others.

    $$P(c \mid x) \propto \exp\left(-\beta_1\, \overline{\log d}_2(c) - \beta_2\, \overline{\log d}_{10}(c)
    + 5 \beta_3 V(c)\right), \qquad V(c) = \sum_i \alpha_{ic} \exp(-\tfrac12 (d_i / h)^2)$$

    $$\overline{\log d}_k(c)$$ is the mean logarithm of the distances to the k nearest cases of class c. $$V$$ is a vote
    of all cases (kernel ridge regression on the membership in c): its strengths $$\alpha$$, the width h and the penalty
    are those that tell the class of a left-out case with the least squared error. The weights are not negative and
    maximise the likelihood of the training labels, held to one third by a penalty of one squared unit.

    ``algorithm`` searches the classes; "faiss" searches those of at least 20,000 cases approximately.

    >>> posterior = fit_posterior(np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]), np.array([0, 0, 0, 1, 1, 1]))
    >>> posterior.of(np.array([[0.05], [5.05]])).argmax(axis=1).tolist()
    [0, 1]
    """
    scaling = fit_scaling(X)
    cases = _gather(scaling.apply(X), y, algorithm)
    rows = cases.vote.rows[cases.sizes[cases.codes[cases.vote.rows]] > 1]  # alone in its class: nothing to learn from
    weights = np.full(3, 1 / 3)
    if len(rows) and len(cases.sizes) > 1:
        weights = fit_weights(cases.features_left_out(rows), cases.codes[rows], weights)
    return CasePosterior(classes=np.unique(y), scaling=scaling, weights=weights, _cases=cases)


def log_odds_of(logits: FloatArray, classes: LabelArray, labels: LabelArray) -> FloatArray:
    """Of each row's label against all other classes; minus infinity for a label that is none of the classes."""
    others, rows = logits.copy(), np.arange(len(logits))
    code, is_class = places_among(classes, labels)
    others[rows, code] = -np.inf  # from the logits: a probability near 1 has lost its digits
    odds = logits[rows, code] - np.logaddexp.reduce(others, axis=1)
    log_odds: FloatArray = np.where(is_class, odds, -np.inf)
    return log_odds


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Vote:
    """All cases, or an even choice of them, speak for classes and against them, near ones louder."""

    rows: IntArray  # of the training cases that speak
    voters: FloatArray
    width: float
    strengths: FloatArray  # [voters, classes]
    left_out: FloatArray  # what the others say at each voter

    def at(self, queries: FloatArray, *, block: int = _BLOCK) -> FloatArray:
        votes = np.empty((len(queries), self.strengths.shape[1]))
        size = max(1, block // len(self.voters))
        for start in range(0, len(queries), size):
            part = slice(start, start + size)
            votes[part] = _bell(_squared_distances(queries[part], self.voters), self.width) @ self.strengths
        return votes

    def at_cases(self, rows: IntArray, queries: FloatArray) -> FloatArray:
        """At training cases, without their own voice."""
        place, speaks = places_among(self.rows, rows)
        votes = self.left_out[place]
        votes[~speaks] = self.at(queries[~speaks], block=_SMALL_BLOCK)
        return votes


def _fit_vote(cases: FloatArray, codes: IntArray) -> _Vote:
    rows = fitted_rows(len(cases))
    voters = cases[rows]
    member = np.eye(codes.max() + 1)[codes[rows]]
    member -= member.mean(axis=0)  # relative to the shares: where no case is near, no class is favoured
    squared = _squared_distances(voters, voters)
    typical = float(np.sqrt(np.median(squared))) or 1.0
    tried = []
    for width in _WIDTHS:
        values, vectors = np.linalg.eigh(_bell(squared, width * typical))
        turned = vectors.T @ member
        for penalty in _PENALTIES:
            shrink = 1.0 / (np.maximum(values, 0.0) + penalty * len(rows))
            strengths = (vectors * shrink) @ turned
            surprise = strengths / (vectors**2 @ shrink)[:, None]  # the exact error at a case that is left out
            vote = _Vote(
                rows=rows, voters=voters, width=width * typical, strengths=strengths, left_out=member - surprise
            )
            tried.append((float((surprise**2).sum()), vote))
    return min(tried, key=lambda pair: pair[0])[1]


def fitted_rows(count: int) -> IntArray:
    """All rows of so many, or evenly chosen ones, that weights and strengths are fitted on."""
    return np.unique(np.linspace(0, count - 1, min(count, MOST_FITTED)).round().astype(np.int64))


def _squared_distances(a: FloatArray, b: FloatArray) -> FloatArray:
    squared: FloatArray = np.add.outer((a**2).sum(axis=1), (b**2).sum(axis=1))
    products = a @ b.T
    products *= 2.0
    squared -= products
    return np.maximum(squared, 0.0, out=squared)  # rounding may leave a little less than nothing


def _bell(squared: FloatArray, width: float) -> FloatArray:
    height: FloatArray = -0.5 * squared
    height /= width**2
    return np.exp(height, out=height)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Cases:
    """Standardised training cases, searchable together and by class."""

    rows: FloatArray
    codes: IntArray  # class of each case, as a position among the sorted classes
    sizes: IntArray  # of the classes
    index: CaseIndex
    members: tuple[IntArray, ...]  # of each class
    by_class: tuple[CaseIndex, ...]
    vote: _Vote
    shortest: float  # distances below this are not told apart

    def features(self, queries: FloatArray) -> Tensor:
        near = [self._closeness(index.query(queries, min(WIDE, len(index))).distances) for index in self.by_class]
        return self._features(np.stack(near, axis=1), self.vote.at(queries))

    def features_left_out(self, rows: IntArray, *, step: int = 1) -> Tensor:
        """At training cases, each judged by the others: by all of them, or by every so many of a class."""
        queries, closeness = self.rows[rows], []
        for members, index in zip(self.members, self.by_class, strict=True):
            judges = members[::step]
            among = index if step == 1 else CaseIndex(self.rows[judges])
            place, judging = places_among(judges, rows)
            closeness.append(self._left_out(queries, among, np.where(judging, place, -1)))
        table = np.stack(closeness, axis=1)
        table[np.isinf(table)] = table[np.isfinite(table)].min(initial=0.0)
        return self._features(table, self.vote.at_cases(rows, queries))

    def _left_out(self, queries: FloatArray, index: CaseIndex, own_case: IntArray) -> FloatArray:
        """The closeness of a class; minus infinity for its only case, which has no other one near."""
        if len(index) > WIDE:
            return self._closeness(index.query(queries, WIDE, exclude=own_case).distances)
        near, inside = self._closeness(index.query(queries, len(index)).distances), own_case >= 0
        near[inside] = -np.inf
        if inside.any() and len(index) > 1:
            others = index.query(queries[inside], len(index) - 1, exclude=own_case[inside])
            near[inside] = self._closeness(others.distances)
        return near

    def _features(self, closeness: Tensor, vote: FloatArray) -> Tensor:
        return np.concatenate([closeness, _VOICE * vote[:, :, None]], axis=2)

    def _closeness(self, distances: FloatArray) -> FloatArray:
        """Minus the mean log distance, to the few nearest and to all given."""
        logs = np.log(distances + self.shortest)
        return -np.column_stack([logs[:, :NEAR].mean(axis=1), logs.mean(axis=1)])


def _gather(rows: FloatArray, y: LabelArray, algorithm: Algorithm) -> _Cases:
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
        by_class=tuple(_index(rows[member], algorithm) for member in members),
        vote=_fit_vote(rows, codes.astype(np.int64)),
        # a duplicate at distance 0 is near, not infinitely near
        shortest=0.05 * float(np.median(positive)) if len(positive) else 1.0,
    )


def _index(cases: FloatArray, algorithm: Algorithm) -> CaseIndex:
    exactly = algorithm == "faiss" and len(cases) < _FEWEST_APPROXIMATE
    return CaseIndex(cases, algorithm="auto" if exactly else algorithm, recall_k=WIDE)


def fit_weights(features: Tensor, codes: IntArray, start: FloatArray, *, penalty: float = 1.0) -> FloatArray:
    """Newton's method on the penalised likelihood of the classes, kept at weights that are not negative."""
    label_features = features[np.arange(len(codes)), codes]
    weights: FloatArray = start.copy()
    for _ in range(_STEPS):
        chance = softmax(features @ weights)
        expected = np.einsum("nc,ncj->nj", chance, features)
        slope = (label_features - expected).sum(axis=0) - penalty * (weights - start)
        apart = features - expected[:, None, :]
        curvature = np.einsum("nc,nci,ncj->ij", chance, apart, apart) + penalty * np.eye(len(weights))
        free = (weights > 0) | (slope > 0)  # a weight held at 0 must not bend the step of the others
        step = np.zeros(len(weights))
        step[free] = np.clip(np.linalg.solve(curvature[np.ix_(free, free)], slope[free]), -2.0, 2.0)
        moved: FloatArray = np.maximum(weights + step, 0.0)
        if np.abs(moved - weights).max() < 1e-9:
            return moved
        weights = moved
    return weights


def softmax(logits: FloatArray) -> FloatArray:
    """Probabilities that sum to 1 in each row."""
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    chance: FloatArray = raised / raised.sum(axis=1, keepdims=True)
    return chance
