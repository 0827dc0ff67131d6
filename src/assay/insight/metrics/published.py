"""Where the published implementation computes something else than the document, as pure functions.

They serve the preset ``insight-eval`` only, so that its published numbers can be reproduced.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

__all__ = [
    "first_maximum",
    "floored_weights",
    "published_combined_score",
    "published_coverage",
    "published_weighted_mean",
]

_LEAST_SUM = 1e-5


def first_maximum(values: Sequence[float]) -> int:
    r"""The position of the largest value as plain comparisons find it: an undefined first value is never beaten.

    $$\arg\max_s v_s$$

    >>> first_maximum([0.1, 0.4, 0.4]), first_maximum([float("nan"), 0.9]), first_maximum([0.1, float("nan")])
    (1, 0, 0)
    """
    best = 0
    for position in range(1, len(values)):
        if values[position] > values[best]:
            best = position
    return best


def floored_weights(weights: Sequence[float]) -> list[float]:
    r"""Weights, each raised equally where their sum is below 1e-5.

    $$w_c + \max(10^{-5} - \textstyle\sum_c w_c,\ 0) / n$$

    >>> floored_weights([0.0, 0.0])
    [5e-06, 5e-06]
    """
    missing = _LEAST_SUM - sum(weights)
    return [weight + missing / len(weights) for weight in weights] if missing > 0 else list(weights)


def published_weighted_mean(values: Sequence[float], weights: Sequence[float]) -> float:
    r"""The weighted mean, undefined (nan) as soon as one value is.

    $$\textstyle\sum_c w_c v_c / \sum_c w_c$$

    >>> published_weighted_mean([1.0, 0.0], [0.75, 0.25])
    0.75
    """
    return sum(value * weight for value, weight in zip(values, weights, strict=True)) / sum(weights)


def published_coverage(metrics: Mapping[str, float], weights: Mapping[str, float]) -> float:
    r"""The combined coverage over the metrics that are defined; 0 when none is.

    $$\textstyle\sum_{m\ \text{defined}} w_m v_m / \sum_{m\ \text{defined}} w_m$$

    >>> published_coverage({"a": 0.5, "b": float("nan")}, {"a": 0.3, "b": 0.7})
    0.5
    """
    defined = {name: weight for name, weight in weights.items() if not math.isnan(metrics[name])}
    total = sum(defined.values())
    return sum(metrics[name] * weight for name, weight in defined.items()) / total if total else 0.0


def published_combined_score(
    inclusive: float,
    coverage: float,
    leak: bool,
    *,
    inclusive_weight: float = 0.5,
    coverage_weight: float = 0.5,
    penalty: float = 1.0,
) -> float:
    r"""The combined score; where coverage is exactly 0 the performance counts alone and in full.

    $$0.5 \cdot P_{\mathrm{inclusive}} + 0.5 \cdot \text{coverage} - 1.0 \cdot \text{leak}$$

    >>> published_combined_score(0.8, 0.5, False), published_combined_score(0.8, 0.0, False)
    (0.65, 0.8)
    """
    deduction = penalty if leak else 0.0
    if coverage == 0:
        return inclusive - deduction
    return inclusive_weight * inclusive + coverage_weight * coverage - deduction
