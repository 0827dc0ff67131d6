"""Who grows a forest: a shortcut wherever its predictions are scikit-learn's own, scikit-learn everywhere else."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.core import InvalidInput
from assay.insight.fits.forest.cache import CLOSED_FORMS, GROWN_COLUMNS
from assay.insight.fits.forest.kernels.compiled import numba_missing
from assay.insight.fits.forest.many_columns import predict_many_columns
from assay.insight.fits.forest.settings import ForestSettings, Prediction, Task
from assay.insight.fits.forest.sklearn_engine import installed_version, predict_with_sklearn
from assay.insight.fits.forest.versions import merges_close_values, version_doubt

__all__ = ["LARGEST_RISK", "Choice", "Engine", "answer_with", "choose_engine", "predict", "rounding_risk"]

FloatMatrix: TypeAlias = npt.NDArray[np.float64]
Target: TypeAlias = npt.NDArray[np.int64] | npt.NDArray[np.float64]
Engine: TypeAlias = Literal["direct", "closed-form", "one-column", "many-columns", "scikit-learn"]

LARGEST_RISK = 1e-12  # up to here trees of a regression end where the closed form says

_EPSILON = float(np.finfo(np.float64).eps)
_LARGEST_VALUE = float(np.finfo(np.float32).max)
_LARGEST_TARGET = 1e100  # squares and their sums stay far from overflow


class Choice(NamedTuple):
    """The engine that answers, and why it."""

    engine: Engine
    reason: str


def choose_engine(
    train: FloatMatrix, target: Target, test: FloatMatrix, *, task: Task, classes: int, settings: ForestSettings
) -> Choice:
    """The fastest engine whose predictions are those of scikit-learn for this fit.

    ``direct`` needs no forest. ``closed-form`` averages groups of equal values, ``one-column`` and ``many-columns``
    grow trees with scikit-learn's draws and arithmetic.

    >>> rows, settings = np.arange(8.0).reshape(-1, 1), ForestSettings()
    >>> choose_engine(rows, rows[:, 0], rows, task="regression", classes=0, settings=settings).engine
    'closed-form'
    """
    if test.shape[0] == 0:
        return Choice("direct", "there are no test rows")
    if task == "classification" and classes == 1:
        return Choice("direct", "the training target has one class")
    if task == "regression" and bool((target == target[0]).all()):
        return Choice("direct", "the training target is constant")
    doubt = version_doubt() or numba_missing() or _unfit(train, "training") or _unfit(test, "test")
    if not doubt and task == "regression":
        doubt = _too_large(target)
    if doubt:
        return Choice("scikit-learn", doubt + _caveat(settings))
    if train.shape[1] > 1:
        return Choice("many-columns", "several columns, " + _emulated(settings))
    if settings.max_depth is not None:
        return Choice("one-column", "one column with a depth limit, " + _emulated(settings))
    if task == "regression" and rounding_risk(target) > LARGEST_RISK:
        return Choice("one-column", "one column, a target whose spread rounding can hide, " + _emulated(settings))
    return Choice("closed-form", "one column without a depth limit, " + _emulated(settings))


def predict(
    train: FloatMatrix, target: Target, test: FloatMatrix, *, task: Task, classes: int, settings: ForestSettings
) -> Prediction:
    """Predictions of a random forest for the test rows, equal to those of scikit-learn.

    Classification agrees to the last bit; so does regression, except that one-column targets that are not whole numbers
    may differ by a few last bits where training rows share a value or a target.

    Parameters
    ----------
    train : ndarray of shape (rows, columns)
        The training rows, columns in the order scikit-learn would see them (it matters).
    target : ndarray of shape (rows,)
        Class codes from 0 to ``classes`` - 1, each present, or numbers.
    test : ndarray of shape (test rows, columns)
        The test rows.
    task : {"classification", "regression"}
        What the forest does.
    classes : int
        How many classes there are.
    settings : ForestSettings
        The forest's settings.

    Returns
    -------
    Prediction
        Values with one column per class, or one number per row; and who computed them.

    Examples
    --------
    >>> rows = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> settings = ForestSettings(trees=10)
    >>> predict(rows, np.array([0, 0, 1, 1]), rows, task="classification", classes=2, settings=settings).values[:, 1]
    array([0.2, 0.2, 0.7, 0.9])
    """
    _check(train, target, test, task, classes)
    if task == "classification":
        target = target.astype(np.int64, copy=False)
    choice = choose_engine(train, target, test, task=task, classes=classes, settings=settings)
    values = answer_with(choice.engine, train, target, test, task, classes, settings)
    return Prediction(values, choice.engine, choice.reason)


def rounding_risk(target: Target) -> float:
    r"""How much of a target's variance rounding can hide from a tree that subtracts squares.

    $$q = \varepsilon\,(1 + \overline{y^2}) / \mathrm{var}(y)$$

    Infinite when the variance is 0.

    >>> rounding_risk(np.array([0.0, 2.0])) < 1e-15
    True
    >>> rounding_risk(np.array([3.0, 3.0]))
    inf
    """
    spread = float(np.var(target))
    return _EPSILON * (1.0 + float(np.mean(np.square(target)))) / spread if spread > 0 else float("inf")


def answer_with(
    engine: Engine,
    train: FloatMatrix,
    target: Target,
    test: FloatMatrix,
    task: Task,
    classes: int,
    settings: ForestSettings,
) -> npt.NDArray[np.float64]:
    """What this engine predicts, suited or not."""
    if engine == "direct":
        rows = test.shape[0]
        return np.ones((rows, classes)) if task == "classification" else np.full(rows, float(target[0]))
    if engine == "scikit-learn":
        return predict_with_sklearn(train, target, test, task=task, classes=classes, settings=settings)
    if engine == "many-columns":
        return predict_many_columns(train, target, test, task=task, classes=classes, settings=settings)
    cache = CLOSED_FORMS if engine == "closed-form" else GROWN_COLUMNS
    column = cache.get(train[:, 0], test[:, 0], settings)
    if task == "classification":
        return column.classify(target.astype(np.int64, copy=False), classes)
    return column.regress(target.astype(np.float64, copy=False))


def _unfit(values: FloatMatrix, part: str) -> str:
    largest = float(np.abs(values).max(initial=0.0))  # nan when any value is
    if np.isnan(largest):
        return f"the {part} rows have missing values"
    return "" if largest <= _LARGEST_VALUE else f"the {part} rows have values beyond single precision"


def _too_large(target: Target) -> str:
    return "the target is too large to be squared safely" if np.abs(target).max() > _LARGEST_TARGET else ""


def _emulated(settings: ForestSettings) -> str:
    close = "merged" if settings.merge_close_values else "kept apart"
    return f"as scikit-learn {installed_version()} with values within 1e-7 {close}"


def _caveat(settings: ForestSettings) -> str:
    does = merges_close_values()
    if does == settings.merge_close_values:
        return ""
    return f"; scikit-learn {installed_version()} {'merges' if does else 'keeps apart'} values within 1e-7 all the same"


def _check(train: FloatMatrix, target: Target, test: FloatMatrix, task: Task, classes: int) -> None:
    if train.ndim != 2 or test.ndim != 2 or train.shape[1] != test.shape[1] or train.shape[1] == 0:
        raise InvalidInput(
            f"a forest needs training and test rows with the same columns, at least one; got arrays of shape "
            f"{train.shape} and {test.shape}."
        )
    for part, values in (("training", train), ("test", test)):
        beyond = np.flatnonzero((np.abs(values) > _LARGEST_VALUE).any(axis=0))
        if beyond.size:
            raise InvalidInput(
                f"column {beyond[0]} of the {part} rows has infinite values or values beyond single precision, which "
                "no forest takes: replace or rescale them."
            )
    if target.shape != (train.shape[0],) or target.size == 0:
        raise InvalidInput(
            f"a forest needs one target per training row and at least one row, got {target.shape} for "
            f"{train.shape[0]} rows."
        )
    if task == "regression":
        if not np.isfinite(target).all():
            raise InvalidInput("a forest needs finite targets: leave out the rows without one.")
        return
    present = np.unique(target)
    if not np.array_equal(present, np.arange(classes)):
        raise InvalidInput(
            f"class codes must be 0 to {classes - 1} and each must occur in the training target, got "
            f"{present[:10].tolist()}: renumber the classes."
        )
