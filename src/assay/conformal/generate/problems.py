"""Problems with known truth: public data with several honest tasks, and generated ones, with numbers or without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np

from assay.conformal.generate.numbers import NUMBER_FAMILIES, Draw, draw_numbers
from assay.conformal.problem.numbers import NumberTask
from assay.conformal.problem.task import ConformalTask, ConformalTruth, TaskGuarantee, write_problem
from assay.conformal.regions.checks import demand_guarantee
from assay.conformal.sets.checks import IntArray, as_alpha, softmax
from assay.core import InvalidInput, UnknownName
from assay.core.checks import demand_share, demand_whole

__all__ = ["FAMILIES", "Draw", "builtin", "digits_data", "draw", "generate"]

_SEED = 42
_LATENT = 6
_SHIFTED = ("shift", "shifted-numbers")  # groups change their shares, so that all tasks at once are not promised


@dataclass(frozen=True, slots=True, kw_only=True)
class _Family:
    """What sets a family of generated problems apart."""

    classes: tuple[int, ...]
    strain: float  # how much samples differ in difficulty, which all tasks of a sample share
    rarity: float  # the prior of each class is this share of the one before
    sharpness: tuple[float, ...]  # per task: how much the features tell
    trust: float = 1.3  # above 1 the classifier is surer than it should be


FAMILIES: Mapping[str, _Family] = {
    "correlated": _Family(classes=(8, 4, 3), strain=1.0, rarity=1.0, sharpness=(2.5, 2.5, 2.5)),
    "imbalanced": _Family(classes=(12, 5), strain=0.8, rarity=0.6, sharpness=(2.5, 2.0)),
    "unequal": _Family(classes=(10, 3, 2, 2), strain=0.8, rarity=0.9, sharpness=(1.5, 2.5, 4.0, 5.0)),
    "shift": _Family(classes=(6, 3), strain=0.6, rarity=1.0, sharpness=(2.5, 2.5)),
    "independent": _Family(classes=(5, 4, 3), strain=0.0, rarity=1.0, sharpness=(2.0, 2.0, 2.0)),
}


def draw(family: str, samples: int, *, seed: int, hard: float = 0.3) -> Draw:
    """Seeded samples of one family; ``hard`` is the share of the group whose samples are harder.

    Features decide the odds of every task's classes, blunted by a difficulty that all tasks of a sample share, so that
    they go wrong together. The classifier knows the odds up to noise and is a little too sure of them.
    """
    if family not in FAMILIES:
        raise UnknownName("family", str(family), FAMILIES)
    demand_whole(samples, "draw: samples", least=1)
    kind = FAMILIES[family]
    fixed = np.random.default_rng([_SEED, sorted(FAMILIES).index(family)])  # the world, the same for every seed
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(samples, _LATENT))
    groups = (rng.uniform(size=samples) < hard).astype(np.int64)
    blunt = np.exp(kind.strain * rng.normal(size=samples) + 1.0 * (groups if family == "shift" else 0))
    probabilities, labels = [], []
    for count, sharpness in zip(kind.classes, kind.sharpness, strict=True):
        odds = sharpness * (features @ fixed.normal(size=(_LATENT, count))) / blunt[:, None]
        odds += np.log(kind.rarity) * np.arange(count)
        labels.append(np.argmax(odds + rng.gumbel(size=odds.shape), axis=1))
        believed = kind.trust * odds + 0.5 * rng.normal(size=odds.shape)
        probabilities.append(softmax(believed).astype(np.float64))
    return Draw(probabilities=tuple(probabilities), labels=tuple(labels), groups=groups)


def generate(
    folder: str | Path,
    *,
    problems: int,
    seed: int,
    families: Sequence[str] = ("correlated", "imbalanced", "unequal", "shift"),
    calibration: int = 500,
    test: int = 1000,
    alpha: float = 0.1,
    guarantees: Sequence[TaskGuarantee] = ("taskwise", "joint"),
    missing: float = 0.0,
) -> None:
    """Write generated problems, the same bytes for the same seed; they run through families and guarantees.

    Parameters
    ----------
    folder : str or Path
        Where a folder per problem is written.
    problems : int
        How many.
    seed : int
        The seed of everything that is drawn.
    families : sequence of str
        ``correlated``, ``imbalanced``, ``unequal`` and ``shift``. A ``shift`` problem has groups of which the harder
        one is rare in calibration and frequent in the test: only calibrating them apart keeps the promise. With numbers
        to predict: ``regression``, ``heteroscedastic``, ``mixed`` (classes as well) and ``shifted-numbers``.
    calibration, test : int
        Numbers of samples.
    alpha : float, default 0.1
        The share of errors that is allowed.
    guarantees : sequence of "taskwise" and "joint"
        What must be covered.
    missing : float, default 0
        The share of calibration labels and numbers that are left out.

    Raises
    ------
    InvalidInput
        When a size or share is out of range.
    UnknownName
        When a family is not known.

    Examples
    --------
    >>> import tempfile
    >>> from assay.conformal import load
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     generate(folder, problems=1, seed=1, families=["correlated"], calibration=60, test=30)
    ...     load(f"{folder}/generated-1-000-correlated-taskwise").task
    ConformalTask(3 tasks of 8, 4, 3 classes, 60 calibration and 30 test samples, alpha 0.1, taskwise)
    """
    for name, value in {"problems": problems, "calibration": calibration, "test": test}.items():
        demand_whole(value, f"generate: {name}", least=1)
    demand_whole(seed, "generate: seed")
    demand_share(missing, "generate: missing")
    as_alpha(alpha)
    for guarantee in guarantees:
        demand_guarantee(guarantee)
    if not families or not guarantees:
        raise InvalidInput("generate: give at least one family and one guarantee.")
    for family in families:
        if family not in FAMILIES and family not in NUMBER_FAMILIES:
            raise UnknownName("family", str(family), [*FAMILIES, *NUMBER_FAMILIES])
    pairs = [
        (family, guarantee)
        for guarantee in guarantees
        for family in families
        if guarantee != "joint" or family not in _SHIFTED
    ]
    if not pairs:
        raise InvalidInput(f"generate: {families[0]} has no joint problems; give another family or guarantee.")
    for number in range(problems):
        family, guarantee = pairs[number % len(pairs)]
        shifted = family in _SHIFTED
        id = f"generated-{seed}-{number:03d}-{family}-{guarantee}"
        hard = (0.2, 0.6) if shifted else (0.3, 0.3)
        tags: dict[str, str | float] = {"family": family, "origin": "generated", "missing": float(missing)}
        make = draw_numbers if family in NUMBER_FAMILIES else draw
        draws = (
            make(family, calibration, seed=1000 * seed + 2 * number, hard=hard[0]),
            make(family, test, seed=1000 * seed + 2 * number + 1, hard=hard[1]),
        )
        task, truth = _problem(*draws, alpha, guarantee, missing, seed + number, shifted)
        if task.numbers:
            tags["kind"] = "mixed" if task.classes else "numbers"
        _write(folder, id, task, truth, tags)


def _problem(
    calibration: Draw, test: Draw, alpha: float, guarantee: TaskGuarantee, missing: float, seed: int, shifted: bool
) -> tuple[ConformalTask, ConformalTruth]:
    """A problem of drawn samples; some of the calibration truths are left out."""
    rng = np.random.default_rng([seed, 8])
    numbers = tuple(
        NumberTask(
            name=name,
            calibration=predicted,
            truth=np.where(rng.uniform(size=len(predicted)) < missing, np.nan, calibration.truth[name]),
            test=test.predictions[name],
        )
        for name, predicted in calibration.predictions.items()
    )
    task = ConformalTask(
        calibration_probabilities=calibration.probabilities,
        calibration_labels=_without(calibration.labels, missing, seed=seed),
        test_probabilities=test.probabilities,
        alpha=alpha,
        guarantee=guarantee,
        calibration_groups=calibration.groups if shifted else None,
        test_groups=test.groups if shifted else None,
        numbers=numbers,
    )
    return task, ConformalTruth(labels=test.labels, numbers=tuple(test.truth[name] for name in calibration.predictions))


def _without(labels: tuple[IntArray, ...], share: float, *, seed: int) -> tuple[IntArray, ...]:
    rng = np.random.default_rng([seed, 7])
    return tuple(np.where(rng.uniform(size=len(column)) < share, -1, column) for column in labels)


def digits_data(train: int = 500) -> Draw:
    """scikit-learn's digits with three tasks (digit, parity, at least five), by logistic regressions of a few rows."""
    from sklearn.datasets import load_digits
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    data = load_digits()
    order = np.random.default_rng(_SEED).permutation(len(data.target))
    training, rest = order[:train], order[train:]
    digit = data.target.astype(np.int64)
    columns = (digit, digit % 2, (digit >= 5).astype(np.int64))
    probabilities = []
    for column in columns:
        model: Any = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
        believed = model.fit(data.data[training], column[training]).predict_proba(data.data[rest])
        # the last digits of a fit differ between machines; the problems must not
        rounded = np.round(believed, 6)
        probabilities.append(rounded / rounded.sum(axis=1, keepdims=True))
    labels = tuple(column[rest] for column in columns)
    return Draw(probabilities=tuple(probabilities), labels=labels, groups=np.zeros(len(rest), dtype=np.int64))


