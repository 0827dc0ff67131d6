"""The default detector of wrong predictions: four independent opinions, weighed by how they judge left-out cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.cases.neighbors.checks import FloatArray, IntArray, as_cases, demand_same_kind
from assay.cases.neighbors.index import Algorithm
from assay.cases.problem.table_encoding import TableEncoding, fit_table_encoding
from assay.cases.subjects.neighbourhood_detector import DetectorScores, as_queries, chance_of
from assay.cases.subjects.opinions import Opinions, fit_opinions, opinions_left_out
from assay.cases.subjects.posterior import CasePosterior, fit_posterior, fit_weights, fitted_rows, log_odds_of
from assay.core.checks import as_whole
from assay.core.display import counted

__all__ = ["FittedDetector", "default_detector_scores", "fit_detector"]

_PENALTY = 10.0  # holds the weights to equal ones; chosen on development tables (decision 0027)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class FittedDetector:
    """The default detector on its training cases, made by :func:`fit_detector`; it scores queries as they come.

    The score of a query depends on that query alone: asked for one at a time or for many together, the scores are the
    same up to the last bits of their sums.

    Parameters
    ----------
    posterior : CasePosterior
        What the neighbourhood says.
    opinions : Opinions
        What a forest, boosted trees and a linear model say.
    weights : array of four numbers
        The weights of the neighbourhood, the forest, the boosted trees and the linear model.
    features : int
        How many a query must have.
    encoding : TableEncoding, optional
        How a table of the training cases became numbers, where they were a data frame.

    Examples
    --------
    >>> fitted = fit_detector([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]], [0, 0, 0, 1, 1, 1])
    >>> fitted
    FittedDetector(2 classes, 1 feature)
    >>> bool(fitted.scores([[0.05]], [0]).probability[0] > 0.5)
    True
    """

    posterior: CasePosterior
    opinions: Opinions
    weights: FloatArray
    features: int
    encoding: TableEncoding | None = None

    def __repr__(self) -> str:
        sizes = counted(len(self.posterior.classes), "class"), counted(self.features, "feature")
        return f"FittedDetector({', '.join(sizes)})"

    def scores(
        self, query_X: Any, predicted: npt.ArrayLike, probabilities: npt.ArrayLike | None = None
    ) -> DetectorScores:
        """Score one prediction or many; what the others are does not matter.

        Parameters
        ----------
        query_X : array or data frame of shape (n, features)
            The queries; of a data frame the columns are found by name.
        predicted : sequence of n classes
            What was predicted.
        probabilities : array of shape (n, classes), optional
            What the classifier says of every class. Checked and not used: beside four other opinions it adds nothing.

        Returns
        -------
        DetectorScores
            The scores, and what the neighbourhood alone says.
        """
        if self.encoding is not None and _is_table(query_X):
            query_X = self.encoding.numbers(query_X, what="query_X")
        queries, labels, _ = as_queries(query_X, predicted, probabilities, features=self.features)
        classes = self.posterior.classes
        demand_same_kind(labels, classes, what="predicted and train_y")
        if not len(queries):
            return DetectorScores(np.empty(0), np.empty(0), 0.0)
        near = self.posterior.logits(queries)
        logits = np.concatenate([near[:, :, None], self.opinions.log_shares(queries)], axis=2) @ self.weights
        by_cases, all_four = log_odds_of(near, classes, labels), log_odds_of(logits, classes, labels)
        return DetectorScores(chance_of(all_four), chance_of(by_cases), 0.0)


def default_detector_scores(
    train_X: Any,
    train_y: npt.ArrayLike,
    query_X: Any,
    predicted: npt.ArrayLike,
    probabilities: npt.ArrayLike | None = None,
    *,
    posterior: CasePosterior | None = None,
    algorithm: Algorithm = "auto",
    seed: int = 0,
) -> DetectorScores:
    r"""Score predictions without knowing any true label of theirs, each by itself.

    $$s_q = P(\hat y_q \mid x_q), \qquad
    P(c \mid x) \propto N(c \mid x)^{\beta_1} F(c \mid x)^{\beta_2} B(c \mid x)^{\beta_3} L(c \mid x)^{\beta_4}$$

    Four opinions on the class of a query, all of the training cases alone: N of its neighbourhood
    (:func:`fit_posterior`), F of a forest of 100 trees, B of boosted trees, L of a linear model in which a column of at
    most eight values has a weight for each. The weights $$\beta$$ are not negative and maximise the likelihood of the
    training labels, every case left out of what judges it; a penalty of ten squared units holds them to one quarter.
    So the score is a probability that needs no further calibration, and an opinion that does not fit the data has
    little weight. Of large tables a tree of the forest sees 2,500 cases, the boosted trees 50,000, the linear model
    20,000.

    Parameters
    ----------
    train_X : array or data frame of shape (cases, features)
        The training cases. In a data frame categories and gaps are welcome: categories become one-hot numbers, a
        missing number the median.
    train_y : sequence of one class per case
        Their labels.
    query_X : array or data frame of shape (n, features)
        The queries; of a data frame the columns are found by name.
    predicted : sequence of n classes
        What was predicted.
    probabilities : array of shape (n, classes), optional
        What the classifier says of every class. Checked and not used: beside four other opinions it adds nothing.
    posterior : CasePosterior, optional
        Fitted on the same training cases, it saves fitting it again.
    algorithm : str, default "auto"
        How a posterior that is fitted here searches: "auto", "brute", "kd_tree" and "ball_tree" give the same scores;
        "faiss" (the extra ``faiss``) searches classes of at least 20,000 cases approximately, for a million cases; the
        recall is kept as ``posterior.recall``.
    seed : int, default 0
        The seed of the forest, the boosted trees and the parts for left-out cases.

    Returns
    -------
    DetectorScores
        The scores, and what the neighbourhood alone says.

    Examples
    --------
    >>> scores = default_detector_scores([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]], [0, 0, 0, 1, 1, 1],
    ...                                  [[0.05], [5.05]], [0, 0])
    >>> bool(scores.probability[0] > 0.5 > scores.probability[1])
    True
    """
    fitted = fit_detector(train_X, train_y, posterior=posterior, algorithm=algorithm, seed=seed)
    return fitted.scores(query_X, predicted, probabilities)


def fit_detector(
    train_X: Any,
    train_y: npt.ArrayLike,
    *,
    posterior: CasePosterior | None = None,
    algorithm: Algorithm = "auto",
    seed: int = 0,
) -> FittedDetector:
    """Fit the default detector on training cases; it then scores the predictions of any classifier, one or many.

    Parameters
    ----------
    train_X : array or data frame of shape (cases, features)
        The training cases. In a data frame categories and gaps are welcome: categories become one-hot numbers, a
        missing number the median.
    train_y : sequence of one class per case
        Their labels.
    posterior : CasePosterior, optional
        Fitted on the same training cases, it saves fitting it again.
    algorithm : str, default "auto"
        How a posterior that is fitted here searches: "auto", "brute", "kd_tree" and "ball_tree" give the same scores;
        "faiss" (the extra ``faiss``) searches classes of at least 20,000 cases approximately, for a million cases; the
        recall is kept as ``posterior.recall``.
    seed : int, default 0
        The seed of the forest, the boosted trees and the parts for left-out cases.

    Returns
    -------
    FittedDetector
        Ask it for ``scores``.

    Raises
    ------
    InvalidInput
        When there is no training case, or shapes do not fit.

    Examples
    --------
    >>> fitted = fit_detector([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]], ["a", "a", "a", "b", "b", "b"])
    >>> bool(fitted.scores([[5.1]], ["b"]).probability[0] > 0.5)
    True
    """
    encoding = fit_table_encoding(train_X) if _is_table(train_X) else None
    cases, labels = as_cases(train_X if encoding is None else encoding.numbers(train_X, what="train_X"), train_y)
    state = as_whole(seed, "seed")
    posterior = posterior or fit_posterior(cases, labels, algorithm=algorithm)
    codes = np.searchsorted(posterior.classes, labels).astype(np.int64)
    judged = _judged(codes)
    weights = np.full(4, 1 / 4)
    opinions = fit_opinions(cases, codes, judged=judged, seed=state)
    if len(judged) and len(posterior.classes) > 1:
        near = posterior.logits_left_out(judged)
        others = opinions_left_out(opinions, cases, codes, judged=judged, seed=state)
        features = np.concatenate([near[:, :, None], others], axis=2)
        weights = fit_weights(features, codes[judged], weights, penalty=_PENALTY)
    return FittedDetector(
        posterior=posterior, opinions=opinions, weights=weights, features=cases.shape[1], encoding=encoding
    )


def _is_table(values: Any) -> bool:
    return hasattr(values, "columns") and hasattr(values, "iloc") and len(values.columns) > 0


def _judged(codes: IntArray) -> IntArray:
    """The training cases that the weights are fitted on: all, or evenly chosen ones, without those alone in a class."""
    rows = fitted_rows(len(codes))
    alone: IntArray = rows[np.bincount(codes)[codes[rows]] > 1]
    return alone
