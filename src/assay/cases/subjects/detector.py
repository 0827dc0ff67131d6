"""The default detector of wrong predictions: what the cases say, and the classifier's word as far as it is worth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay.cases.neighbors.checks import FloatArray, as_labels, as_matrix, demand_same_kind
from assay.cases.subjects.posterior import CasePosterior, fit_posterior
from assay.core import InvalidInput
from assay.core.display import counted, object_html

__all__ = ["DetectorScores", "default_detector_scores"]

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
        What the cases alone say of it.
    confidence_weight : float
        How much the classifier's own confidence counted, in log-odds per standard deviation of its rank; 0 where it was
        ignored.

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


def default_detector_scores(
    train_X: npt.ArrayLike,
    train_y: npt.ArrayLike,
    query_X: npt.ArrayLike,
    predicted: npt.ArrayLike,
    probabilities: npt.ArrayLike,
    *,
    posterior: CasePosterior | None = None,
) -> DetectorScores:
    r"""Score a batch of predictions without knowing any true label of theirs.

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

    Returns
    -------
    DetectorScores
        The scores and what they are made of.

    Examples
    --------
    >>> scores = default_detector_scores([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]], [0, 0, 0, 1, 1, 1],
    ...                                  [[0.05], [5.05]], [0, 0], [[0.9, 0.1], [0.6, 0.4]])
    >>> bool(scores.probability[0] > 0.5 > scores.probability[1])
    True
    """
    cases, labels = as_matrix(train_X, what="train_X"), as_labels(train_y, what="train_y")
    queries, classes = as_matrix(query_X, what="query_X"), as_labels(predicted, what="predicted")
    words = as_matrix(probabilities, what="probabilities")
    if not len(cases) or len(cases) != len(labels):
        raise InvalidInput(f"train_X has {len(cases)} rows for {len(labels)} labels; give one label per case.")
    if not len(queries) == len(classes) == len(words):
        raise InvalidInput(
            f"query_X, predicted and probabilities need one entry per query, got {len(queries)}, {len(classes)} and "
            f"{len(words)}."
        )
    if queries.shape[1] != cases.shape[1]:
        raise InvalidInput(f"query_X has {queries.shape[1]} features, train_X has {cases.shape[1]}; they must agree.")
    demand_same_kind(classes, labels, what="predicted and train_y")
    if not len(queries):
        return DetectorScores(np.empty(0), np.empty(0), 0.0)
    posterior = posterior or fit_posterior(cases, labels)
    odds = posterior.log_odds(queries, classes)
    by_cases = _chance(odds)
    bounded = np.clip(odds, -_SURE, _SURE)
    level = _log_odds(float(_chance(bounded).mean()))
    rank = _normal_scores(words.max(axis=1).round(_DIGITS))
    word = _fit_word(rank, _chance(bounded), level)
    evidence = (bounded - level) + _EMPHASIS * (word.level + word.slope * rank - level)
    combined = level + evidence / (1.0 + min(word.slope, 1.0))
    return DetectorScores(_chance(combined), by_cases, _EMPHASIS * word.slope)


def _fit_word(rank: FloatArray, chance: FloatArray, level: float) -> _Word:
    """Logistic regression of the cases' opinion on the rank of the confidence, by Newton's method."""
    design = np.column_stack([np.ones(len(rank)), rank])
    penalty = np.array([1e-6, 1.0])  # the first only keeps the level finite where all chances are 0 or 1
    start = np.array([level, 0.0])
    coefficients = start.copy()
    for _ in range(_STEPS):
        fitted = _chance(design @ coefficients)
        slope = design.T @ (chance - fitted) - penalty * (coefficients - start)
        curvature = (design * (fitted * (1.0 - fitted))[:, None]).T @ design + np.diag(penalty)
        step = np.clip(np.linalg.solve(curvature, slope), -2.0, 2.0)
        coefficients = coefficients + step
        if np.abs(step).max() < 1e-10:
            break
    return _Word(float(coefficients[0]), float(coefficients[1])) if coefficients[1] > 0 else _Word(level, 0.0)


def _chance(log_odds: FloatArray) -> FloatArray:
    from scipy.special import expit

    chance: FloatArray = expit(log_odds)
    return chance


def _log_odds(chance: float) -> float:
    bounded = min(max(chance, 1e-9), 1 - 1e-9)
    return float(np.log(bounded / (1.0 - bounded)))


def _normal_scores(values: FloatArray) -> FloatArray:
    """Of the ranks; ties share the mean of theirs."""
    from scipy.special import ndtri

    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[codes]
    scores: FloatArray = ndtri((ranks - 0.5) / len(values))
    return scores
