"""The second opinion: how probable an independent forest, grown on the same training cases, finds the prediction."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from assay.cases.neighbors.checks import (
    FloatArray,
    LabelArray,
    as_cases,
    as_labels,
    as_matrix,
    demand_same_kind,
    places_among,
)
from assay.core import InvalidInput
from assay.core.checks import as_whole
from assay.core.display import counted

__all__ = ["SecondOpinion", "fit_second_opinion", "second_opinion_scores"]

TREES = 100
_STREAM = 2_019_681  # keeps the forest apart from a classifier that was grown from the same seed


class SecondOpinion:
    """A forest on the training cases, made by :func:`fit_second_opinion`; its scores look at one query at a time.

    Parameters
    ----------
    forest : object with predict_proba and classes_
        Fitted on the training cases.
    features : int
        How many a query must have.

    Examples
    --------
    >>> opinion = fit_second_opinion([[0.0], [0.1], [5.0], [5.1]], ["low", "low", "high", "high"], trees=10)
    >>> opinion
    SecondOpinion(10 trees, 1 feature, 2 classes)
    >>> opinion.scores([[0.05], [0.05]], ["low", "high"]).tolist()
    [1.0, 0.0]
    """

    def __init__(self, forest: Any, *, features: int) -> None:
        self.forest = forest
        self.features = features
        self.classes: LabelArray = np.asarray(forest.classes_)

    def __repr__(self) -> str:
        sizes = f"{counted(self.features, 'feature')}, {counted(len(self.classes), 'class')}"
        return f"SecondOpinion({counted(len(self.forest.estimators_), 'tree')}, {sizes})"

    def scores(
        self, query_X: npt.ArrayLike, predicted: npt.ArrayLike, probabilities: npt.ArrayLike | None = None
    ) -> FloatArray:
        """The forest's probability of each predicted class, 0 for a class that no training case has.

        Parameters
        ----------
        query_X : array of shape (n, features)
            The queries.
        predicted : sequence of n classes
            What was predicted.
        probabilities : array of shape (n, classes), optional
            What the classifier says of every class. With it the score is the mean of the forest's probability and of
            the classifier's largest one.

        Returns
        -------
        array of n numbers
            From 0 to 1, higher for more trust.
        """
        queries, labels = as_matrix(query_X, what="query_X"), as_labels(predicted, what="predicted")
        if queries.shape[1] != self.features:
            raise InvalidInput(f"query_X has {queries.shape[1]} features, the training cases have {self.features}.")
        if len(queries) != len(labels):
            raise InvalidInput(f"query_X has {len(queries)} rows for {len(labels)} predictions; give one per query.")
        demand_same_kind(labels, self.classes, what="predicted and train_y")
        opinion = np.zeros(len(queries))
        if len(queries):
            code, is_class = places_among(self.classes, labels)
            opinion = np.where(is_class, self.forest.predict_proba(queries)[np.arange(len(queries)), code], 0.0)
        if probabilities is None:
            return opinion
        words = as_matrix(probabilities, what="probabilities")
        if len(words) != len(queries):
            raise InvalidInput(f"probabilities has {len(words)} rows for {len(queries)} queries; give one per query.")
        combined: FloatArray = (opinion + words.max(axis=1, initial=0.0)) / 2
        return combined


def fit_second_opinion(
    train_X: npt.ArrayLike, train_y: npt.ArrayLike, *, trees: int = TREES, seed: int = 0
) -> SecondOpinion:
    """Grow the forest once, so that queries can be scored as they come.

    Parameters
    ----------
    train_X : array of shape (cases, features)
        The training cases.
    train_y : sequence of one class per case
        Their labels.
    trees : int, default 100
        The trees of scikit-learn's ``RandomForestClassifier``, which is otherwise as it comes.
    seed : int, default 0
        The seed of the forest. It is not that of a classifier with the same seed.

    Returns
    -------
    SecondOpinion
        Ask it for ``scores``.

    Examples
    --------
    >>> opinion = fit_second_opinion([[0.0], [0.1], [5.0], [5.1]], [0, 0, 1, 1], trees=10)
    >>> opinion.scores([[0.05]], [0], [[0.5, 0.5]]).tolist()
    [0.75]
    """
    from sklearn.ensemble import RandomForestClassifier

    cases, labels = as_cases(train_X, train_y)
    count = as_whole(trees, "trees", least=1)
    state = int(np.random.default_rng([_STREAM, as_whole(seed, "seed")]).integers(2**31))
    forest = RandomForestClassifier(n_estimators=count, random_state=state).fit(cases, labels)
    return SecondOpinion(forest, features=cases.shape[1])


def second_opinion_scores(
    train_X: npt.ArrayLike,
    train_y: npt.ArrayLike,
    query_X: npt.ArrayLike,
    predicted: npt.ArrayLike,
    probabilities: npt.ArrayLike | None = None,
    *,
    trees: int = TREES,
    seed: int = 0,
) -> FloatArray:
    r"""The predicted class's probability from an independent forest on the same training cases.

    $$s_q = F_{\hat y_q}(x_q), \qquad \text{with probabilities } p: \quad
    s_q = \tfrac12\left(F_{\hat y_q}(x_q) + \max_c p_{qc}\right)$$

    The rival that every other score has to beat: it needs no distance, no units and no batch.

    Parameters
    ----------
    train_X : array of shape (cases, features)
        The training cases.
    train_y : sequence of one class per case
        Their labels.
    query_X : array of shape (n, features)
        The queries.
    predicted : sequence of n classes
        What was predicted.
    probabilities : array of shape (n, classes), optional
        What the classifier says of every class: combines the second opinion with max-probability.
    trees : int, default 100
        The trees of the forest.
    seed : int, default 0
        The seed of the forest.

    Returns
    -------
    array of n numbers
        From 0 to 1, higher for more trust; 0 from the forest for a class that no training case has.

    Examples
    --------
    >>> cases, labels = [[0.0], [0.1], [5.0], [5.1]], ["low", "low", "high", "high"]
    >>> second_opinion_scores(cases, labels, [[0.05], [0.05]], ["low", "high"], trees=10).tolist()
    [1.0, 0.0]
    """
    return fit_second_opinion(train_X, train_y, trees=trees, seed=seed).scores(query_X, predicted, probabilities)
