"""The three performances of a solution, its leak verdict, and the combined score."""

from __future__ import annotations

import math

__all__ = [
    "combined_score",
    "exclusive_performance",
    "inclusive_performance",
    "naive_performance",
    "target_leak",
]


def inclusive_performance(performance: float) -> float:
    r"""Performance of a model of the base columns and the insight columns together.

    $$P(M(\text{base} \cup S) \to \text{target})$$

    AUC for binary, one-vs-rest macro AUC for multi-class, R² for regression problems; undefined (nan) when the test
    part holds a single class.

    >>> inclusive_performance(0.8)
    0.8
    """
    return performance


def exclusive_performance(performance: float) -> float:
    r"""Performance of a model of the insight columns alone.

    $$P(M(S) \to \text{target})$$

    Without insight columns there is no information: 0.5, or an R² of 0.

    >>> exclusive_performance(0.7)
    0.7
    """
    return performance


def naive_performance(performance: float) -> float:
    r"""Performance of a model of the base columns alone: the baseline.

    $$P(M(\text{base}) \to \text{target})$$

    >>> naive_performance(0.55)
    0.55
    """
    return performance


def target_leak(leak: bool | None) -> float:
    r"""Whether a feature function was found to leak the target: 1 or 0.

    $$\mathrm{leak} = [\exists f : \text{verdict}(f) = \text{leak}]$$

    Undefined (nan) when the functions were not checked.

    >>> target_leak(True), target_leak(False)
    (1.0, 0.0)
    >>> target_leak(None)
    nan
    """
    return math.nan if leak is None else float(leak)


def combined_score(
    inclusive: float,
    coverage: float,
    leak: bool | None = None,
    *,
    inclusive_weight: float = 0.5,
    coverage_weight: float = 0.5,
    penalty: float = 1.0,
) -> float:
    r"""Performance and coverage in equal parts, minus the penalty for a leak.

    $$0.5 \cdot P_{\mathrm{inclusive}} + 0.5 \cdot \text{coverage} - 1.0 \cdot \text{leak}$$

    For regression, performance enters as max(R², 0). What was not checked carries no penalty. Undefined (nan) when
    performance or coverage is; a leak below zero stays below zero.

    >>> combined_score(0.75, 0.5)
    0.625
    >>> combined_score(0.75, 0.5, True)
    -0.375
    """
    return inclusive_weight * inclusive + coverage_weight * coverage - (penalty if leak else 0.0)
