"""Products of sets that grow: for every sample a chain of them, each step where it gains most probability per size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.conformal.sets.checks import FloatArray

__all__ = ["growth_levels"]

_NOTHING = 1e-300
_MOST_STEPS = 256  # of a chain; what is left joins in one last step


def growth_levels(probabilities: Sequence[FloatArray]) -> tuple[FloatArray, ...]:
    r"""For every task and class the level at which the class joins the sample's product set; 0 for the likeliest.

    The set starts as the likeliest class of every task. Each step adds the next likeliest class of the task in which

    $$\frac{\Delta \prod_t M_t}{\Delta \prod_t |S_t|}, \qquad M_t = \sum_{c \in S_t} p_t(c)$$

    is largest. A step's level is minus the logarithm of the slope of the concave hull of mass over size, so the sets
    of one level, over all samples, are those that maximise mass minus λ times size along their chains. Levels never
    fall along a chain: sets of a higher level contain those of a lower one. After 256 steps all other classes join at
    once.

    >>> [levels.round(3).tolist() for levels in growth_levels([np.array([[0.75, 0.25]]), np.array([[0.5, 0.5]])])]
    [[[0.0, 2.079]], [[0.0, 0.981]]]
    """
    matrices = [np.asarray(matrix, dtype=np.float64) for matrix in probabilities]
    samples, tasks = len(matrices[0]), len(matrices)
    classes = np.asarray([matrix.shape[1] for matrix in matrices])
    orders = [np.argsort(-matrix, axis=1, kind="stable") for matrix in matrices]
    ranked = [np.take_along_axis(matrix, order, axis=1) for matrix, order in zip(matrices, orders, strict=True)]
    rows = np.arange(samples)
    sizes = np.ones((samples, tasks), dtype=np.int64)
    masses = np.stack([matrix[:, 0] for matrix in ranked], axis=1)
    path = []
    mass, size = [masses.prod(axis=1)], [np.ones(samples)]
    for _ in range(min(int((classes - 1).sum()), _MOST_STEPS)):
        following = np.stack(
            [matrix[rows, np.minimum(sizes[:, t], classes[t] - 1)] for t, matrix in enumerate(ranked)], axis=1
        )
        # relative gains compare as absolute ones do: mass and size of the whole are common factors
        gains = np.where(sizes < classes, following / np.maximum(masses, _NOTHING) * sizes, -1.0)
        grown = gains.argmax(axis=1)
        path.append((grown, sizes[rows, grown]))
        masses[rows, grown] += following[rows, grown]
        sizes[rows, grown] += 1
        mass.append(masses.prod(axis=1))
        size.append(sizes.prod(axis=1, dtype=np.float64))
    mass.append(np.ones(samples))
    size.append(
        np.maximum(np.prod(classes.astype(np.float64)), size[-1] + 1)
    )  # a step that nothing is left for is harmless
    levels = _hull_levels(np.stack(mass, axis=1), np.stack(size, axis=1))
    by_class = [np.repeat(levels[:, -1:], count, axis=1) for count in classes]
    for task, order in enumerate(orders):
        by_class[task][rows, order[:, 0]] = 0.0
    for step, (grown, place) in enumerate(path):
        for task in range(tasks):
            here = np.flatnonzero(grown == task)
            by_class[task][here, orders[task][here, place[here]]] = levels[here, step]
    return tuple(by_class)


def _hull_levels(mass: FloatArray, size: FloatArray) -> FloatArray:
    """Minus the logarithm of the slope of each step under the concave hull of mass over size."""
    samples, points = mass.shape
    rows, places = np.arange(samples), np.arange(points)
    levels = np.zeros((samples, points - 1))
    corner = np.zeros(samples, dtype=np.int64)
    while (corner < points - 1).any():
        with np.errstate(divide="ignore", invalid="ignore"):
            slopes = (mass - mass[rows, corner][:, None]) / (size - size[rows, corner][:, None])
        slopes = np.where(places > corner[:, None], slopes, -np.inf)
        reached = np.where(corner < points - 1, points - 1 - slopes[:, ::-1].argmax(axis=1), corner)
        steep = -np.log(np.clip(slopes[rows, reached], _NOTHING, 1.0))
        between = (places[:-1] >= corner[:, None]) & (places[:-1] < reached[:, None])
        levels = np.where(between, steep[:, None], levels)
        corner = reached
    rising: FloatArray = np.maximum.accumulate(levels, axis=1)  # against rounding
    return rising
