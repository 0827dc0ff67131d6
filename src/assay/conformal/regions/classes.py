"""Predictions of classes and of labels: sets of what is still possible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.conformal.calibration.scores import parse_score
from assay.conformal.regions.region import as_classes, as_label_matrix
from assay.conformal.sets.checks import MISSING, BoolArray, FloatArray, as_probabilities, to_numpy
from assay.core import InvalidInput
from assay.core.display import counted

__all__ = ["Classes", "Labels"]


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """Probabilities of exclusive classes, or one sigmoid column: the probability of class 1.

    Parameters
    ----------
    probabilities : (n, C) matrix, (n, 1) matrix or array of n numbers
        The probabilities of every class, or of class 1 of two.
    score : str, default "hinge"
        As in :func:`assay.conformal.calibrate`.
    logits : bool, default False
        The numbers are logits, which are brought to probabilities first.

    Examples
    --------
    >>> Classes([0.9, 0.2]).probabilities.tolist()
    [[0.09999999999999998, 0.9], [0.8, 0.2]]
    """

    probabilities: Any
    score: str = "hinge"
    logits: bool = False

    def __post_init__(self) -> None:
        array = to_numpy(self.probabilities)
        column = array[:, None] if array.ndim == 1 else array
        two = [2] if array.ndim == 1 else None
        (matrix,) = as_probabilities([column], classes=two, logits=self.logits)
        object.__setattr__(self, "probabilities", matrix)
        object.__setattr__(self, "logits", False)
        object.__setattr__(self, "score", str(parse_score(self.score)))

    @property
    def samples(self) -> int:
        """How many samples it is for."""
        return len(self.probabilities)

    @property
    def rows(self) -> int:
        """One score."""
        return 1

    @property
    def form(self) -> str:
        """The number of classes, and the score."""
        return f"Classes of {counted(self.probabilities.shape[1], 'class')}, score {self.score}"

    def scores(self, truth: Any, seed: int = 0) -> FloatArray:
        """Of the true classes."""
        labels = as_classes(truth, self.probabilities.shape[1], samples=self.samples)
        scores = self._by_class(seed)[np.arange(self.samples), np.maximum(labels, 0)]
        return np.where(labels == MISSING, np.nan, scores)[None]

    def region(self, thresholds: FloatArray, seed: int = 0) -> BoolArray:
        """Which classes are still possible, (n, C)."""
        inside: BoolArray = self._by_class(seed) <= thresholds[0][:, None]
        return inside

    def _by_class(self, seed: int) -> FloatArray:
        return parse_score(self.score)(self.probabilities, np.random.default_rng(seed))


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    r"""Sigmoid outputs that say yes or no to each of several labels: sets that hold the whole row of labels.

    $$s = \max_l (1 - p_l(y_l)), \qquad p_l(1) = p_l, \quad p_l(0) = 1 - p_l$$

    A label stays open, yes, no or (only where the model is surer of others than calibration allows) neither. For
    coverage of each label on its own give each column as ``Classes``.

    Parameters
    ----------
    probabilities : (n, L) matrix
        The probabilities of yes, for each label.

    Examples
    --------
    >>> Labels([[0.9, 0.4]]).region(np.array([[0.5]])).tolist()
    [[[False, True], [True, False]]]
    """

    probabilities: Any

    def __post_init__(self) -> None:
        array = to_numpy(self.probabilities)
        if array.ndim != 2 or array.dtype.kind not in "fiub" or not array.shape[1]:
            raise InvalidInput(f"labels: give an (n, L) matrix, a column per label, got shape {array.shape}.")
        array = array.astype(np.float64)
        bad = ~((array >= 0) & (array <= 1))
        if bad.any():
            row, column = np.argwhere(bad)[0].tolist()
            raise InvalidInput(
                f"labels: {array[row, column]:g} at sample {row}, label {column} is not a probability. For "
                "logits give 1 / (1 + exp(-logit))."
            )
        object.__setattr__(self, "probabilities", array)

    @property
    def samples(self) -> int:
        """How many samples it is for."""
        return len(self.probabilities)

    @property
    def rows(self) -> int:
        """One score: that of the worst label."""
        return 1

    @property
    def form(self) -> str:
        """The number of labels."""
        return f"Labels of {counted(self.probabilities.shape[1], 'label')}"

    def scores(self, truth: Any, seed: int = 0) -> FloatArray:
        """Of the worst label; nan where one is missing."""
        yes = as_label_matrix(truth, self.probabilities.shape[1], samples=self.samples)
        missing = (yes == MISSING).any(axis=1)
        worst = np.where(yes == 1, 1 - self.probabilities, self.probabilities).max(axis=1)
        return np.where(missing, np.nan, worst)[None]

    def region(self, thresholds: FloatArray, seed: int = 0) -> BoolArray:
        """Whether no and yes are still possible, (n, L, 2)."""
        limits = thresholds[0][:, None]
        return np.stack([self.probabilities <= limits, 1 - self.probabilities <= limits], axis=2)
