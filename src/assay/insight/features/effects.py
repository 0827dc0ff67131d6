"""How strongly a column is associated with a target, as a number and as a sentence."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from assay.core.arrays import FloatArray
from assay.core.display import shortened
from assay.insight.metrics.performance import auc
from assay.insight.problem.task import ProblemType

__all__ = ["Effect", "Group", "effect_of"]

_GROUPS = 5


class Group(NamedTuple):
    """Rows with values from ``low`` to ``high``: the share or mean of the target among them, with a 95 % interval."""

    low: float
    high: float
    rows: int
    value: float
    below: float
    above: float


class Effect(NamedTuple):
    """AUROC of a column alone (of the class that it tells best), or rank correlation; the sentence, and what a picture
    shows: the target among rows with low to high values.
    """

    size: float
    measure: str
    sentence: str
    outcome: str = ""  # what the groups' values are
    groups: tuple[Group, ...] = ()


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
        groups = _groups(values, numbers, share=False)
        return Effect(size, "rank correlation", f"{sentence} (rank correlation {size:.2f}).", f"mean of {name}", groups)
    classes = np.unique(target.astype(str))
    labels = target.astype(str)
    if kind == "binary":
        classes = classes[-1:]
    areas = [auc(labels == label, values) if len(np.unique(labels)) > 1 else 0.5 for label in classes]
    best = int(np.argmax([abs(area - 0.5) for area in areas]))
    positive = labels == classes[best]
    high, low = 100 * positive[ends.high].mean(), 100 * positive[ends.low].mean()
    label = shortened(classes[best], 30)
    sentence = (
        f"{name} is {label} in {high:.0f} % of the rows where it {ends.words[1]}, "
        f"in {low:.0f} % where it {ends.words[0]} (AUROC {areas[best]:.2f})."
    )
    groups = _groups(values, 100.0 * positive, share=True)
    return Effect(areas[best], "AUROC", sentence, f"{name} is {label}, % of rows", groups)


def _groups(values: FloatArray, outcome: FloatArray, *, share: bool) -> tuple[Group, ...]:
    """Rows in order of a column, cut into about five equal parts; equal values stay together.

    >>> [group.rows for group in _groups(np.array([0.0, 0, 0, 0, 1, 2, 3, 4]), np.zeros(8), share=True)]
    [4, 1, 1, 1, 1]
    """
    levels = np.unique(values)
    edges = levels if len(levels) <= _GROUPS else np.unique(np.quantile(values, np.linspace(0, 1, _GROUPS + 1))[1:])
    places = np.searchsorted(edges, values)
    groups = []
    for place in np.unique(places):
        mine, own = values[places == place], outcome[places == place]
        value, count = float(own.mean()), len(own)
        half = 1.96 * float(own.std(ddof=1)) / np.sqrt(count) if count > 1 else np.inf
        below, above = value - half, value + half
        if share:  # by Wilson: the interval of a share of 0 is not 0
            z, p = 1.96**2 / count, value / 100.0
            middle = (p + z / 2) / (1 + z)
            half = float(np.sqrt(z * p * (1 - p) + z * z / 4)) / (1 + z)
            below, above = min(100.0 * (middle - half), value), max(100.0 * (middle + half), value)
        elif not np.isfinite(half):
            below = above = value
        groups.append(Group(float(mine.min()), float(mine.max()), count, value, below, above))
    return tuple(groups)


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
