"""How well a score tells right predictions from wrong ones; only the order of the scores counts."""

from __future__ import annotations

from functools import partial

import numpy as np
import numpy.typing as npt

from assay.cases.examine.evidence import CasesEvidence
from assay.cases.metrics.arrays import as_judged
from assay.cases.metrics.reading import floor_with, of_parts
from assay.cases.neighbors.checks import FloatArray
from assay.core import InvalidInput, Metric, MetricFamily

__all__ = ["auprc", "aurc", "auroc", "excess_aurc", "fpr_at_tpr"]


def auroc(scores: npt.ArrayLike, wrong: npt.ArrayLike) -> float:
    r"""Probability that a right prediction has a higher score than a wrong one; a tie counts one half.

    $$\mathrm{AUROC} = P(s_\mathrm{right} > s_\mathrm{wrong}) + \tfrac12 P(s_\mathrm{right} = s_\mathrm{wrong})$$

    Undefined (nan) when no prediction is right or none is wrong.

    Parameters
    ----------
    scores : sequence of n numbers
        Higher for more trust in the prediction.
    wrong : sequence of n booleans
        Which predictions are wrong.

    Returns
    -------
    float
        From 0 to 1, 0.5 for scores that know nothing, or nan.

    Examples
    --------
    >>> auroc([0.9, 0.8, 0.1], [False, False, True])
    1.0
    >>> auroc([0.9, 0.5, 0.5, 0.1], [False, False, True, True])
    0.875
    >>> auroc([0.3, 0.4], [False, False])
    nan
    """
    wrong_at, right_at = _counts_by_score(*as_judged(scores, wrong, what="scores"))
    pairs = wrong_at.sum() * right_at.sum()
    if not pairs:
        return float("nan")
    wrong_below = np.cumsum(wrong_at) - wrong_at
    return float((right_at * (wrong_below + wrong_at / 2)).sum() / pairs)


def auprc(scores: npt.ArrayLike, wrong: npt.ArrayLike) -> float:
    r"""Average precision of finding the wrong predictions by their low scores.

    $$\mathrm{AUPRC} = \sum_t \left(R_t - R_{t-1}\right) P_t$$

    where $$t$$ runs through the distinct scores from the lowest up, $$P_t$$ is the share of wrong predictions among
    those that score at most $$t$$, and $$R_t$$ the share of all wrong predictions found among them. Guessing scores the
    share of wrong predictions. Undefined (nan) when no prediction is wrong.

    Parameters
    ----------
    scores : sequence of n numbers
        Higher for more trust in the prediction.
    wrong : sequence of n booleans
        Which predictions are wrong.

    Returns
    -------
    float
        From 0 to 1, or nan.

    Examples
    --------
    >>> auprc([0.9, 0.8, 0.1], [False, False, True])
    1.0
    >>> auprc([0.9, 0.5, 0.5, 0.1], [False, False, True, True])
    0.8333333333333333
    >>> auprc([0.3, 0.4], [False, False])
    nan
    """
    wrong_at, right_at = _counts_by_score(*as_judged(scores, wrong, what="scores"))
    if not wrong_at.sum():
        return float("nan")
    precision = np.cumsum(wrong_at) / np.cumsum(wrong_at + right_at)
    return float((wrong_at / wrong_at.sum() * precision).sum())


def aurc(scores: npt.ArrayLike, wrong: npt.ArrayLike) -> float:
    r"""Area under the risk-coverage curve: the mean error rate among the most trusted, over all sizes of that group.

    $$\mathrm{AURC} = \frac{1}{n} \sum_{t=1}^{n} \frac{1}{t} \sum_{i=1}^{t} e_{(i)}$$

    where $$e_{(i)}$$ is 1 when the prediction with the i-th highest score is wrong. Ties count with their expected
    value over random orders. Undefined (nan) without predictions.

    Parameters
    ----------
    scores : sequence of n numbers
        Higher for more trust in the prediction.
    wrong : sequence of n booleans
        Which predictions are wrong.

    Returns
    -------
    float
        From 0, which is best, to 1, or nan.

    Examples
    --------
    >>> aurc([0.9, 0.8, 0.1], [False, False, True]) == 1 / 9
    True
    >>> aurc([0.5, 0.5], [False, True])
    0.5
    >>> aurc([], [])
    nan
    """
    wrong_at, right_at = (counts[::-1] for counts in _counts_by_score(*as_judged(scores, wrong, what="scores")))
    size = (wrong_at + right_at).astype(np.int64)
    if not size.sum():
        return float("nan")
    # within a group of ties, every place is wrong with the group's own probability
    expected = np.repeat(wrong_at / np.maximum(size, 1), size)
    return float((np.cumsum(expected) / np.arange(1, len(expected) + 1)).mean())


