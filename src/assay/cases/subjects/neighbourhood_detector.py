"""The earlier default detector: what the cases say, and the classifier's word as far as it is worth (decision 0005)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay.cases.neighbors.checks import FloatArray, LabelArray, as_cases, as_labels, as_matrix, demand_same_kind
from assay.cases.neighbors.index import Algorithm
from assay.cases.subjects.posterior import CasePosterior, fit_posterior
from assay.core import InvalidInput
from assay.core.display import counted, object_html

__all__ = [
    "DetectorScores",
    "NeighbourhoodDetector",
    "as_queries",
    "chance_of",
    "fit_neighbourhood_detector",
    "neighbourhood_detector_scores",
]

_DIGITS = 9  # probabilities that differ by less are ties: sums of equal shares differ in the last bits
_EMPHASIS = 1.5  # on the classifier's word; chosen on generated data (decision 0005)
_SURE = 30.0  # log-odds beyond this are not told apart, so that one class without cases cannot drown the others
_STEPS = 50


class DetectorScores(NamedTuple):
    """Scores of a batch of predictions; the higher, the more a prediction is to be trusted.

    Parameters
    ----------
    probability : array of n numbers
        The score, in [0, 1]: the chance that the prediction is right.
    by_cases : array of n numbers
        What the neighbourhood alone says of it.
    confidence_weight : float
        How much the classifier's own confidence counted, in log-odds per standard deviation of its rank; 0 where it was
        ignored, as the default detector always does.

    Examples
    --------
    >>> DetectorScores(np.array([0.9, 0.2]), np.array([0.8, 0.3]), 0.5)
    DetectorScores(2 predictions, mean probability 0.55, confidence_weight 0.5)
    """

    probability: FloatArray
    by_cases: FloatArray
    confidence_weight: float

    def __repr__(self) -> str:
        mean = f", mean probability {self.probability.mean():.4g}" if len(self.probability) else ""
        return (
            f"DetectorScores({counted(len(self.probability), 'prediction')}{mean}, "
            f"confidence_weight {self.confidence_weight:.4g})"
        )

    def _repr_html_(self) -> str:
        rows = zip(range(len(self.probability)), self.probability.tolist(), self.by_cases.tolist(), strict=True)
        columns = ("prediction", "probability", "by cases alone")
        return object_html(repr(self), {}, columns=columns, rows=rows, total=len(self.probability))


class _Word(NamedTuple):
    """What the classifier's confidence says in log-odds: level + slope times the normal score of its rank."""

    level: float
    slope: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class NeighbourhoodDetector:
    """The earlier default detector with everything that it takes from a batch fixed, to score queries as they come.

    Made by :func:`fit_neighbourhood_detector`. The score of a query depends on that query alone: asked for one at a
    time or for many together, the scores are the same up to the last bits of their sums.

    Parameters
    ----------
    posterior : CasePosterior
        What the training cases say.
    level : float
        The log-odds of the mean chance of the batch, by the cases.
    confidences : array of numbers
        The classifier's largest probability for each prediction of the batch, sorted.
    word : pair of floats
        What the classifier's confidence says in log-odds: a level, and a slope per standard deviation of its rank.
    features : int
        How many a query must have.

    Examples
    --------
    >>> train = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]], [0, 0, 0, 1, 1, 1]
    >>> fitted = fit_neighbourhood_detector(*train, [[0.05], [5.05]], [0, 0], [[0.9, 0.1], [0.6, 0.4]])
    >>> fitted
    NeighbourhoodDetector(2 classes, 2 earlier predictions)
    >>> bool(fitted.scores([[0.05]], [0], [[0.9, 0.1]]).probability[0] > 0.5)
    True
    """

    posterior: CasePosterior
    level: float
    confidences: FloatArray
    word: _Word
    features: int

    def __repr__(self) -> str:
        batch = counted(len(self.confidences), "earlier prediction")
        return f"NeighbourhoodDetector({counted(len(self.posterior.classes), 'class')}, {batch})"

    def scores(self, query_X: npt.ArrayLike, predicted: npt.ArrayLike, probabilities: npt.ArrayLike) -> DetectorScores:
        """Score one prediction or many; what the others are does not matter.

        Parameters
        ----------
        query_X : array of shape (n, features)
            The queries.
        predicted : sequence of n classes
            What was predicted.
        probabilities : array of shape (n, classes)
            What the classifier says of every class.

        Returns
        -------
        DetectorScores
            The scores and what they are made of.
        """
        queries, classes, words = as_queries(query_X, predicted, probabilities, features=self.features)
        demand_same_kind(classes, self.posterior.classes, what="predicted and train_y")
        if not len(queries):
            return DetectorScores(np.empty(0), np.empty(0), _EMPHASIS * self.word.slope)
        return self._scores(self.posterior.log_odds(queries, classes), _confidence(words))

    def _scores(self, odds: FloatArray, confidence: FloatArray) -> DetectorScores:
        rank, level, word = _normal_scores(confidence, among=self.confidences), self.level, self.word
        evidence = (np.clip(odds, -_SURE, _SURE) - level) + _EMPHASIS * (word.level + word.slope * rank - level)
        combined = level + evidence / (1.0 + min(word.slope, 1.0))
        return DetectorScores(chance_of(combined), chance_of(odds), _EMPHASIS * word.slope)


