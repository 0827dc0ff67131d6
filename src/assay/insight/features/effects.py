"""How strongly a column goes with a target, as a number and as a sentence."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from assay.core.arrays import FloatArray
from assay.core.display import shortened
from assay.insight.problem.task import ProblemType

__all__ = ["Effect", "effect_of"]


class Effect(NamedTuple):
    """AUROC of a column alone (of the class that it tells best), or rank correlation; and the sentence."""

    size: float
    measure: str
    sentence: str


class _Halves(NamedTuple):
    low: npt.NDArray[np.bool_]
    high: npt.NDArray[np.bool_]
    words: tuple[str, str]


def effect_of(values: FloatArray, target: npt.NDArray[Any], kind: ProblemType, name: str) -> Effect:
    """The target where a column is high against where it is low.

    >>> effect_of(np.arange(8.0), np.array([0, 0, 0, 1, 0, 1, 1, 1]), "binary", "churned").sentence
    'churned is 1 in 100 % of the rows where it is at least 5.25, in 0 % where it is at most 1.75 (AUROC 0.94).'
    """
    ends = _ends(values)
    if kind == "regression":
        from scipy import stats

        numbers = np.asarray(target, dtype=np.float64)
        size = 0.0 if np.ptp(values) == 0 else float(stats.spearmanr(values, numbers)[0])
        high, low = numbers[ends.high].mean(), numbers[ends.low].mean()
        sentence = f"The mean of {name} is {high:.4g} where it {ends.words[1]}, {low:.4g} where it {ends.words[0]}"
        return Effect(size, "rank correlation", f"{sentence} (rank correlation {size:.2f}).")
    classes = np.unique(target.astype(str))
    labels = target.astype(str)
    if kind == "binary":
        classes = classes[-1:]
    areas = [_area(values, labels == label) for label in classes]
    best = int(np.argmax([abs(area - 0.5) for area in areas]))
    held = labels == classes[best]
    high, low = 100 * held[ends.high].mean(), 100 * held[ends.low].mean()
    label = shortened(classes[best], 30)
    sentence = (
        f"{name} is {label} in {high:.0f} % of the rows where it {ends.words[1]}, "
        f"in {low:.0f} % where it {ends.words[0]} (AUROC {areas[best]:.2f})."
    )
    return Effect(areas[best], "AUROC", sentence)


def _ends(values: FloatArray) -> _Halves:
    """The quarters of the rows with the lowest and with the highest values; with many ties, those apart from them."""
    lower, upper = float(np.quantile(values, 0.25)), float(np.quantile(values, 0.75))
    if len(np.unique(values)) == 2:
        lower, upper = float(values.min()), float(values.max())
        return _Halves(values == lower, values == upper, (f"is {lower:.4g}", f"is {upper:.4g}"))
    if lower == upper and values.max() > upper:
        return _Halves(values <= lower, values > upper, (f"is at most {lower:.4g}", f"is above {upper:.4g}"))
    if lower == upper and values.min() < lower:
        return _Halves(values < lower, values >= upper, (f"is below {lower:.4g}", f"is at least {upper:.4g}"))
    return _Halves(values <= lower, values >= upper, (f"is at most {lower:.4g}", f"is at least {upper:.4g}"))


def _area(values: FloatArray, held: npt.NDArray[np.bool_]) -> float:
    """The share of pairs, of a row of the class and another, in which the former has the higher value."""
    from scipy import stats

    count, others = int(held.sum()), int((~held).sum())
    if not count or not others:
        return 0.5
    ranks = stats.rankdata(values)
    return float((ranks[held].sum() - count * (count + 1) / 2) / (count * others))
