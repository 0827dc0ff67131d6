"""The default detector of wrong predictions: what the cases say, and the classifier's word as far as it is worth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay.cases.checks import FloatArray, as_labels, as_matrix, demand_same_kind
from assay.cases.posterior import CasePosterior, fit_posterior
from assay.core import InvalidInput

__all__ = ["DetectorScores", "default_detector_scores"]

_DIGITS = 9  # probabilities that differ by less are ties: sums of equal shares differ in the last bits
_TIE = 1e-6


class DetectorScores(NamedTuple):
    """Scores of a batch of predictions; the higher, the more a prediction is to be trusted.

    ``relative`` is in standard deviations of the batch and compares predictions of one batch, or of batches drawn
    alike, as the folds of a cross-validation are. ``probability`` has the same order within the batch and lies in
    [0, 1]: the chance that the prediction is right. ``by_cases`` is what the cases alone say of it, and
    ``confidence_weight`` in [0, 1] how much the classifier's own confidence counted.
    """

    relative: FloatArray
    probability: FloatArray
    by_cases: FloatArray
    confidence_weight: float


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

    $$s_q = \frac{t_q - \bar t}{\mathrm{sd}(t)} + \max(\rho, 0)\, z_q$$

    $$t_q$$ is the probability of the predicted class by the training cases (:func:`fit_posterior`); $$z_q$$ is the
    normal score of the rank of the classifier's largest probability within the batch; $$\rho$$ is the rank correlation
    of the two over the batch. A confidence that the cases do not bear out gets no weight: constant probabilities,
    0/1 probabilities, a single query. The probability is t averaged along the order of s (isotonic regression).

    Units do not matter: features are standardised by the training cases, probabilities enter by rank. A fitted
    ``posterior`` of the same training cases saves fitting it again.

    >>> scores = default_detector_scores([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]], [0, 0, 0, 1, 1, 1],
    ...                                  [[0.05], [5.05]], [0, 0], [[0.9, 0.1], [0.6, 0.4]])
    >>> bool(scores.probability[0] > 0.5 > scores.probability[1])
    True
    """
    cases, labels = as_matrix(train_X, what="train_X"), as_labels(train_y, what="train_y")
    queries, said = as_matrix(query_X, what="query_X"), as_labels(predicted, what="predicted")
    words = as_matrix(probabilities, what="probabilities")
    if not len(cases) or len(cases) != len(labels):
        raise InvalidInput(f"train_X has {len(cases)} rows for {len(labels)} labels; give one label per case.")
    if not len(queries) == len(said) == len(words):
        raise InvalidInput(
            f"query_X, predicted and probabilities need one entry per query, got {len(queries)}, {len(said)} and "
            f"{len(words)}."
        )
    if queries.shape[1] != cases.shape[1]:
        raise InvalidInput(f"query_X has {queries.shape[1]} features, train_X has {cases.shape[1]}; they must agree.")
    demand_same_kind(said, labels, what="predicted and train_y")
    if not len(queries):
        return DetectorScores(np.empty(0), np.empty(0), np.empty(0), 0.0)
    posterior = posterior or fit_posterior(cases, labels)
    by_cases = _of_predicted(posterior, queries, said)
    confidence = words.max(axis=1).round(_DIGITS)
    weight = max(0.0, _rank_correlation(by_cases, confidence))
    relative = _standardised(by_cases) + weight * _normal_scores(confidence)
    return DetectorScores(relative, _along(relative, by_cases), by_cases, weight)


def _of_predicted(posterior: CasePosterior, queries: FloatArray, predicted: npt.NDArray[np.generic]) -> FloatArray:
    """Probability of the predicted class; 0 for a class that no training case has."""
    chance = posterior.of(queries)
    code = np.minimum(np.searchsorted(posterior.classes, predicted), len(posterior.classes) - 1)
    known = posterior.classes[code] == predicted
    return np.where(known, chance[np.arange(len(chance)), code], 0.0)


def _standardised(values: FloatArray) -> FloatArray:
    spread = values.std()
    # where all agree to the last digits there is no order to speak of
    return (values - values.mean()) / spread if spread > 1e-12 else np.zeros(len(values))


def _ranks(values: FloatArray) -> FloatArray:
    """Ranks from 1; ties share the mean of theirs."""
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: FloatArray = (np.cumsum(counts) - (counts - 1) / 2)[codes]
    return ranks


def _normal_scores(values: FloatArray) -> FloatArray:
    from scipy.special import ndtri

    scores: FloatArray = ndtri((_ranks(values) - 0.5) / len(values))
    return scores


def _rank_correlation(a: FloatArray, b: FloatArray) -> float:
    first, second = _standardised(_ranks(a)), _standardised(_ranks(b))
    return float((first * second).mean())


def _along(order: FloatArray, values: FloatArray) -> FloatArray:
    """The values averaged so that they rise with the order; its ties stay the only ties."""
    from scipy.optimize import isotonic_regression
    from scipy.special import ndtr

    _, codes, counts = np.unique(order, return_inverse=True, return_counts=True)
    means = np.bincount(codes, weights=values) / counts
    rising = isotonic_regression(means, weights=counts.astype(np.float64)).x[codes]
    mixed: FloatArray = np.clip((1 - _TIE) * rising + _TIE * ndtr(order), 0.0, 1.0)
    return mixed