def neighbourhood_detector_scores(
    train_X: npt.ArrayLike,
    train_y: npt.ArrayLike,
    query_X: npt.ArrayLike,
    predicted: npt.ArrayLike,
    probabilities: npt.ArrayLike,
    *,
    posterior: CasePosterior | None = None,
    algorithm: Algorithm = "auto",
) -> DetectorScores:
    r"""Score a batch by neighbourhoods and the classifier's confidence: the default until decision 0027 replaced it.

    $$s_q = \sigma\left(m + \frac{(\ell_q - m) + 1.5\,(a + b z_q - m)}{1 + \min(b, 1)}\right)$$

    $$\ell_q$$ are the log-odds of the predicted class by the training cases (:func:`fit_posterior`) and
    $$m = \mathrm{logit}\, \overline{\sigma(\ell)}$$ their level over the batch; $$z_q$$ is the normal score of the rank
    of the classifier's largest probability within the batch. a and b come from a logistic regression of
    $$\sigma(\ell)$$ on z, with a penalty of $$b^2/2$$: a confidence that the cases do not bear out has b near 0, and
    one that contradicts them is ignored (b = 0, a = m), so that the cases decide alone. The divisor keeps what both
    know from counting twice; it does not change the order within the batch.

    Units do not matter: features are standardised by the training cases, probabilities enter by rank.

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
    probabilities : array of shape (n, classes)
        What the classifier says of every class.
    posterior : CasePosterior, optional
        Fitted on the same training cases, it saves fitting it again.
    algorithm : str, default "auto"
        How a posterior that is fitted here searches: "auto", "brute", "kd_tree" and "ball_tree" give the same scores;
        "faiss" (the extra ``faiss``) searches classes of at least 20,000 cases approximately, for a million cases; the
        recall is kept as ``posterior.recall``.

    Returns
    -------
    DetectorScores
        The scores and what they are made of.

    Examples
    --------
    >>> scores = neighbourhood_detector_scores([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]], [0, 0, 0, 1, 1, 1],
    ...                                  [[0.05], [5.05]], [0, 0], [[0.9, 0.1], [0.6, 0.4]])
    >>> bool(scores.probability[0] > 0.5 > scores.probability[1])
    True
    """
    cases, labels = as_cases(train_X, train_y)
    queries, classes, words = as_queries(query_X, predicted, probabilities, features=cases.shape[1])
    demand_same_kind(classes, labels, what="predicted and train_y")
    if not len(queries):
        return DetectorScores(np.empty(0), np.empty(0), 0.0)
    posterior = posterior or fit_posterior(cases, labels, algorithm=algorithm)
    odds, confidence = posterior.log_odds(queries, classes), _confidence(words)
    return _fitted(posterior, odds, confidence, features=cases.shape[1])._scores(odds, confidence)


def fit_neighbourhood_detector(
    train_X: npt.ArrayLike,
    train_y: npt.ArrayLike,
    batch_X: npt.ArrayLike,
    batch_predicted: npt.ArrayLike,
    batch_probabilities: npt.ArrayLike,
    *,
    posterior: CasePosterior | None = None,
    algorithm: Algorithm = "auto",
) -> NeighbourhoodDetector:
    """Fit the earlier default detector on training cases and a batch of predictions, whose truth need not be known.

    Three things of :func:`neighbourhood_detector_scores` come from its batch: the level of trust that the cases give it
    on the whole, the rank of the classifier's confidence, and what that rank is worth. Here they are taken from the
    batch once. Scoring that batch gives what :func:`neighbourhood_detector_scores` gives for it; a confidence that lies
    between two of the batch has the rank between theirs, one beyond all of them the rank of the last.

    Parameters
    ----------
    train_X : array of shape (cases, features)
        The training cases.
    train_y : sequence of one class per case
        Their labels.
    batch_X : array of shape (n, features)
        Queries like those to come, not training cases; some hundreds are enough.
    batch_predicted : sequence of n classes
        What was predicted for them.
    batch_probabilities : array of shape (n, classes)
        What the classifier said of every class.
    posterior : CasePosterior, optional
        Fitted on the same training cases, it saves fitting it again.
    algorithm : str, default "auto"
        How a posterior that is fitted here searches: "auto", "brute", "kd_tree" and "ball_tree" give the same scores;
        "faiss" (the extra ``faiss``) searches classes of at least 20,000 cases approximately, for a million cases; the
        recall is kept as ``posterior.recall``.

    Returns
    -------
    NeighbourhoodDetector
        Ask it for ``scores``.

    Raises
    ------
    InvalidInput
        When the batch is empty, or shapes do not fit.

    Examples
    --------
    >>> train = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]], [0, 0, 0, 1, 1, 1]
    >>> batch = [[0.05], [5.05]], [0, 0], [[0.9, 0.1], [0.6, 0.4]]
    >>> together = neighbourhood_detector_scores(*train, *batch).probability
    >>> bool((fit_neighbourhood_detector(*train, *batch).scores(*batch).probability == together).all())
    True
    """
    cases, labels = as_cases(train_X, train_y)
    queries, classes, words = as_queries(
        batch_X, batch_predicted, batch_probabilities, features=cases.shape[1], prefix="batch_"
    )
    demand_same_kind(classes, labels, what="batch_predicted and train_y")
    if not len(queries):
        raise InvalidInput("batch_X: is empty; give earlier queries, some hundreds if there are.")
    posterior = posterior or fit_posterior(cases, labels, algorithm=algorithm)
    return _fitted(posterior, posterior.log_odds(queries, classes), _confidence(words), features=cases.shape[1])


