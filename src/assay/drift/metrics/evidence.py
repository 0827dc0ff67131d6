"""Whether quotes are verbatim, whether an explainer knows when no document is to blame, and its confidence."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from assay.core import AnyProblem, InvalidInput, Metric
from assay.core.arrays import BoolArray, FloatArray
from assay.drift.examine.evidence import DriftEvidence

__all__ = [
    "abstention_accuracy",
    "abstention_precision",
    "abstention_recall",
    "confidence_brier",
    "decision_accuracy",
    "faithfulness",
]


def faithfulness(verbatim: Sequence[bool]) -> float:
    r"""Share of the quotes that stand, letter for letter, where they claim to stand in their document.

    $$\mathrm{faithfulness} = |\{q : q = \mathrm{text}_{d(q)}[a_q : b_q]\}| \, / \, |\{q\}|$$

    Undefined (nan) when nothing is quoted.

    Parameters
    ----------
    verbatim : sequence of bool
        For each quote, whether it stands in the document where it claims to.

    Returns
    -------
    float
        A share from 0 to 1, or nan.

    Examples
    --------
    >>> faithfulness([True, True, False, True])
    0.75
    >>> faithfulness([])
    nan
    """
    verdicts = _flags(verbatim, "verbatim")
    return float(verdicts.mean()) if len(verdicts) else math.nan


def abstention_precision(abstained: Sequence[bool], causeless: Sequence[bool]) -> float:
    r"""Of the drifts for which no document was blamed, the share that has none to blame.

    $$\mathrm{precision} = |A \cap N| \, / \, |A|$$

    with $A$ the abstentions and $N$ the drifts without a golden document. Undefined (nan) without abstentions.

    Parameters
    ----------
    abstained : sequence of bool
        For each drift, whether no document was blamed.
    causeless : sequence of bool
        For each drift, whether no document is golden.

    Returns
    -------
    float
        A share from 0 to 1, or nan.

    Examples
    --------
    >>> abstention_precision([True, True, False], [True, False, False])
    0.5
    >>> abstention_precision([False], [True])
    nan
    """
    abstentions, none = _paired(abstained, causeless)
    return float(none[abstentions].mean()) if abstentions.any() else math.nan


def abstention_recall(abstained: Sequence[bool], causeless: Sequence[bool]) -> float:
    r"""Of the drifts that no document explains, the share for which none was blamed.

    $$\mathrm{recall} = |A \cap N| \, / \, |N|$$

    Undefined (nan) when every drift has a golden document.

    Parameters
    ----------
    abstained : sequence of bool
        For each drift, whether no document was blamed.
    causeless : sequence of bool
        For each drift, whether no document is golden.

    Returns
    -------
    float
        A share from 0 to 1, or nan.

    Examples
    --------
    >>> abstention_recall([True, False, False], [True, True, False])
    0.5
    """
    abstentions, none = _paired(abstained, causeless)
    return float(abstentions[none].mean()) if none.any() else math.nan


def abstention_accuracy(abstained: Sequence[bool], causeless: Sequence[bool]) -> float:
    r"""Share of the drifts where abstaining was right, or not abstaining was.

    $$\mathrm{accuracy} = |\{q : [q \in A] = [q \in N]\}| \, / \, |\{q\}|$$

    Undefined (nan) without drifts.

    Parameters
    ----------
    abstained : sequence of bool
        For each drift, whether no document was blamed.
    causeless : sequence of bool
        For each drift, whether no document is golden.

    Returns
    -------
    float
        A share from 0 to 1, or nan.

    Examples
    --------
    >>> abstention_accuracy([True, False, False, False], [True, True, False, False])
    0.75
    """
    abstentions, none = _paired(abstained, causeless)
    return float((abstentions == none).mean()) if len(abstentions) else math.nan


def decision_accuracy(first_golden: Sequence[float], abstained: Sequence[bool], causeless: Sequence[bool]) -> float:
    r"""Share of the drifts that were decided right: the golden document blamed, or none where there is none.

    $$\frac{1}{n} \sum_q \left( [q \in A \cap N] + [q \notin A \cup N] \cdot \mathrm{Success@1}_q \right)$$

    Unlike recall it does not forgive a ranking that its own author abstains from. Undefined (nan) without drifts.

    Parameters
    ----------
    first_golden : sequence of float
        For each drift, Success@1: 1 when the first document is golden, nan where none is.
    abstained : sequence of bool
        For each drift, whether no document was blamed.
    causeless : sequence of bool
        For each drift, whether no document is golden.

    Returns
    -------
    float
        A share from 0 to 1, or nan.

    Examples
    --------
    >>> decision_accuracy([1.0, 1.0, float("nan")], [False, True, True], [False, False, True])
    0.6666666666666666
    """
    abstentions, none = _paired(abstained, causeless)
    hits = _successes(first_golden)
    if hits.shape != abstentions.shape:
        raise InvalidInput(f"first_golden must have one entry per drift, got {hits.shape} for {abstentions.shape}.")
    right = np.where(none, abstentions, np.where(abstentions, 0.0, hits))
    return float(right.mean()) if len(right) else math.nan


def confidence_brier(confidence: Sequence[float], first_golden: Sequence[float]) -> float:
    r"""Mean squared difference between the confidence in the first document and whether it is golden.

    $$\frac{1}{n} \sum_q (c_q - \mathrm{Success@}1_q)^2$$

    Drifts without a stated confidence (nan) are left out; where nothing is golden, no document deserves confidence.
    Undefined (nan) when no confidence is stated.

    Parameters
    ----------
    confidence : sequence of float
        For each drift, the stated probability that the first document is a cause; nan where none is stated.
    first_golden : sequence of float
        For each drift, Success@1: 1 when the first document is golden, nan where none is.

    Returns
    -------
    float
        A number from 0 to 1, or nan; lower is better.

    Examples
    --------
    >>> confidence_brier([0.9, 0.5], [1.0, 0.0])
    0.13
    """
    stated, hits = np.asarray(confidence, dtype=np.float64), _successes(first_golden)
    if stated.ndim != 1 or stated.shape != hits.shape:
        raise InvalidInput(f"confidence and first_golden need one entry per drift: {stated.shape}, {hits.shape}.")
    is_stated = ~np.isnan(stated)
    if ((stated[is_stated] < 0) | (stated[is_stated] > 1)).any():
        raise InvalidInput("confidence must lie between 0 and 1, or be nan where none is stated.")
    return round(float(np.mean((stated[is_stated] - hits[is_stated]) ** 2)), 15) if is_stated.any() else math.nan


def _successes(first_golden: Sequence[float]) -> FloatArray:
    """Success@1 of each drift, 0 where nothing is golden."""
    hits = np.nan_to_num(np.asarray(first_golden, dtype=np.float64))
    if ((hits < 0) | (hits > 1)).any():
        raise InvalidInput("first_golden must hold Success@1 of each drift: from 0 to 1, or nan where none is golden.")
    return hits


def _flags(values: Sequence[bool], name: str) -> BoolArray:
    flags = np.asarray(values, dtype=np.bool_ if not len(values) else None)
    if flags.dtype.kind != "b" or flags.ndim != 1:
        raise InvalidInput(f"{name} must be a list of True and False, got {flags.dtype} of shape {flags.shape}.")
    return flags


def _paired(abstained: Sequence[bool], causeless: Sequence[bool]) -> tuple[BoolArray, BoolArray]:
    abstentions, none = _flags(abstained, "abstained"), _flags(causeless, "causeless")
    if abstentions.shape != none.shape:
        raise InvalidInput(f"abstained and causeless need one entry per drift, got {len(abstentions)} and {len(none)}.")
    return abstentions, none


def _faithfulness(evidence: DriftEvidence) -> float:
    return faithfulness([holds for verdict in evidence.verdicts for holds in verdict.verbatim])


def _metric(function: Callable[..., float], *columns: str, **options: Any) -> Metric[DriftEvidence]:
    """The metric of a function that takes these columns of the verdicts."""

    def value(evidence: DriftEvidence) -> float:
        return function(*([getattr(verdict, name) for verdict in evidence.verdicts] for name in columns))

    return Metric(function.__name__, value, function, **options)


def _without_cause(problem: AnyProblem) -> float:
    return math.nan if all(problem.truth.goldens) else 0.0


METRICS: tuple[Metric[DriftEvidence], ...] = (
    Metric("faithfulness", _faithfulness, faithfulness, oracle=1.0),
    _metric(abstention_precision, "abstained", "causeless", floor=_without_cause, oracle=1.0, limits=(0, 1)),
    _metric(abstention_recall, "abstained", "causeless", floor=_without_cause, oracle=1.0, limits=(0, 1)),
    _metric(decision_accuracy, "first_golden", "abstained", "causeless", oracle=1.0),
    _metric(confidence_brier, "confidence", "first_golden", goal="min", floor=1.0, oracle=0.0),
)
