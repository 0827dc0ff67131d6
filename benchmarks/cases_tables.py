"""PMLB's classification tables for comparing detectors: a split by origin, classifiers, and their predictions.

Which tables serve development and which are held out was fixed in decision 0027 before any of them was read.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import os
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from assay.cases import CasesTask

Half = Literal["development", "held-out"]

# variants of one data set, and data sets of one source, have one origin
ORIGINS = {
    "gametes": (
        "GAMETES_Epistasis_2_Way_1000atts_0.4H_EDM_1_EDM_1_1",
        "GAMETES_Epistasis_2_Way_20atts_0.1H_EDM_1_1",
        "GAMETES_Epistasis_2_Way_20atts_0.4H_EDM_1_1",
        "GAMETES_Epistasis_3_Way_20atts_0.2H_EDM_1_1",
        "GAMETES_Heterogeneity_20atts_1600_Het_0.4_0.2_50_EDM_2_001",
        "GAMETES_Heterogeneity_20atts_1600_Het_0.4_0.2_75_EDM_2_001",
    ),
    "mushrooms": ("agaricus_lepiota", "mushroom"),
    "cars": ("car", "car-evaluation"),
    "livers": ("bupa", "liver_disorder"),
    "genes": ("dna", "splice", "molecular_biology_promoters"),
    "digits": ("mfeat_karhunen", "mfeat_zernike", "optdigits", "pendigits"),
    "breast cancer": ("breast_cancer_wisconsin",),
    "wine": ("wine_recognition",),
    "flares": ("solar_flare_1", "solar_flare_2"),
    "thyroids": ("allbp", "new_thyroid"),
    "boolean": ("threeOf9", "xd6", "mofn_3_7_10", "corral", "monk3"),
    "ordinal": ("1027_ESL", "1030_ERA"),
}
BUILT_IN_RELATIVES = ("digits", "breast cancer", "wine")  # of the data that Assay ships: development
LEAST_ROWS, MOST_CLASSES = 100, 20  # by the index of the tables
LEAST_OF_CLASS, LEAST_OF_THINNED = 10, 4  # rarer classes are left out
MOST_TRAIN, MOST_TEST, TRAIN_SHARE, SPLITS = 1_500, 1_500, 0.6, 3
GAPS = ("", "?", "NA", "nan", "NaN")

CLASSIFIERS: dict[str, Any] = {
    "tree": lambda seed: DecisionTreeClassifier(random_state=seed),
    "forest": lambda seed: RandomForestClassifier(n_estimators=100, random_state=seed),
    "logistic": lambda _: make_pipeline(StandardScaler(), LogisticRegression(max_iter=500)),
    "boosting": lambda seed: HistGradientBoostingClassifier(max_iter=50, random_state=seed),
    "neighbours": lambda _: make_pipeline(StandardScaler(), KNeighborsClassifier(5)),
    "network": lambda seed: make_pipeline(StandardScaler(), MLPClassifier((50,), max_iter=100, random_state=seed)),
    "naive Bayes": lambda _: GaussianNB(),
}


class Predictions(NamedTuple):
    """One classifier on one split of a table: what a score sees, which predictions are wrong, and the queries' rows."""

    table: str
    classifier: str
    split: int
    task: CasesTask
    wrong: np.ndarray
    rows: np.ndarray


def folder() -> Path:
    """Where the tables are."""
    return Path(os.environ.get("ASSAY_BENCHMARKS", "")) / "pmlb"


def halves() -> dict[Half, dict[str, tuple[str, ...]]]:
    """Tables of each half by origin, told from the index alone: origins in the order of a checksum of their names."""
    with (folder() / "index.csv").open(encoding="utf-8") as lines:
        listed = [row for row in csv.DictReader(lines) if row["task"] == "classification"]
    fit = {
        row["name"] for row in listed if int(row["rows"]) >= LEAST_ROWS and int(row["distinct_targets"]) <= MOST_CLASSES
    }
    together = {name: origin for origin, names in ORIGINS.items() for name in names}
    tables: dict[str, list[str]] = {}
    for name in sorted(fit):
        tables.setdefault(together.get(name, name), []).append(name)
    order = sorted(tables, key=lambda origin: hashlib.sha256(f"assay cases 27 {origin}".encode()).hexdigest())
    tables_held_back: dict[str, tuple[str, ...]] = {}
    for origin in order:
        if origin not in BUILT_IN_RELATIVES and sum(map(len, tables_held_back.values())) < len(fit) / 2:
            tables_held_back[origin] = tuple(tables[origin])
    development = {origin: tuple(tables[origin]) for origin in order if origin not in tables_held_back}
    return {"development": development, "held-out": tables_held_back}


def read_table(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Features and labels; rare classes and rows with a gap are left out, texts are numbered in alphabetical order."""
    with gzip.open(folder() / "classification" / f"{name}.tsv.gz", "rt", encoding="utf-8") as lines:
        rows = list(csv.reader(lines, delimiter="\t"))
    target = rows[0].index("target")
    body = np.column_stack([_numbers(column) for column in zip(*rows[1:], strict=True)])
    body = body[~np.isnan(body).any(axis=1)]
    X, y = np.delete(body, target, axis=1), body[:, target].astype(np.int64)
    classes, counts = np.unique(y, return_counts=True)
    frequent = np.isin(y, classes[counts >= LEAST_OF_CLASS])
    return X[frequent], y[frequent]


def _numbers(column: Sequence[str]) -> np.ndarray:
    gap = np.isin(column, GAPS)
    filled = np.where(gap, "nan", column)
    try:
        return filled.astype(float)
    except ValueError:
        return np.where(gap, np.nan, np.unique(column, return_inverse=True)[1])


def predictions(name: str, *, only: int | None = None) -> Iterator[Predictions]:
    """Every classifier on every split of a table, or on ``only`` one."""
    X, y = read_table(name)
    if len(y) < LEAST_ROWS or len(np.unique(y)) < 2:
        return
    for split in range(SPLITS) if only is None else (only,):
        train, test = _split(y, split)
        for classifier, make in CLASSIFIERS.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = make(split).fit(X[train], y[train])
                shares = model.predict_proba(X[test])
            shares = shares / shares.sum(axis=1, keepdims=True)
            task = CasesTask(
                train_X=X[train],
                train_y=y[train],
                query_X=X[test],
                predicted=model.predict(X[test]),
                probabilities=shares,
                classes=tuple(model.classes_.tolist()),
                feature_names=tuple(f"x{feature}" for feature in range(X.shape[1])),
            )
            yield Predictions(name, classifier, split, task, task.predicted != y[test], test)


def _split(y: np.ndarray, split: int) -> tuple[np.ndarray, np.ndarray]:
    """Training and test rows, by class; large tables are thinned."""
    rows = np.arange(len(y))
    most = MOST_TRAIN + MOST_TEST
    if len(rows) > most:
        rows = train_test_split(rows, train_size=most, random_state=split, stratify=y)[0]
        classes, counts = np.unique(y[rows], return_counts=True)
        rows = rows[np.isin(y[rows], classes[counts >= LEAST_OF_THINNED])]
    count = min(MOST_TRAIN, round(TRAIN_SHARE * len(rows)))
    train, test = train_test_split(rows, train_size=count, random_state=split, stratify=y[rows])
    return np.sort(train), np.sort(test)