def excess_aurc(scores: npt.ArrayLike, wrong: npt.ArrayLike) -> float:
    r"""Area under the risk-coverage curve above the best that any score could reach.

    $$\mathrm{E\text{-}AURC} = \mathrm{AURC} - \mathrm{AURC}^*$$

    where the starred one ranks every wrong prediction last. Undefined (nan) without predictions.

    Parameters
    ----------
    scores : sequence of n numbers
        Higher for more trust in the prediction.
    wrong : sequence of n booleans
        Which predictions are wrong.

    Returns
    -------
    float
        0 is best; or nan.

    Examples
    --------
    >>> excess_aurc([0.9, 0.8, 0.1], [False, False, True])
    0.0
    >>> excess_aurc([0.1, 0.9], [False, True])
    0.5
    """
    s, is_wrong = as_judged(scores, wrong, what="scores")
    return aurc(s, is_wrong) - aurc(~is_wrong, is_wrong)


def fpr_at_tpr(scores: npt.ArrayLike, wrong: npt.ArrayLike, *, tpr: float = 0.95) -> float:
    r"""Share of the wrong predictions that pass when the threshold lets at least 95 % of the right ones pass.

    $$\min_\theta \left\{ \frac{|\{q \in E : s_q \ge \theta\}|}{|E|} \;:\;
    \frac{|\{q \in R : s_q \ge \theta\}|}{|R|} \ge \mathrm{tpr} \right\}$$

    over the right predictions R and the wrong ones E. Undefined (nan) when either is empty.

    Parameters
    ----------
    scores : sequence of n numbers
        Higher for more trust in the prediction.
    wrong : sequence of n booleans
        Which predictions are wrong.
    tpr : float, default 0.95
        The share of right predictions that must be kept.

    Returns
    -------
    float
        From 0, which is best, to 1, or nan.

    Examples
    --------
    >>> fpr_at_tpr([0.9, 0.8, 0.1], [False, False, True])
    0.0
    >>> fpr_at_tpr([0.9, 0.2, 0.5, 0.1], [False, False, True, True])
    0.5
    >>> fpr_at_tpr([0.9, 0.2, 0.5, 0.1], [False, False, True, True], tpr=0.5)
    0.0
    """
    if not 0 < tpr <= 1:
        raise InvalidInput(f"tpr must lie above 0 and at most at 1 (0.95 for 95 %), got {tpr!r}.")
    wrong_at, right_at = (counts[::-1] for counts in _counts_by_score(*as_judged(scores, wrong, what="scores")))
    if not wrong_at.sum() or not right_at.sum():
        return float("nan")
    # counts, not shares, so that 19 of 20 is 95 %; the slack is for the rounding of tpr * n
    enough = np.cumsum(right_at) >= tpr * right_at.sum() - 1e-9
    return float(np.cumsum(wrong_at)[np.argmax(enough)] / wrong_at.sum())


def _counts_by_score(scores: FloatArray, wrong: npt.NDArray[np.bool_]) -> tuple[FloatArray, FloatArray]:
    """Wrong and right predictions at each distinct score, from the lowest up."""
    values, codes = np.unique(scores, return_inverse=True)
    wrong_at = np.bincount(codes[wrong], minlength=len(values)).astype(np.float64)
    right_at = np.bincount(codes[~wrong], minlength=len(values)).astype(np.float64)
    return wrong_at, right_at


def _fpr(tpr: float) -> Metric[CasesEvidence]:
    return Metric(
        f"fpr@{tpr:.15g}",
        of_parts(partial(fpr_at_tpr, tpr=tpr), "scores", "wrong"),
        fpr_at_tpr,
        goal="min",
        floor=floor_with(1.0, right=1, wrong=1),
        oracle=0.0,
        limits=(0, 1),
    )


FAMILIES: tuple[MetricFamily[CasesEvidence], ...] = (
    MetricFamily(name="fpr", parameter="tpr", make=_fpr, example=0.95, whole=False, least=0, most=1),
)

METRICS: tuple[Metric[CasesEvidence], ...] = (
    Metric(
        "auroc",
        of_parts(auroc, "scores", "wrong"),
        auroc,
        floor=floor_with(0.0, right=1, wrong=1),
        oracle=1.0,
        limits=(0, 1),
    ),
    Metric(
        "auprc", of_parts(auprc, "scores", "wrong"), auprc, floor=floor_with(0.0, wrong=1), oracle=1.0, limits=(0, 1)
    ),
    Metric("aurc", of_parts(aurc, "scores", "wrong"), aurc, goal="min", floor=1.0, limits=(0, 1)),
)
