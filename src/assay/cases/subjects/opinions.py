"""Three independent opinions on the class of a query: a forest, boosted trees and a linear model."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np

from assay.core.arrays import FloatArray, IntArray, column_spreads

__all__ = ["Opinions", "fit_opinions", "opinions_left_out"]

Fit: TypeAlias = Callable[[FloatArray, IntArray], Any]  # cases and their codes to something with predict_proba

TREES = 100
MOST_PER_TREE = 2_500  # cases that a tree of the forest is grown on
MOST_CROSS_FITTED = 10_000  # with more cases, those that are judged are left out of the one fit instead
MOST_BOOSTED, MOST_LINEAR = 50_000, 20_000
_FOLDS = 3
_LEAST = 1e-3  # a probability below this is not told apart
_STREAM = 2_027_117  # keeps the opinions apart from a classifier that was fitted from the same seed


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Opinions:
    """The fitted models; every one speaks of all classes, coded as 0, 1, ..."""

    forest: Any
    boosting: Any
    linear: Any
    classes: int

    def log_shares(self, X: FloatArray) -> FloatArray:
        """Of every class at new queries, by each of the three: [queries, classes, 3]."""
        with _one_thread():
            forest = _log_votes(_spread(self.forest, X, self.classes))
            others = [_log_shares(_spread(model, X, self.classes)) for model in (self.boosting, self.linear)]
        return np.stack([forest, *others], axis=2)


def fit_opinions(X: FloatArray, codes: IntArray, *, judged: IntArray, seed: int) -> Opinions:
    """Fit the three models; with many cases, without those ``judged``, so that what they say there is honest."""
    fits, rows = _fits(codes, seed), _fitted_rows(len(X), judged)
    with _one_thread():
        boosting, linear = (fit(X[rows], codes[rows]) for fit in fits)
    return Opinions(forest=_forest(X, codes, seed), boosting=boosting, linear=linear, classes=int(codes.max()) + 1)


def opinions_left_out(opinions: Opinions, X: FloatArray, codes: IntArray, *, judged: IntArray, seed: int) -> FloatArray:
    """What the three say of the training cases ``judged``, each left out of what judges it: [judged, classes, 3].

    The forest by the trees that did not see the case, the two others by models of two thirds of the cases.
    """
    logs = np.empty((len(judged), opinions.classes, 3))
    logs[:, :, 0] = _log_votes(_out_of_bag(opinions, X, judged))
    if len(X) > MOST_CROSS_FITTED:
        logs[:, :, 1:] = opinions.log_shares(X[judged])[:, :, 1:]
        return logs
    fold = _folds(codes, seed)
    for part in range(_FOLDS):
        inside, rows = np.flatnonzero(fold[judged] == part), np.flatnonzero(fold != part)
        if not len(inside):
            continue
        for place, fit in enumerate(_fits(codes, seed), start=1):
            with _one_thread():
                shares = _spread(fit(X[rows], codes[rows]), X[judged[inside]], opinions.classes)
            logs[inside, :, place] = _log_shares(shares)
    return logs


def _fits(codes: IntArray, seed: int) -> tuple[Fit, Fit]:
    from sklearn.ensemble import HistGradientBoostingClassifier

    rounds = max(10, min(40, 400 // (int(codes.max()) + 1)))  # each round grows a tree per class

    def boosting(X: FloatArray, y: IntArray) -> Any:
        return HistGradientBoostingClassifier(
            max_iter=rounds, max_leaf_nodes=15, early_stopping=False, random_state=_state(seed, 1)
        ).fit(X, y)

    return _unless_one_class(boosting), _unless_one_class(_Linear)


def _forest(X: FloatArray, codes: IntArray, seed: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    most = MOST_PER_TREE if len(X) > MOST_PER_TREE else None
    return RandomForestClassifier(TREES, max_samples=most, random_state=_state(seed, 0)).fit(X, codes)


def _out_of_bag(opinions: Opinions, X: FloatArray, judged: IntArray) -> FloatArray:
    """Mean over the trees that did not see a case; even shares where all did."""
    total, count = np.zeros((len(judged), opinions.classes)), np.zeros(len(judged))
    single = X[judged].astype(np.float32)
    for tree, sample in zip(opinions.forest.estimators_, opinions.forest.estimators_samples_, strict=True):
        seen = np.zeros(len(X), dtype=bool)
        seen[sample] = True
        unseen = np.flatnonzero(~seen[judged])
        if len(unseen):
            total[unseen] += tree.predict_proba(single[unseen])  # a tree of a forest knows every class
            count[unseen] += 1
    even = np.full(opinions.classes, 1 / opinions.classes)
    return np.where(count[:, None] > 0, total / np.maximum(count, 1)[:, None], even)


def _one_thread() -> AbstractContextManager[Any]:
    """Threads that wait for each other in small loops cost far more than they save where the cores are busy."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    return cast(AbstractContextManager[Any], threadpool_limits(1, user_api="openmp"))


