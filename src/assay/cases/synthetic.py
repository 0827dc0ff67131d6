"""Problems with known truth: classifiers on public data sets, and generated ones with planted noise and overlap."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from assay.cases.checks import FloatArray, IntArray, LabelArray
from assay.cases.problem import CasesTask, CasesTruth, write_problem
from assay.core import InvalidInput

__all__ = ["FEWEST_ERRORS", "builtin", "generate"]

# below this the AUROC of a problem is hardly more than noise, and with no error at all it is undefined
FEWEST_ERRORS = 5

_SEED = 42
_GENERATED = 4
_CLUSTERS = 2  # per class, so that a straight boundary is wrong somewhere
_ATTEMPTS = 20


class _Split(NamedTuple):
    train: FloatArray
    train_labels: LabelArray
    queries: FloatArray
    labels: LabelArray


def builtin(folder: Path) -> None:
    """Write the built-in problems: four public data sets under four classifiers, and a few generated ones.

    Half of each data set, stratified, trains the classifier and is the case base; the other half is asked. A pair is
    left out when fewer than five of its predictions are wrong.
    """
    for dataset, (data, feature_names) in _public_data().items():
        classes = tuple(np.unique(data.train_labels).tolist())
        for classifier, make in _classifiers().items():
            task = _predicted_by(make(), data, classes, feature_names)
            if int((task.predicted != data.labels).sum()) >= FEWEST_ERRORS:
                _write(
                    Path(folder),
                    f"{dataset}-{classifier}",
                    task,
                    data.labels,
                    {"dataset": dataset, "classifier": classifier, "origin": "public"},
                )
    generate(folder, problems=_GENERATED, seed=_SEED)


def generate(
    folder: Path,
    *,
    problems: int,
    seed: int,
    cases: int = 300,
    queries: int = 200,
    features: int = 6,
    classes: int = 3,
    noise: Sequence[float] = (0.0, 0.1, 0.2),
    overlap: Sequence[float] = (0.4, 0.6),
) -> None:
    """Write generated problems, the same bytes for the same seed.

    Each class is a pair of Gaussian clouds. ``overlap`` in [0, 1) draws the clouds together; ``noise`` is the share of
    training labels that are replaced by another class, while the true labels of the queries stay clean. Problems run
    through all pairs of the two, under classifiers drawn by the seed.
    """
    sizes = {"cases": cases, "queries": queries, "features": features, "classes": classes, "problems": problems}
    _demand_plan(sizes, seed, noise, overlap)
    levels = list(product(noise, overlap))
    names = tuple(_classifiers())
    for number in range(problems):
        share, closeness = levels[number % len(levels)]
        for attempt in range(_ATTEMPTS):
            rng = np.random.default_rng([seed, number, attempt])
            classifier = names[rng.integers(len(names))]
            data = _clouds(rng, sizes, share, closeness)
            feature_names = tuple(f"x{feature}" for feature in range(features))
            task = _predicted_by(_classifiers()[classifier](), data, tuple(range(classes)), feature_names)
            if int((task.predicted != data.labels).sum()) >= FEWEST_ERRORS:
                break
        else:
            raise InvalidInput(
                f"generate: after {_ATTEMPTS} attempts fewer than {FEWEST_ERRORS} predictions were wrong with "
                f"overlap={closeness}, noise={share}, queries={queries}. Raise the overlap or the number of queries."
            )
        tags: dict[str, str | float] = {
            "dataset": "clouds",
            "classifier": classifier,
            "noise": float(share),
            "overlap": float(closeness),
            "origin": "generated",
        }
        _write(Path(folder), f"generated-{seed}-{number:03d}", task, data.labels, tags)


def _demand_plan(sizes: Mapping[str, object], seed: object, noise: Sequence[float], overlap: Sequence[float]) -> None:
    fewest = {"cases": 20, "queries": FEWEST_ERRORS, "features": 1, "classes": 2, "problems": 1}
    for name, value in sizes.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < fewest[name]:
            raise InvalidInput(f"generate: {name} must be a whole number of at least {fewest[name]}, got {value!r}.")
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise InvalidInput(f"generate: seed must be a whole number of at least 0, got {seed!r}.")
    for name, shares in (("noise", noise), ("overlap", overlap)):
        if not len(shares) or not all(0 <= share < 1 for share in shares):
            raise InvalidInput(f"generate: {name} must be a list of shares from 0 to below 1, got {shares!r}.")


def _clouds(rng: np.random.Generator, sizes: Mapping[str, int], noise: float, overlap: float) -> _Split:
    classes, features = sizes["classes"], sizes["features"]
    centres = rng.normal(size=(classes, _CLUSTERS, features))
    centres /= np.linalg.norm(centres, axis=-1, keepdims=True)
    centres *= 6.0 * (1.0 - overlap)  # in standard deviations of a cloud

    def draw(count: int) -> tuple[FloatArray, IntArray]:
        labels = rng.permutation(np.arange(count) % classes)
        middle = centres[labels, rng.integers(_CLUSTERS, size=count)]
        return middle + rng.normal(size=(count, features)), labels

    train_X, train_y = draw(sizes["cases"])
    query_X, labels = draw(sizes["queries"])
    flipped = rng.choice(len(train_y), size=round(noise * len(train_y)), replace=False)
    train_y[flipped] = (train_y[flipped] + rng.integers(1, classes, size=len(flipped))) % classes
    return _Split(train_X, train_y, query_X, labels)


def _public_data() -> dict[str, tuple[_Split, tuple[str, ...]]]:
    from sklearn import datasets
    from sklearn.model_selection import train_test_split

    loaders: dict[str, Callable[[], Any]] = {
        "iris": datasets.load_iris,
        "wine": datasets.load_wine,
        "breast-cancer": datasets.load_breast_cancer,
        "digits": datasets.load_digits,
    }
    data = {}
    for name, read in loaders.items():
        bunch = read()
        named = bunch.target_names[bunch.target].astype(str) if name != "digits" else bunch.target
        train_X, query_X, train_y, labels = train_test_split(
            bunch.data, named, test_size=0.5, stratify=named, random_state=_SEED
        )
        data[name] = (_Split(train_X, train_y, query_X, labels), tuple(str(column) for column in bunch.feature_names))
    return data


def _classifiers() -> dict[str, Callable[[], Any]]:
    """Fresh classifiers by name; sklearn is imported when one is made."""

    def logistic_regression() -> Any:
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        return make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))

    def decision_tree() -> Any:
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(min_samples_leaf=3, random_state=_SEED)

    def naive_bayes() -> Any:
        from sklearn.naive_bayes import GaussianNB

        return GaussianNB()

    def random_forest() -> Any:
        from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier(n_estimators=20, random_state=_SEED, n_jobs=1)

    return {
        "logistic-regression": logistic_regression,
        "decision-tree": decision_tree,
        "naive-bayes": naive_bayes,
        "random-forest": random_forest,
    }


def _predicted_by(model: Any, data: _Split, classes: tuple[Any, ...], feature_names: tuple[str, ...]) -> CasesTask:
    model.fit(data.train, data.train_labels)
    probabilities = np.zeros((len(data.queries), len(classes)))
    # a class that noise removed from the training labels has no column of its own
    probabilities[:, np.searchsorted(np.asarray(classes), model.classes_)] = model.predict_proba(data.queries)
    return CasesTask(
        train_X=data.train,
        train_y=data.train_labels,
        query_X=data.queries,
        predicted=model.predict(data.queries),
        probabilities=probabilities,
        classes=classes,
        feature_names=feature_names,
    )


def _write(folder: Path, id: str, task: CasesTask, labels: LabelArray, tags: Mapping[str, str | float]) -> None:
    known = {"classes": len(task.classes), "accuracy": round(float((task.predicted == labels).mean()), 4)}
    write_problem(folder / id, id=id, task=task, truth=CasesTruth(labels=labels), tags={**tags, **known})
