"""Problems with known truth: classifiers on public data sets, and generated ones with planted flaws."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from assay.cases.generate.clouds import Clouds, Plan, draw_clouds, perturb
from assay.cases.neighbors.checks import FloatArray, LabelArray
from assay.cases.problem.task import CasesTask, CasesTruth, write_problem
from assay.core import InvalidInput
from assay.core.checks import demand_whole

__all__ = ["FEWEST_ERRORS", "builtin", "generate"]

# below this the AUROC of a problem is hardly more than noise, and with no error at all it is undefined
FEWEST_ERRORS = 5

_SEED = 42
_GENERATED = 4  # of each kind: with noise and overlap only, and with everything that can be planted
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
            task = _predicted_by(make().fit(data.train, data.train_labels), data, classes, feature_names)
            if int((task.predicted != data.labels).sum()) >= FEWEST_ERRORS:
                _write(
                    Path(folder),
                    f"{dataset}-{classifier}",
                    task,
                    CasesTruth(labels=data.labels),
                    {"dataset": dataset, "classifier": classifier, "origin": "public"},
                )
    generate(folder, problems=_GENERATED, seed=_SEED)
    generate(
        folder,
        problems=_GENERATED,
        seed=_SEED + 1,
        noise=(0.1,),
        overlap=(0.4, 0.6),
        outliers=(0.1,),
        imbalance=(1.0, 5.0),
        twins=0.25,
        train_predictions=True,
    )


def generate(
    folder: str | Path,
    *,
    problems: int,
    seed: int,
    cases: int = 300,
    queries: int = 200,
    features: int = 6,
    classes: int = 3,
    noise: Sequence[float] = (0.0, 0.1, 0.2),
    overlap: Sequence[float] = (0.4, 0.6),
    outliers: Sequence[float] = (0.0,),
    imbalance: Sequence[float] = (1.0,),
    twins: float = 0.0,
    train_predictions: bool = False,
) -> None:
    """Write generated problems, the same bytes for the same seed.

    Each class is a pair of Gaussian clouds. Problems run through all combinations of noise, overlap, outliers and
    imbalance, under classifiers drawn by the seed. What was planted is kept in the truth.

    Parameters
    ----------
    folder : str or Path
        Where a folder per problem is written.
    problems : int
        How many.
    seed : int
        The seed of everything that is drawn.
    cases, queries, features, classes : int
        Sizes of each problem.
    noise : sequence of float
        Shares of training labels that are replaced by another class; the true labels of the queries stay clean.
    overlap : sequence of float
        From 0 to below 1: how far the clouds are drawn together.
    outliers : sequence of float
        Shares of queries that come from far outside all clouds, with a label drawn at random.
    imbalance : sequence of float
        How many times larger the first class is than the last.
    twins : float, default 0
        Share of ordinary queries that get a copy, moved by a twentieth of each feature's standard deviation and
        appended to the queries; copies that the classifier puts into another class are dropped.
    train_predictions : bool, default False
        Add what the classifier says of its training cases.

    Raises
    ------
    InvalidInput
        When a size or share is out of range, or too few predictions would be wrong.

    Examples
    --------
    >>> import tempfile
    >>> from assay.cases import load
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     generate(folder, problems=1, seed=1, cases=40, queries=30)
    ...     load(f"{folder}/generated-1-000").tags["noise"]
    0.0
    """
    sizes = {"cases": cases, "queries": queries, "features": features, "classes": classes, "problems": problems}
    _demand_plan(sizes, seed, noise=noise, overlap=overlap, outliers=outliers, twins=(twins,))
    if (
        np.ndim(imbalance) != 1
        or not len(imbalance)
        or not all(1 <= ratio <= cases / (4 * classes) for ratio in imbalance)
    ):
        raise InvalidInput(
            f"generate: imbalance must be a list of ratios from 1 to {cases / (4 * classes):g} (cases / 4 / classes), "
            f"got {imbalance!r}."
        )
    levels = list(product(noise, overlap, outliers, imbalance))
    for number in range(problems):
        share, closeness, outside, ratio = levels[number % len(levels)]
        plan = Plan(
            cases=cases,
            queries=queries,
            features=features,
            classes=classes,
            noise=share,
            overlap=closeness,
            outliers=outside,
            imbalance=ratio,
        )
        classifier, task, truth = _attempt(plan, seed, number, twins=twins, train_predictions=train_predictions)
        tags: dict[str, str | float] = {
            "dataset": "clouds",
            "classifier": classifier,
            "noise": float(share),
            "overlap": float(closeness),
            "outliers": float(outside),
            "imbalance": float(ratio),
            "twins": 0 if task.twins is None else int((task.twins >= 0).sum()),
            "origin": "generated",
        }
        _write(Path(folder), f"generated-{seed}-{number:03d}", task, truth, tags)


def _attempt(
    plan: Plan, seed: int, number: int, *, twins: float, train_predictions: bool
) -> tuple[str, CasesTask, CasesTruth]:
    """Draw until enough predictions are wrong."""
    makers = _classifiers()
    feature_names = tuple(f"x{feature}" for feature in range(plan.features))
    for attempt in range(_ATTEMPTS):
        rng = np.random.default_rng([seed, number, attempt])
        classifier = tuple(makers)[rng.integers(len(makers))]
        clouds = draw_clouds(rng, plan)
        data = _Split(clouds.train, clouds.train_labels, clouds.queries, clouds.labels)
        model = makers[classifier]().fit(data.train, data.train_labels)
        task = _predicted_by(model, data, tuple(range(plan.classes)), feature_names)
        if int((task.predicted != data.labels).sum()) < FEWEST_ERRORS:
            continue
        truth = CasesTruth(
            labels=clouds.labels,
            ood=clouds.outside if clouds.outside.any() else None,
            mislabelled=clouds.flipped if clouds.flipped.any() else None,
        )
        if train_predictions:
            task = replace(task, train_predicted=model.predict(data.train))
        if twins:
            task, truth = _with_twins(rng, model, task, truth, clouds, twins)
        return classifier, task, truth
    raise InvalidInput(
        f"generate: after {_ATTEMPTS} attempts fewer than {FEWEST_ERRORS} predictions were wrong with "
        f"overlap={plan.overlap}, noise={plan.noise}, queries={plan.queries}. Raise the overlap or the number of "
        "queries."
    )


def _with_twins(
    rng: np.random.Generator, model: Any, task: CasesTask, truth: CasesTruth, clouds: Clouds, share: float
) -> tuple[CasesTask, CasesTruth]:
    """Perturbed copies behind the queries, where the classifier still says the same."""
    ordinary = np.flatnonzero(~clouds.outside)
    of = np.sort(rng.choice(ordinary, size=round(share * len(ordinary)), replace=False))
    copies = _Split(clouds.train, clouds.train_labels, perturb(rng, clouds, of), clouds.labels[of])
    copied = _predicted_by(model, copies, task.classes, task.feature_names)
    same = copied.predicted == task.predicted[of]
    of, count = of[same], len(task.predicted)
    twins = np.full(count + len(of), -1, dtype=np.int64)
    twins[of] = np.arange(count, count + len(of))
    longer = replace(
        task,
        query_X=np.concatenate([task.query_X, copies.queries[same]]),
        predicted=np.concatenate([task.predicted, copied.predicted[same]]),
        probabilities=np.concatenate([task.probabilities, copied.probabilities[same]]),
        twins=twins,
    )
    planted = None if truth.ood is None else np.concatenate([truth.ood, np.zeros(len(of), dtype=np.bool_)])
    return longer, replace(truth, labels=np.concatenate([truth.labels, truth.labels[of]]), ood=planted)


def _demand_plan(sizes: Mapping[str, object], seed: object, **shares: Sequence[float]) -> None:
    fewest = {"cases": 20, "queries": FEWEST_ERRORS, "features": 1, "classes": 2, "problems": 1}
    for name, value in sizes.items():
        demand_whole(value, f"generate: {name}", least=fewest[name])
    demand_whole(seed, "generate: seed")
    for name, values in shares.items():
        if name == "twins" and not 0 <= values[0] <= 1:
            raise InvalidInput(f"generate: twins must be a share from 0 to 1, got {values[0]!r}.")
        is_list = np.ndim(values) == 1 and len(values) > 0
        if name != "twins" and not (is_list and all(0 <= share < 1 for share in values)):
            raise InvalidInput(f"generate: {name} must be a list of shares from 0 to below 1, got {values!r}.")


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
    """Fresh classifiers by name; sklearn is imported when they are asked for."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    return {
        "logistic-regression": lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
        "decision-tree": lambda: DecisionTreeClassifier(min_samples_leaf=3, random_state=_SEED),
        "naive-bayes": GaussianNB,
        "random-forest": lambda: RandomForestClassifier(n_estimators=20, random_state=_SEED, n_jobs=1),
    }


def _predicted_by(model: Any, data: _Split, classes: tuple[Any, ...], feature_names: tuple[str, ...]) -> CasesTask:
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


def _write(folder: Path, id: str, task: CasesTask, truth: CasesTruth, tags: Mapping[str, str | float]) -> None:
    judged = np.ones(len(task.predicted), dtype=np.bool_)
    if task.twins is not None:
        judged[task.twins[task.twins >= 0]] = False
    accuracy = float((task.predicted == truth.labels)[judged].mean())
    facts = {"classes": len(task.classes), "accuracy": round(accuracy, 4)}
    write_problem(folder / id, id=id, task=task, truth=truth, tags={**tags, **facts})
