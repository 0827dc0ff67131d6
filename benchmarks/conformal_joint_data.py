"""The plan of the joint-sets measurement, fixed before the first run: data, tasks, classifiers, splits, level.

Judged are ten data sets that no test and no development run has used. Methods were developed on the data sets of
``DEVELOPMENT`` and on generated problems. Rules, the same for all:

* A target with at most three values keeps them. Another is cut at its terciles, or at its median where a data set has
  more than six targets; a class is the number of cuts below the value. Targets with a single class are left out.
* Missing features get the column's median. Rows with a missing target are left out.
* 40 % of the rows train one classifier per task, 30 % calibrate, 30 % test. Ten trainings with seeds 0 to 9, and 20
  random splits of the remaining rows for each: 200 splits.
* Classifiers alternate in the order of the names: forest (100 trees, two samples per leaf) and logistic regression on
  standardised features.
* ``oes97`` is left to development: with 16 tasks its rows are too few for a finite Bonferroni threshold.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

ALPHA = 0.1
TRAININGS, SPLITS_EACH = 10, 20
TRAIN_SHARE = 0.4
SPLIT_SEED = 20_000  # a split's generator is seeded with [SPLIT_SEED, training, split]

MULAN = {  # the number of targets, which are the last columns
    **{"atp1d": 6, "emotions": 6, "enb": 2, "jura": 3, "osales": 12, "scpf": 3, "wq": 14, "yeast": 14},
    **{"edm": 2, "oes97": 16, "sf1": 3, "slump": 3},
}
SKLEARN = {  # columns that become targets beside the data set's own target
    "breast_cancer": ("mean texture", "mean smoothness"),
    "wine": ("alcohol", "color_intensity"),
    "diabetes": ("bmi", "bp", "s5"),
    "iris": ("sepal width (cm)", "petal length (cm)"),
}
JUDGED = ("atp1d", "breast_cancer", "emotions", "enb", "jura", "osales", "scpf", "wine", "wq", "yeast")
DEVELOPMENT = ("diabetes", "edm", "iris", "oes97", "sf1", "slump")


class Table(NamedTuple):
    """Features and one column of class numbers per task."""

    features: npt.NDArray[np.float64]
    labels: tuple[npt.NDArray[np.int64], ...]


class Predictions(NamedTuple):
    """What the classifiers of one training say of the other rows, with their labels."""

    probabilities: tuple[npt.NDArray[np.float64], ...]
    labels: tuple[npt.NDArray[np.int64], ...]


def load(name: str) -> Table:
    """The table of a data set under the rules above."""
    features, targets = _mulan(name) if name in MULAN else _sklearn(name)
    complete = ~np.isnan(targets).any(axis=1)
    features, targets = features[complete], targets[complete]
    medians = np.nanmedian(np.where(np.isnan(features).all(axis=0), 0.0, features), axis=0)
    features = np.where(np.isnan(features), medians, features)
    columns = [_classes(column, many=targets.shape[1] > 6) for column in targets.T]
    return Table(features, tuple(column for column in columns if column.max() > 0))


def _classes(values: npt.NDArray[np.float64], *, many: bool) -> npt.NDArray[np.int64]:
    distinct = np.unique(values)
    if len(distinct) > 3:
        cuts = np.unique(np.quantile(values, [0.5] if many else [1 / 3, 2 / 3]))
        values = np.searchsorted(cuts, values, side="left").astype(np.float64)  # cuts below the value
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def _mulan(name: str) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    path = Path(os.environ["ASSAY_BENCHMARKS"]) / "mulan" / f"{name}.arff.gz"
    lines = gzip.decompress(path.read_bytes()).decode("latin-1").splitlines()
    start = next(number for number, line in enumerate(lines) if line.strip().lower() == "@data")
    rows = [[cell.strip() for cell in line.split(",")] for line in lines[start + 1 :] if line.strip()]
    columns = [_numbers(column) for column in zip(*rows, strict=True)]
    matrix = np.stack(columns, axis=1)
    return matrix[:, : -MULAN[name]], matrix[:, -MULAN[name] :]


def _numbers(column: tuple[str, ...]) -> npt.NDArray[np.float64]:
    cells = sorted({cell for cell in column if cell != "?"})
    try:
        values = {cell: float(cell) for cell in cells}
    except ValueError:
        values = {cell: float(number) for number, cell in enumerate(cells)}  # a nominal feature by its order
    return np.asarray([values.get(cell, np.nan) for cell in column])


def _sklearn(name: str) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    names = list(bunch.feature_names)
    places = [names.index(column) for column in SKLEARN[name]]
    targets = np.column_stack([bunch.target, bunch.data[:, places]]).astype(np.float64)
    return np.delete(bunch.data, places, axis=1), targets


def classifier(name: str, seed: int) -> Any:
    """Forests and logistic regressions in turn, in the order of the names."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    names = JUDGED if name in JUDGED else DEVELOPMENT
    if names.index(name) % 2 == 0:
        return RandomForestClassifier(100, min_samples_leaf=2, random_state=seed)
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))


def train(name: str, table: Table, seed: int) -> Predictions:
    """One training: classifiers of 40 % of the rows, their probabilities for the others."""
    order = np.random.default_rng(seed).permutation(len(table.features))
    first = round(TRAIN_SHARE * len(order))
    fitted, rest = order[:first], order[first:]
    matrices = []
    for column in table.labels:
        matrix = np.zeros((len(rest), int(column.max()) + 1))
        values = np.unique(column[fitted])
        if len(values) == 1:
            matrix[:, values] = 1.0
        else:
            model = classifier(name, seed).fit(table.features[fitted], column[fitted])
            matrix[:, values] = model.predict_proba(table.features[rest])
        matrices.append(matrix)
    return Predictions(tuple(matrices), tuple(column[rest] for column in table.labels))


def splits(samples: int, training: int, count: int = SPLITS_EACH) -> Iterator[tuple[Any, Any]]:
    """Halves that calibrate and that test."""
    for split in range(count):
        order = np.random.default_rng([SPLIT_SEED, training, split]).permutation(samples)
        yield order[: samples // 2], order[samples // 2 :]
