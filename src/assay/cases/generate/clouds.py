"""Gaussian clouds as classes, with planted flaws: overlap, changed labels, queries from elsewhere, rare classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay.cases.neighbors.checks import FloatArray, IntArray

__all__ = ["Clouds", "Plan", "draw_clouds", "perturb"]

_CLUSTERS = 2  # per class, so that a straight boundary is wrong somewhere
_SEPARATION = 6.0  # distance of the centres from the origin without overlap, in standard deviations of a cloud
_OUTSIDE = 8.0  # how much farther than the centres a query from elsewhere lies
_SHIFT = 0.05  # of a twin, in standard deviations of the feature


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to draw; shares are of the training cases (noise) and of the queries (outliers)."""

    cases: int
    queries: int
    features: int
    classes: int
    noise: float
    overlap: float
    outliers: float
    imbalance: float


class Clouds(NamedTuple):
    """Training cases and queries, and what was planted in them."""

    train: FloatArray
    train_labels: IntArray
    queries: FloatArray
    labels: IntArray
    flipped: npt.NDArray[np.bool_]
    outside: npt.NDArray[np.bool_]


def draw_clouds(rng: np.random.Generator, plan: Plan) -> Clouds:
    """One data set; the order of the draws is fixed, so that equal seeds give equal data."""
    centres = rng.normal(size=(plan.classes, _CLUSTERS, plan.features))
    centres /= np.linalg.norm(centres, axis=-1, keepdims=True)
    centres *= _SEPARATION * (1.0 - plan.overlap)

    def draw(count: int) -> tuple[FloatArray, IntArray]:
        labels = rng.permutation(_labels(count, plan))
        middle = centres[labels, rng.integers(_CLUSTERS, size=count)]
        return middle + rng.normal(size=(count, plan.features)), labels

    train, train_labels = draw(plan.cases)
    queries, labels = draw(plan.queries)
    chosen = rng.choice(plan.cases, size=round(plan.noise * plan.cases), replace=False)
    train_labels[chosen] = (train_labels[chosen] + rng.integers(1, plan.classes, size=len(chosen))) % plan.classes
    elsewhere = rng.choice(plan.queries, size=round(plan.outliers * plan.queries), replace=False)
    if len(elsewhere):
        direction = rng.normal(size=(len(elsewhere), plan.features))
        direction /= np.linalg.norm(direction, axis=1, keepdims=True)
        radius = _SEPARATION * (1.0 - plan.overlap) + _OUTSIDE
        queries[elsewhere] = radius * direction + rng.normal(size=direction.shape)
        labels[elsewhere] = rng.integers(plan.classes, size=len(elsewhere))  # it belongs to none of the classes
    return Clouds(train, train_labels, queries, labels, _mask(plan.cases, chosen), _mask(plan.queries, elsewhere))


def perturb(rng: np.random.Generator, clouds: Clouds, rows: IntArray) -> FloatArray:
    """Copies of some queries, moved by a little noise."""
    spread = clouds.train.std(axis=0)
    moved: FloatArray = clouds.queries[rows] + _SHIFT * spread * rng.normal(size=(len(rows), clouds.queries.shape[1]))
    return moved


def _labels(count: int, plan: Plan) -> IntArray:
    """So many of each class: equally many, or falling geometrically from the first class to the last."""
    if plan.imbalance == 1.0:
        return np.arange(count) % plan.classes
    shares = plan.imbalance ** -np.linspace(0.0, 1.0, plan.classes)
    borders = np.round(np.cumsum(shares) / shares.sum() * count)
    return np.searchsorted(borders, np.arange(count), side="right").astype(np.int64)


def _mask(count: int, chosen: IntArray) -> npt.NDArray[np.bool_]:
    mask = np.zeros(count, dtype=np.bool_)
    mask[chosen] = True
    return mask
