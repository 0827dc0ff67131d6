"""Joint coverage: thresholds under which all tasks of a sample are covered at once with probability 1 - α."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import Any, NamedTuple

import numpy as np

from assay.conformal.calibration.quantile import conformal_quantile, conformal_rank, worst_ranks
from assay.conformal.sets.checks import FloatArray, as_weights
from assay.core.checks import demand_fraction

__all__ = ["CANDIDATES", "SELECTION_SHARE", "Choice", "bonferroni", "choose_joint", "max_rank", "max_score"]

SELECTION_SHARE = 0.2  # of the calibration samples, spent on choosing; the rest calibrates what was chosen
AROUND = tuple(Fraction(part, 5) for part in (3, 4, 5, 6, 7))  # levels around α: one order statistic alone is too noisy


def bonferroni(true_scores: FloatArray, alpha: Fraction, weights: Any = None) -> FloatArray:
    r"""Each task gets its share of the error: their sum is α, however the tasks depend on each other.

    $$\hat q_t = s_{t,(k_t)}, \qquad k_t = \lceil (n + 1)(1 - w_t \alpha) \rceil, \qquad \sum_t w_t = 1$$

    ``true_scores`` is [tasks, samples], the scores of the true labels. Equal shares unless weights are given; a task
    with weight 0 may make no error, so its threshold is infinite.

    >>> bonferroni(np.arange(39.0)[None].repeat(2, axis=0), Fraction(1, 10)).tolist()
    [37.0, 37.0]
    """
    tasks = len(true_scores)
    shares = [Fraction(1, tasks)] * tasks
    if weights is not None:
        fractions = [Fraction(weight) for weight in as_weights(weights, tasks).tolist()]
        shares = [weight / sum(fractions) for weight in fractions]
    return np.asarray(
        [
            conformal_quantile(scores, alpha * share) if share else np.inf
            for scores, share in zip(true_scores, shares, strict=True)
        ]
    )


def max_score(true_scores: FloatArray, alpha: Fraction) -> FloatArray:
    r"""One threshold for all tasks: the quantile of each sample's worst score.

    $$\hat q = M_{(k)}, \qquad M_i = \max_t s_{it}, \qquad k = \lceil (n + 1)(1 - \alpha) \rceil$$

    >>> max_score(np.array([[0.1, 0.2, 0.3], [0.3, 0.1, 0.2]]), Fraction(1, 2)).tolist()
    [0.3, 0.3]
    """
    return np.full(len(true_scores), conformal_quantile(true_scores.max(axis=0), alpha))


def max_rank(true_scores: FloatArray, alpha: Fraction) -> FloatArray:
    r"""One rank for all tasks, so that tasks on different scales count alike; all samples rank and calibrate at once.

    $$\hat q_t = s_{t,(R + 1)}, \qquad R = M_{(k)}, \qquad M_i = \max_t \bigl(1 + |\{j : s_{jt} < s_{it}\}|\bigr),
    \qquad k = \lceil (n + 1)(1 - \alpha) \rceil$$

    Among n + 1 exchangeable samples the maximal ranks are exchangeable; adding the new sample raises each rank of
    an old one by at most 1, which the R + 1 accounts for. So no part of the data is spent on a reference sample.

    >>> max_rank(np.array([[0.1, 0.2, 0.3, 0.4, 0.5], [10, 20, 30, 50, 40]]), Fraction(1, 2)).tolist()
    [0.4, 40.0]
    """
    samples = true_scores.shape[1]
    k = conformal_rank(samples, alpha)
    if k > samples:
        return np.full(len(true_scores), np.inf)
    ordered, worst = worst_ranks(true_scores)
    rank = int(np.partition(worst, k - 1)[k - 1])
    thresholds: FloatArray = ordered[:, rank] if rank < samples else np.full(len(true_scores), np.inf)
    return thresholds


CANDIDATES: Mapping[str, Callable[[FloatArray, Fraction], FloatArray]] = {
    # in the order in which equals are preferred
    "max-rank": max_rank,
    "max-score": max_score,
    "bonferroni": bonferroni,
}


class Choice(NamedTuple):
    """The thresholds of the chosen method, its name, what each would have cost, and how many samples calibrated it."""

    thresholds: FloatArray
    method: str
    sizes: Mapping[str, float]
    samples: int


def choose_joint(
    scores: Sequence[FloatArray],
    true_scores: FloatArray,
    alpha: Fraction,
    *,
    share: float = SELECTION_SHARE,
    seed: int = 0,
) -> Choice:
    r"""Try every method on a part of the samples, and calibrate the one with the smallest product sets on the rest.

    $$m^* = \arg\min_m \sum_{\alpha'} \sum_{i \in A} \prod_t |S^{m,\alpha'}_{it}|, \qquad \hat q = \hat q^{m^*}(B)$$

    with levels α' from 0.6 α to 1.4 α, because the sets of few samples at one level are too noisy to compare.

    The samples that chose (A) never calibrate and those that calibrate (B) never chose, so the guarantee is that of
    the chosen method. Weighted Bonferroni takes part with the weights that A suggests: each task's share of the errors
    at equal thresholds. ``scores[t]`` is [samples, C], ``true_scores`` [tasks, samples].
    """
    demand_fraction(share, "share")
    samples = true_scores.shape[1]
    order = np.random.default_rng(seed).permutation(samples)
    first = min(max(1, round(share * samples)), samples - 1) if samples > 1 else 0
    choosing, calibrating = order[:first], order[first:]
    weights = _error_shares(true_scores[:, choosing], alpha)

    def weighted(part: FloatArray, level: Fraction) -> FloatArray:
        return bonferroni(part, level, weights)

    candidates = {**CANDIDATES, "weighted-bonferroni": weighted}
    tried = [matrix[choosing] for matrix in scores]
    levels = [alpha * part for part in AROUND if alpha * part < 1]
    sizes = {
        name: float(np.mean([_product_size(tried, method(true_scores[:, choosing], level)) for level in levels]))
        for name, method in candidates.items()
    }
    best = min(sizes, key=lambda name: sizes[name]) if len(choosing) else "max-rank"
    return Choice(candidates[best](true_scores[:, calibrating], alpha), best, sizes, len(calibrating))


def _error_shares(true_scores: FloatArray, alpha: Fraction) -> FloatArray:
    """Which share of the misses at one common threshold each task has; never 0, so that no threshold is infinite."""
    if not true_scores.size:
        return np.ones(len(true_scores))
    threshold = np.quantile(true_scores.max(axis=0), 1 - float(alpha))
    misses = (true_scores > threshold).sum(axis=1) + 1.0
    shares: FloatArray = misses / misses.sum()
    return shares


def _product_size(scores: Sequence[FloatArray], thresholds: FloatArray) -> float:
    sizes = [(matrix <= q).sum(axis=1, dtype=np.float64) for matrix, q in zip(scores, thresholds, strict=True)]
    return float(np.mean(prod(sizes))) if len(sizes[0]) else float("nan")
