"""Whether what was planted is found: queries from elsewhere, training labels that were changed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.cases.examine.evidence import CasesEvidence
from assay.cases.metrics.arrays import BoolArray, as_judged
from assay.cases.metrics.detection import auroc
from assay.cases.metrics.reading import floor_where, of_parts, without_twins
from assay.core import AnyProblem, Metric

__all__ = ["label_noise_auroc", "ood_auroc"]


def ood_auroc(flags_or_scores: npt.ArrayLike, planted: npt.ArrayLike) -> float:
    r"""Probability that a planted out-of-distribution query looks more unfamiliar than an ordinary one.

    $$P(u_\mathrm{planted} > u_\mathrm{ordinary}) + \tfrac12 P(u_\mathrm{planted} = u_\mathrm{ordinary})$$

    Flags count as 0 and 1. Undefined (nan) when no query is planted, or all are.

    Parameters
    ----------
    flags_or_scores : sequence of n booleans or numbers
        Higher for a query that is less familiar.
    planted : sequence of booleans
        Which were planted.

    Returns
    -------
    float
        From 0 to 1, or nan.

    Examples
    --------
    >>> ood_auroc([9.0, 1.0, 2.0], [True, False, False])
    1.0
    >>> ood_auroc([True, True, False], [True, False, False])
    0.75
    """
    return _auroc_of(flags_or_scores, planted, what="flags_or_scores")


def label_noise_auroc(suspicion: npt.ArrayLike, planted: npt.ArrayLike) -> float:
    r"""Probability that a training case with a changed label is more suspect than one with its true label.

    $$P(u_\mathrm{changed} > u_\mathrm{true}) + \tfrac12 P(u_\mathrm{changed} = u_\mathrm{true})$$

    Undefined (nan) when no label was changed, or all were.

    Parameters
    ----------
    suspicion : sequence of numbers
        Higher for a label that is more likely wrong.
    planted : sequence of booleans
        Which labels were changed.

    Returns
    -------
    float
        From 0 to 1, or nan.

    Examples
    --------
    >>> label_noise_auroc([0.9, 0.1, 0.5], [True, False, True])
    1.0
    >>> label_noise_auroc([0.9, 0.1], [False, False])
    nan
    """
    return _auroc_of(suspicion, planted, what="suspicion")


def _auroc_of(values: npt.ArrayLike, planted: npt.ArrayLike, *, what: str) -> float:
    scores, is_planted = as_judged(values, planted, what=what, mask="planted")
    return auroc(np.negative(scores), is_planted)


def _has_outsiders(problem: AnyProblem) -> bool:
    planted = problem.truth.ood
    return planted is not None and _are_mixed(without_twins(problem, planted))


def _has_changed_labels(problem: AnyProblem) -> bool:
    planted = problem.truth.mislabelled
    return planted is not None and _are_mixed(planted)


def _are_mixed(planted: BoolArray) -> bool:
    return bool(planted.any() and not planted.all())


METRICS: tuple[Metric[CasesEvidence], ...] = (
    Metric(
        "ood_auroc",
        of_parts(ood_auroc, "unfamiliarity", "ood"),
        ood_auroc,
        floor=floor_where(0.0, _has_outsiders),
        oracle=1.0,
        limits=(0, 1),
    ),
    Metric(
        "label_noise_auroc",
        of_parts(label_noise_auroc, "suspicion", "mislabelled"),
        label_noise_auroc,
        floor=floor_where(0.0, _has_changed_labels),
        oracle=1.0,
        limits=(0, 1),
    ),
)