def builtin(folder: Path) -> None:
    """Write the built-in problems: digits with either guarantee, and seven generated ones."""
    data = digits_data()
    half = 600
    for guarantee in get_args(TaskGuarantee):
        task = ConformalTask(
            calibration_probabilities=tuple(matrix[:half] for matrix in data.probabilities),
            calibration_labels=tuple(column[:half] for column in data.labels),
            test_probabilities=tuple(matrix[half:] for matrix in data.probabilities),
            alpha=0.1 if guarantee == "joint" else 0.05,  # at 0.1 the likeliest class alone nearly covers each task
            guarantee=guarantee,
            task_names=("digit", "parity", "at least five"),
        )
        truth = ConformalTruth(labels=tuple(column[half:] for column in data.labels))
        _write(folder, f"digits-{guarantee}", task, truth, {"family": "digits", "origin": "public", "missing": 0.0})
    generate(folder, problems=7, seed=_SEED)


def _write(
    folder: str | Path, id: str, task: ConformalTask, truth: ConformalTruth, tags: Mapping[str, str | float]
) -> None:
    tasks = len(task.classes) + len(task.numbers)
    facts: dict[str, str | float] = {"alpha": task.alpha, "guarantee": task.guarantee, "tasks": tasks}
    write_problem(Path(folder) / id, id=id, task=task, truth=truth, tags={**tags, **facts})
