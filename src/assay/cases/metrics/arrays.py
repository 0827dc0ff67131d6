"""What metrics demand of their arrays."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.cases.neighbors.checks import FloatArray, IntArray
from assay.core import InvalidInput
from assay.core.arrays import BoolArray

__all__ = ["BoolArray", "as_cases", "as_judged", "as_numbers", "as_unit"]


_ENTRY = {"wrong": "prediction", "planted": "entry"}  # what a verdict is about


def as_judged(
    scores: npt.ArrayLike, wrong: npt.ArrayLike, *, what: str, mask: str = "wrong"
) -> tuple[FloatArray, BoolArray]:
    """A number and a verdict per prediction."""
    s, verdicts = as_numbers(scores, what=what), np.asarray(wrong)
    if verdicts.dtype.kind not in "b" and verdicts.size and not np.isin(verdicts, (0, 1)).all():
        raise InvalidInput(f"{mask}: must say True or False for each {_ENTRY[mask]}, got {verdicts.dtype} values.")
    if s.ndim != 1 or s.shape != verdicts.shape:
        raise InvalidInput(
            f"{what} and {mask} must be two lists of one length, got shapes {s.shape} and {verdicts.shape}."
        )
    if np.isnan(s).any():
        raise InvalidInput(f"{what}: entry {int(np.argmax(np.isnan(s)))} is nan; every {_ENTRY[mask]} needs a number.")
    return s, verdicts.astype(np.bool_)


def as_unit(scores: npt.ArrayLike, wrong: npt.ArrayLike) -> tuple[FloatArray, BoolArray]:
    """Scores that claim to be probabilities, and the verdicts."""
    s, is_wrong = as_judged(scores, wrong, what="scores")
    outside = (s < 0) | (s > 1)
    if outside.any():
        raise InvalidInput(f"scores: {s[outside][0]} is not a probability; calibration needs scores between 0 and 1.")
    return s, is_wrong


def as_cases(values: npt.ArrayLike, *, what: str) -> IntArray:
    """A row of case numbers per query, at least one each."""
    array = np.asarray(values)
    if array.shape == (0,):
        array = array.reshape(0, 0)
    if array.ndim != 2 or (array.size and array.dtype.kind not in "iu"):
        raise InvalidInput(f"{what}: must be rows of case numbers, one per query, got {array.dtype} {array.shape}.")
    if len(array) and not array.shape[1]:
        raise InvalidInput(f"{what}: names no case; give at least one per query.")
    return array.astype(np.int64)


def as_numbers(values: npt.ArrayLike, *, what: str) -> FloatArray:
    """Numbers of any shape as float64."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise InvalidInput(f"{what}: rows differ in length.") from None
    if array.dtype.kind not in "biuf" and array.size:
        raise InvalidInput(f"{what}: must be numbers, got {array.dtype}.")
    return array.astype(np.float64)
