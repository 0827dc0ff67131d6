"""Sets of the scores that rank classes (APS, RAPS, top-k), row by row without a score per class."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from assay.conformal.calibration.scores import Score
from assay.conformal.sets.checks import TOLERANCE, FloatArray, not_a_distribution
from assay.conformal.sets.prediction_sets import words_for

__all__ = ["RANKED", "ranked_sets"]

RANKED = ("aps", "raps", "top_k")
_AT_ONCE = 65_536  # entries that are sorted at once and then still in the cache


def ranked_sets(
    score: Score, matrix: npt.NDArray[Any], limits: FloatArray, rng: np.random.Generator, task: int
) -> npt.NDArray[np.uint64]:
    """The same sets, bit by bit, as ``score(matrix) <= limits[:, None]``, of a score in ``RANKED``.

    A class is in the set exactly when its probability reaches a bound of its row, because these scores never fall
    from a probability to a smaller one.
    """
    from assay.conformal.sets import kernels

    samples, classes = matrix.shape
    words = np.empty((samples, words_for(classes)), dtype=np.uint64)
    if score.call.name == "top_k":
        bits = np.zeros(1, dtype=f"i{matrix.dtype.itemsize}")
        between = np.empty(classes, dtype=matrix.dtype)
        bad = kernels.pack_by_rank(matrix, limits, TOLERANCE, bits, bits.view(matrix.dtype), between, words)
        if bad >= 0:
            raise not_a_distribution(matrix, bad, f"probabilities, task {task}")
        return words
    parameters: dict[str, Any] = dict(score.call.parameters)
    uniform: FloatArray = np.asarray(rng.uniform(size=samples if parameters.get("randomized", False) else 0))
    penalties = np.zeros(classes + 1)
    if score.call.name == "raps":
        beyond = np.maximum(0, np.arange(classes + 1.0) - parameters.get("k_reg", 1))
        penalties = parameters.get("penalty", 0.01) * beyond
    step = max(1, _AT_ONCE // classes)
    for start in range(0, samples, step):
        part = slice(start, start + step)
        ordered = np.sort(matrix[part], axis=1)
        bad = kernels.pack_by_mass(
            matrix[part], ordered, limits[part], penalties, uniform[part], TOLERANCE, words[part]
        )
        if bad >= 0:
            raise not_a_distribution(matrix, start + bad, f"probabilities, task {task}")
    return words