class _Linear:
    """Logistic regression; a column with few values has a weight for each of them, the others are standardised."""

    most_values = 8
    farthest = 5.0  # standard deviations; beyond, a number does not count more

    def __init__(self, X: FloatArray, y: IntArray) -> None:
        from sklearn.linear_model import LogisticRegression

        rows = _even_choice(np.arange(len(X)), MOST_LINEAR)
        if len(np.unique(y[rows])) == len(np.unique(y)):
            X, y = X[rows], y[rows]
        self.values = [np.unique(column) for column in X.T]
        self.centre, deviation = X.mean(axis=0), column_spreads(X)
        self.deviation = np.where(deviation > 0, deviation, 1.0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a fit that has not quite converged is an opinion all the same
            self.model = LogisticRegression(C=0.3, max_iter=100).fit(self.design(X), y)
        self.classes_ = self.model.classes_

    def design(self, X: FloatArray) -> FloatArray:
        columns = [np.zeros(len(X))]
        for place, values in enumerate(self.values):
            column = X[:, place]
            if 1 < len(values) <= self.most_values:
                columns += [(column == value).astype(float) for value in (values if len(values) > 2 else values[:1])]
            if len(values) > 2:
                standard = (column - self.centre[place]) / self.deviation[place]
                columns.append(np.clip(standard, -self.farthest, self.farthest))
        return np.column_stack(columns)

    def predict_proba(self, X: FloatArray) -> FloatArray:
        shares: FloatArray = self.model.predict_proba(self.design(X))
        return shares


class _OneClass:
    """What can be said after cases of one class alone."""

    def __init__(self, code: int) -> None:
        self.classes_ = np.array([code])

    def predict_proba(self, X: FloatArray) -> FloatArray:
        return np.ones((len(X), 1))


def _unless_one_class(fit: Fit) -> Fit:
    return lambda X, y: fit(X, y) if len(np.unique(y)) > 1 else _OneClass(int(y[0]))


def _spread(model: Any, X: FloatArray, classes: int) -> FloatArray:
    """Its probabilities at the places of all classes; 0 for those that it never saw."""
    shares = np.zeros((len(X), classes))
    shares[:, model.classes_] = model.predict_proba(X)
    return shares


def _log_votes(shares: FloatArray) -> FloatArray:
    """Of shares of trees: one more vote, split evenly, keeps them finite."""
    logs: FloatArray = np.log((TREES * shares + 1 / shares.shape[1]) / (TREES + 1))
    return logs


def _log_shares(shares: FloatArray) -> FloatArray:
    logs: FloatArray = np.log(np.maximum(shares, _LEAST))
    return logs


def _fitted_rows(count: int, judged: IntArray) -> IntArray:
    rows = np.arange(count)
    return rows if count <= MOST_CROSS_FITTED else _even_choice(np.setdiff1d(rows, judged), MOST_BOOSTED)


def _even_choice(rows: IntArray, most: int) -> IntArray:
    return rows if len(rows) <= most else rows[np.linspace(0, len(rows) - 1, most).astype(np.int64)]


def _folds(codes: IntArray, seed: int) -> IntArray:
    """A fold per case, every class spread evenly over them."""
    order = np.random.default_rng([_STREAM, seed]).permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]
    fold = np.empty(len(codes), dtype=np.int64)
    fold[order] = np.arange(len(codes)) % _FOLDS
    return fold


def _state(seed: int, part: int) -> int:
    return int(np.random.default_rng([_STREAM, seed, part]).integers(2**31))
