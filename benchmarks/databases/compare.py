"""Sets of columns behind one booster: AUROC or R² on later rows, intervals, and differences on the same draws."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from assay.core.arrays import FloatArray
from assay.insight.search.choose import choose, responses_of
from benchmarks.databases.task import DatabaseTask

__all__ = ["MOST", "Compared", "best_twenty", "compare"]

MOST = 20
_DRAWS = 1000


class Compared(NamedTuple):
    """A figure with its 95 % interval, and the same of the difference to the set that all are compared with."""

    name: str
    columns: int
    value: float
    low: float
    high: float
    difference: float
    difference_low: float
    difference_high: float


def best_twenty(columns: pd.DataFrame, task: DatabaseTask) -> pd.DataFrame:
    """The columns that the transformer's own choice would keep, by the training rows."""
    if columns.shape[1] <= MOST:
        return columns
    train = columns[~task.late]
    filled = train.fillna(train.median()).fillna(0.0).to_numpy(np.float32).T
    responses, logistic = responses_of(task.target[~task.late].to_numpy(), task.kind)
    costs = np.ones(len(filled))
    chosen = choose(filled, costs, responses, logistic=logistic, most=MOST)
    return columns.iloc[:, [choice.place for choice in chosen[:MOST]]]


def compare(sets: dict[str, pd.DataFrame], task: DatabaseTask, *, against: str) -> list[Compared]:
    """Each set with a booster of fixed settings; rows that belong together are drawn together."""
    y = task.target[task.late].to_numpy(float)
    scores = {name: _predict(columns, task) for name, columns in sets.items()}
    members = [np.flatnonzero(task.clusters[task.late] == one) for one in pd.unique(task.clusters[task.late])]
    rng = np.random.default_rng(0)
    resampled: dict[str, list[float]] = {name: [] for name in sets}
    while len(resampled[against]) < _DRAWS:
        rows = np.concatenate([members[place] for place in rng.integers(0, len(members), len(members))])
        if np.ptp(y[rows]) > 0:
            for name, score in scores.items():
                resampled[name].append(_figure(y[rows], score[rows], task.kind))
    values = {name: _figure(y, score, task.kind) for name, score in scores.items()}
    comparisons = []
    for name, columns in sets.items():
        low, high = np.quantile(resampled[name], [0.025, 0.975])
        apart = np.quantile(np.subtract(resampled[name], resampled[against]), [0.025, 0.975])
        difference = values[name] - values[against]
        comparisons.append(Compared(name, columns.shape[1], values[name], low, high, difference, apart[0], apart[1]))
    return comparisons


def _predict(columns: pd.DataFrame, task: DatabaseTask) -> FloatArray:
    """Of the test rows, by a booster as scikit-learn has it."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    values, target = columns.to_numpy(float), task.target.to_numpy()
    model: Any = (HistGradientBoostingClassifier if task.kind == "binary" else HistGradientBoostingRegressor)(
        random_state=0
    )
    model.fit(values[~task.late], target[~task.late])
    late = values[task.late]
    return np.asarray(model.predict_proba(late)[:, 1] if task.kind == "binary" else model.predict(late))


def _figure(y: FloatArray, score: npt.NDArray[Any], kind: str) -> float:
    """AUROC, or the share of the variance that is explained."""
    if kind == "regression":
        return float(1.0 - ((y - score) ** 2).sum() / ((y - y.mean()) ** 2).sum())
    from scipy import stats

    positive = y > 0
    count, others = int(positive.sum()), int((~positive).sum())
    return float((stats.rankdata(score)[positive].sum() - count * (count + 1) / 2) / (count * others))