def as_queries(
    X: npt.ArrayLike, predicted: npt.ArrayLike, probabilities: npt.ArrayLike | None, *, features: int, prefix: str = ""
) -> tuple[FloatArray, LabelArray, FloatArray]:
    """The queries, what was predicted and with which probabilities (a column of ones where none are given), checked."""
    table, labels, shares = f"{prefix or 'query_'}X", f"{prefix}predicted", f"{prefix}probabilities"
    queries, classes = as_matrix(X, what=table), as_labels(predicted, what=labels)
    words = np.ones((len(queries), 1)) if probabilities is None else as_matrix(probabilities, what=shares)
    if not len(queries) == len(classes) == len(words):
        raise InvalidInput(
            f"{table}, {labels} and {shares} need one entry per query, got {len(queries)}, {len(classes)} and "
            f"{len(words)}."
        )
    if queries.shape[1] != features:
        raise InvalidInput(f"{table} has {queries.shape[1]} features, train_X has {features}; they must agree.")
    return queries, classes, words


def _confidence(words: FloatArray) -> FloatArray:
    largest: FloatArray = words.max(axis=1).round(_DIGITS)
    return largest


def _fitted(
    posterior: CasePosterior, odds: FloatArray, confidence: FloatArray, *, features: int
) -> NeighbourhoodDetector:
    """What a batch says: its level, and what the rank of the confidence is worth there."""
    chance, confidences = chance_of(np.clip(odds, -_SURE, _SURE)), np.sort(confidence)
    level = _log_odds(float(chance.mean()))
    word = _fit_word(_normal_scores(confidence, among=confidences), chance, level)
    return NeighbourhoodDetector(
        posterior=posterior, level=level, confidences=confidences, word=word, features=features
    )


def _fit_word(rank: FloatArray, chance: FloatArray, level: float) -> _Word:
    """Logistic regression of the cases' opinion on the rank of the confidence, by Newton's method."""
    design = np.column_stack([np.ones(len(rank)), rank])
    penalty = np.array([1e-6, 1.0])  # the first only keeps the level finite where all chances are 0 or 1
    start = np.array([level, 0.0])
    coefficients = start.copy()
    for _ in range(_STEPS):
        fitted = chance_of(design @ coefficients)
        slope = design.T @ (chance - fitted) - penalty * (coefficients - start)
        curvature = (design * (fitted * (1.0 - fitted))[:, None]).T @ design + np.diag(penalty)
        step = np.clip(np.linalg.solve(curvature, slope), -2.0, 2.0)
        coefficients = coefficients + step
        if np.abs(step).max() < 1e-10:
            break
    return _Word(float(coefficients[0]), float(coefficients[1])) if coefficients[1] > 0 else _Word(level, 0.0)


def chance_of(log_odds: FloatArray) -> FloatArray:
    """The probability that has these log-odds."""
    from scipy.special import expit

    chance: FloatArray = expit(log_odds)
    return chance


def _log_odds(chance: float) -> float:
    bounded = min(max(chance, 1e-9), 1 - 1e-9)
    return float(np.log(bounded / (1.0 - bounded)))


def _normal_scores(values: FloatArray, *, among: FloatArray) -> FloatArray:
    """Of the ranks that values have among sorted ones; ties share the mean of theirs."""
    from scipy.special import ndtri

    below, up_to = (np.searchsorted(among, values, side=side) for side in ("left", "right"))
    # beyond all of them the score would be infinite
    middle = np.clip((below + up_to) / 2, 0.5, len(among) - 0.5)
    scores: FloatArray = ndtri(middle / len(among))
    return scores
