"""A classifier of several tasks that answers with sets: fit, calibrate, predict_sets."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from assay.conformal.calibration.calibrate import METHODS, calibrate
from assay.conformal.calibration.calibration import Calibration
from assay.conformal.calibration.scores import parse_score
from assay.conformal.sets.checks import MISSING, IntArray, as_alpha, as_probabilities, is_gap, to_numpy
from assay.conformal.sets.combination_sets import CombinationSets
from assay.conformal.sets.counts import SetCounts, count_sets
from assay.conformal.sets.named import by_name, with_columns
from assay.conformal.sets.prediction_sets import PredictionSets
from assay.core import InvalidInput, UnknownName, plain, read_json
from assay.core.display import counted, object_html
from assay.intake.models import demand_classes, is_regressor, reason_of

__all__ = ["MultiTaskConformalClassifier"]

_SHOWN = 20  # tasks in a display
_PARAMETERS = ("estimator", "alpha", "method", "score", "weights", "clusters", "share", "prefit", "seed")


class MultiTaskConformalClassifier:
    """Prediction sets for several tasks, in scikit-learn's manner: ``fit``, then ``calibrate``, then ``predict_sets``.

    Parameters
    ----------
    estimator : classifier, sequence of classifiers, or None
        One classifier, of which every task gets a clone; a list with one per task; a classifier of several outputs such
        as ``MultiOutputClassifier``; or None, when probabilities are given in place of features and there is nothing to
        fit.
    alpha : float, default 0.1
        The share of errors that is allowed.
    method, score, weights, clusters, share : as in calibrate
        What :func:`calibrate` is told.
    prefit : bool, default False
        The estimators are fitted already.
    seed : int, default 0
        The seed of randomised scores, clusters and choices.

    Examples
    --------
    >>> model = MultiTaskConformalClassifier(alpha=0.25)
    >>> p = [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.3, 0.7]]
    >>> model.predict_sets([p])
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: not calibrated yet: call calibrate(X, Y) with held-out samples before predict_sets.
    >>> model.calibrate([p], [[0, 0, 1, 1]]).predict_sets([[[0.5, 0.5], [0.7, 0.3]]]).labels(0)
    [[], [0]]
    >>> model
    MultiTaskConformalClassifier(probabilities given, method 'taskwise', score 'hinge', alpha 0.25,
    calibrated on 4 samples)
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        alpha: float = 0.1,
        method: str = "taskwise",
        score: str = "hinge",
        weights: Any = None,
        clusters: int | Literal["auto"] = "auto",
        share: float | None = None,
        prefit: bool = False,
        seed: int = 0,
    ) -> None:
        self.estimator = estimator
        self.alpha = alpha
        self.method = method
        self.score = score
        self.weights = weights
        self.clusters: int | Literal["auto"] = clusters
        self.share = share
        self.prefit = prefit
        self.seed = seed
        self._models: Any = None
        self.calibration_: Calibration | None = None
        self.classes_: list[npt.NDArray[Any]] | None = None
        if prefit:
            self._adopt(estimator)

    def __repr__(self) -> str:
        return f"MultiTaskConformalClassifier({', '.join(self._facts())})"

    def _repr_html_(self) -> str:
        estimator, method, score, alpha, state = self._facts()
        facts = {"estimator": estimator, "method": f"{method}, {score}, {alpha}", "state": state}
        if self.classes_ is not None:
            facts["classes"] = ", ".join(str(len(names)) for names in self.classes_[:_SHOWN])
        return object_html("MultiTaskConformalClassifier", facts)

    def _facts(self) -> tuple[str, str, str, str, str]:
        if self.estimator is None:
            estimator = "probabilities given"
        elif isinstance(self.estimator, list | tuple):
            estimator = counted(len(self.estimator), "estimator")
        else:
            estimator = type(self.estimator).__name__
        state = "not calibrated"
        if self.calibration_ is not None:
            state = f"calibrated on {counted(self.calibration_.samples, 'sample')}"
        return estimator, f"method {self.method!r}", f"score {self.score!r}", f"alpha {self.alpha}", state

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in _PARAMETERS}

    def set_params(self, **parameters: Any) -> MultiTaskConformalClassifier:
        """Change parameters; what was calibrated with others is forgotten."""
        for name, value in parameters.items():
            if name not in _PARAMETERS:
                raise UnknownName("parameter", name, _PARAMETERS)
            setattr(self, name, value)
        self.calibration_ = None
        if "estimator" in parameters or "prefit" in parameters:
            self._models, self.classes_ = None, None
            if self.prefit:
                self._adopt(self.estimator)
        return self

    def fit(self, X: Any, Y: Any) -> MultiTaskConformalClassifier:
        """Fit the estimators on training samples; never the ones that calibrate.

        Parameters
        ----------
        X : array or data frame
            Whatever the estimators take.
        Y : (n, T) matrix, or a sequence with one array per task
            Labels of any kind.

        Returns
        -------
        MultiTaskConformalClassifier
            Itself.
        """
        self._demand_parameters()
        if self.estimator is None:
            raise InvalidInput("there is no estimator to fit: probabilities are given in place of features.")
        if self.prefit:
            raise InvalidInput("the estimators are already fitted (prefit=True): call calibrate.")
        from sklearn.base import clone

        columns = _columns(Y)
        for task, column in enumerate(columns):
            demand_classes(column, what=f"Y, task {task}:")
        if _of_several_outputs(self.estimator):
            _demand_classifier(getattr(self.estimator, "estimator", self.estimator))
            self._models = _fitted(clone(self.estimator), X, np.stack(columns, axis=1))
        else:
            estimators = self.estimator if isinstance(self.estimator, list | tuple) else [self.estimator] * len(columns)
            if len(estimators) != len(columns):
                raise InvalidInput(f"{len(estimators)} estimators were given for the {len(columns)} tasks of Y.")
            for model in estimators:
                _demand_classifier(model)
            self._models = [_fitted(clone(model), X, column) for model, column in zip(estimators, columns, strict=True)]
        self.classes_ = _classes(self._models)
        self.calibration_ = None
        return self

    def calibrate(self, X: Any, Y: Any, *, groups: Any = None) -> MultiTaskConformalClassifier:
        """Take the thresholds from samples that were not fitted on.

        Parameters
        ----------
        X : array or data frame, or probabilities when there is no estimator
            Held-out samples.
        Y : (n, T) matrix, or a sequence with one array per task
            Their labels; -1 or None is missing.
        groups : sequence of one group per sample, optional
            The groups of the method ``mondrian``.

        Returns
        -------
        MultiTaskConformalClassifier
            Itself.
        """
        self._demand_parameters()
        self.calibration_ = calibrate(
            self._inputs(X),
            self._numbers(Y),
            alpha=self.alpha,
            method=self.method,
            score=self.score,
            weights=self.weights,
            groups=groups,
            clusters=self.clusters,
            share=self.share,
            seed=self.seed,
        )
        return self

    def predict_proba(self, X: Any) -> list[npt.NDArray[Any]]:
        """Probabilities, one (n, C) matrix per task."""
        if self.estimator is None:
            return list(as_probabilities(by_name(with_columns(X)).values))
        if self._models is None:
            raise InvalidInput("not fitted yet: call fit(X, Y) first, or pass prefit=True with fitted estimators.")
        if isinstance(self._models, list):
            matrices = [_probabilities(model, X) for model in self._models]
        else:
            matrices_of_all = _probabilities(self._models, X)
            matrices = matrices_of_all if isinstance(matrices_of_all, list) else [matrices_of_all]
        for task, (matrix, names) in enumerate(zip(matrices, self.classes_ or (), strict=False)):
            if np.ndim(matrix) != 2 or np.shape(matrix)[1] != len(names):
                raise InvalidInput(
                    f"estimator of task {task}: predict_proba gave shape {np.shape(matrix)}; it has {len(names)} "
                    "classes, and needs one column for each."
                )
        return [np.asarray(matrix) for matrix in matrices]

    def _inputs(self, X: Any) -> Any:
        """What a calibration takes: given probabilities keep the names of their tasks."""
        return X if self.estimator is None else self.predict_proba(X)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The likeliest class of every task, (n, T): the prediction without conformal prediction."""
        guesses = [matrix.argmax(axis=1) for matrix in self.predict_proba(X)]
        if self.classes_ is not None:
            return np.stack([names[guess] for names, guess in zip(self.classes_, guesses, strict=True)], axis=1)
        return np.stack(guesses, axis=1)

    def predict_sets(self, X: Any, *, groups: Any = None) -> PredictionSets | CombinationSets:
        """The set of every task and sample; class c is number c of ``classes_``.

        Parameters
        ----------
        X : array or data frame, or probabilities when there is no estimator
            New samples.
        groups : sequence of one group per sample, optional
            Where groups were calibrated apart.

        Returns
        -------
        PredictionSets or CombinationSets
            A set per sample and task; of method ``joint-combinations`` a set of combinations per sample.

        Raises
        ------
        InvalidInput
            When nothing was calibrated yet.
        """
        if self.calibration_ is None:
            raise InvalidInput("not calibrated yet: call calibrate(X, Y) with held-out samples before predict_sets.")
        return self.calibration_.predict_sets(self._inputs(X), groups=groups)

    def count(self, X: Any, Y: Any, *, groups: Any = None) -> SetCounts:
        """Counts of the sets of test samples against their labels; every metric takes them."""
        sets = self.predict_sets(X, groups=groups)
        return count_sets(sets, self._numbers(Y))

    def save(self, path: str | Path) -> None:
        """Write what was calibrated as JSON; estimators are not part of it."""
        if self.calibration_ is None:
            raise InvalidInput("not calibrated yet: there is nothing to save.")
        classes = None if self.classes_ is None else [names.tolist() for names in self.classes_]
        body = {"calibration": self.calibration_.to_json(), "classes": plain(classes)}
        Path(path).write_text(json.dumps(body, ensure_ascii=False, allow_nan=False, indent=1) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path, *, estimator: Any = None) -> MultiTaskConformalClassifier:
        """Read what :meth:`save` wrote; ``estimator`` is the fitted one it was calibrated for."""
        body = read_json(Path(path))
        if not isinstance(body.get("calibration"), dict):
            raise InvalidInput(f"{path}: holds no calibration; write it with save().")
        calibration = Calibration.from_json(body["calibration"])  # type: ignore[arg-type]
        model = cls(
            estimator,
            alpha=calibration.alpha,
            method=calibration.method,
            score=calibration.score,
            seed=calibration.seed,
            prefit=estimator is not None,
        )
        classes = body.get("classes")
        if model.classes_ is not None and classes != [plain(names.tolist()) for names in model.classes_]:
            raise InvalidInput(f"{path}: was calibrated for the classes {classes}, which are not the estimator's.")
        model.calibration_ = calibration
        return model

    def _adopt(self, estimator: Any) -> None:
        if estimator is None:
            raise InvalidInput("prefit=True needs fitted estimators; for bare probabilities leave both out.")
        self._models = list(estimator) if isinstance(estimator, list | tuple) else estimator
        if not isinstance(self._models, list) and not _of_several_outputs(estimator):
            self._models = [estimator]
        for model in self._models if isinstance(self._models, list) else [self._models]:
            _demand_classifier(model)
        try:
            self.classes_ = _classes(self._models)
        except AttributeError as error:
            raise InvalidInput(f"prefit=True, but an estimator is not fitted: {error}.") from None

    def _demand_parameters(self) -> None:
        as_alpha(self.alpha)
        parse_score(self.score)
        if self.method not in METHODS:
            raise UnknownName("calibration method", str(self.method), METHODS)

    def _numbers(self, Y: Any) -> Any:
        """Labels as class numbers; as they are given where no estimator names the classes."""
        if self.classes_ is None:
            return Y
        columns = _columns(Y)
        if len(columns) != len(self.classes_):
            raise InvalidInput(f"Y: {len(columns)} tasks were given where {len(self.classes_)} were fitted.")
        return [
            _number(column, names, task)
            for task, (column, names) in enumerate(zip(columns, self.classes_, strict=True))
        ]


def _demand_classifier(model: Any) -> None:
    """Refuse what predicts no probabilities of classes, before anything is fitted or asked."""
    name = getattr(model, "kind", type(model).__name__)  # of a model in a file its own
    if is_regressor(model):
        raise InvalidInput(
            f"estimator: {name} is a regressor, which predicts numbers; give a classifier, or "
            "make intervals of its predictions with assay.conformal.regions."
        )
    if not callable(getattr(model, "predict_proba", None)):
        raise InvalidInput(
            f"estimator: {name} has no predict_proba(); give a classifier with probabilities, for example "
            f"CalibratedClassifierCV({name}())."
        )


def _fitted(model: Any, X: Any, labels: Any) -> Any:
    try:
        return model.fit(X, labels)
    except Exception as error:
        raise InvalidInput(
            f"estimator: {type(model).__name__} cannot be fitted ({reason_of(error)}). Put what encodes its columns "
            "before it in a pipeline."
        ) from error


def _probabilities(model: Any, X: Any) -> Any:
    try:
        return model.predict_proba(X)
    except InvalidInput:
        raise
    except Exception as error:
        raise InvalidInput(
            f"estimator: {type(model).__name__}.predict_proba refuses X ({reason_of(error)}). Give the columns of "
            "training."
        ) from error


def _of_several_outputs(estimator: Any) -> bool:
    """Whether one estimator predicts all tasks: a wrapper of several, or a forest fitted on several columns."""
    if isinstance(estimator, list | tuple):
        return False
    fitted = getattr(estimator, "classes_", None)
    return type(estimator).__name__ in ("MultiOutputClassifier", "ClassifierChain") or isinstance(fitted, list)


def _classes(models: Any) -> list[npt.NDArray[Any]]:
    if isinstance(models, list):
        return [np.asarray(model.classes_) for model in models]
    return [np.asarray(names) for names in models.classes_]


def _columns(Y: Any) -> list[npt.NDArray[Any]]:
    """One column per task, of labels of any kind: a list with one array per task, an (n, T) matrix, or a row."""
    if isinstance(Y, list | tuple) and not all(np.ndim(to_numpy(column)) == 0 for column in Y):
        return [to_numpy(column) for column in Y]
    array = to_numpy(Y)
    if array.ndim == 1:
        return [array]
    if array.ndim != 2:
        raise InvalidInput(f"Y: give an (n, T) matrix or one array per task, got shape {array.shape}.")
    return [array[:, task] for task in range(array.shape[1])]


def _number(column: npt.NDArray[Any], names: npt.NDArray[Any], task: int) -> IntArray:
    numbers_of = {name: place for place, name in enumerate(names.tolist())}
    numbers = []
    for sample, label in enumerate(column.tolist()):
        if label in numbers_of:
            numbers.append(numbers_of[label])
        elif is_gap(label) or label == MISSING:
            numbers.append(MISSING)
        else:
            shown: Sequence[Any] = names.tolist()[:10]
            raise InvalidInput(f"Y, task {task}: {label!r} at sample {sample} is none of the fitted classes {shown}.")
    return np.asarray(numbers, dtype=np.int64)
