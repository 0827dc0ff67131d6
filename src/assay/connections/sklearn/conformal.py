"""The conformal predictor as a scikit-learn classifier: one ``fit`` that keeps rows back to calibrate with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d, validate_data

from assay.conformal import CombinationSets, PredictionSets, calibrate
from assay.connections.sklearn.routing import routed_to_estimator
from assay.core import InvalidInput
from assay.core.arrays import FloatArray, IntArray

__all__ = ["ConformalClassifier"]


class ConformalClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that also answers with sets of classes which hold the truth with probability 1 - α.

    ``fit`` keeps a share of the rows back, fits the estimator on the rest and calibrates with what was kept back. So it
    can be searched, put behind a pipeline and cloned; ``predict`` and ``predict_proba`` are those of the estimator.

    Parameters
    ----------
    estimator : classifier with predict_proba, optional
        Cloned and fitted, once per task; by default ``LogisticRegression()``.
    alpha : float, default 0.1
        The share of errors that is allowed.
    method : str, default "taskwise"
        How thresholds are made, see :func:`assay.conformal.calibrate`.
    nonconformity : str, default "hinge"
        How strange a class is: the ``score`` of :func:`assay.conformal.calibrate`.
    weights : sequence of one number per task, optional
        Of ``weighted-bonferroni``.
    clusters : int or "auto", default "auto"
        How many clusters of classes.
    share : float, optional
        Of the calibration rows with which ``joint`` fits its model.
    calibration_size : float or int, default 0.25
        The share, or number, of rows kept back for calibration; stratified by class where every class has enough rows.
    random_state : int, optional
        Random seed of the split, of randomised scores and of clusters; 0 by default.

    Attributes
    ----------
    estimator, alpha, method, nonconformity, weights, clusters, share, calibration_size, random_state
        The parameters.

    Notes
    -----
    After ``fit``: ``classes_`` (of several tasks a list with one array each), ``estimators_`` (the fitted clones, one
    per task), ``calibration_`` (the :class:`assay.conformal.Calibration`), ``calibration_rows_`` (the rows kept back),
    ``calibration_probabilities_`` and ``calibration_labels_`` (what the estimator says of them, and what is right) and
    ``n_features_in_``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ConformalClassifier(GaussianNB(), alpha=0.05).fit(X, y)
    >>> model.predict_sets(X[[0, 52, 100]]).labels(0)
    [[0], [1, 2], [2]]
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        alpha: float = 0.1,
        method: str = "taskwise",
        nonconformity: str = "hinge",
        weights: Any = None,
        clusters: int | Literal["auto"] = "auto",
        share: float | None = None,
        calibration_size: float | int = 0.25,
        random_state: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.alpha = alpha
        self.method = method
        self.nonconformity = nonconformity  # score is a method here
        self.weights = weights
        self.clusters = clusters
        self.share = share
        self.calibration_size = calibration_size
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._estimator()).input_tags
        tags.target_tags.multi_output = True
        return tags

    def get_metadata_routing(self) -> MetadataRouter:
        """What ``fit`` and ``predict_sets`` ask for themselves, and what is passed on to the estimator's ``fit``."""
        return (
            MetadataRouter(owner=type(self).__name__)
            .add_self_request(self)
            .add(estimator=self._estimator(), method_mapping=MethodMapping().add(caller="fit", callee="fit"))
        )

    def fit(self, X: Any, y: Any, *, groups: Any = None, **params: Any) -> ConformalClassifier:
        """Fit the estimator on some rows and calibrate with the others.

        Parameters
        ----------
        X : array or data frame
            Whatever the estimator takes.
        y : array of n labels, or (n, T) matrix for T tasks
            The classes.
        groups : sequence of one group per row, optional
            Of the method ``mondrian``.
        **params
            For the estimator's ``fit``, where scikit-learn's metadata routing is enabled and they are requested.

        Returns
        -------
        ConformalClassifier
            Itself.

        Raises
        ------
        InvalidInput
            Too few rows to keep some back, or metadata without routing.
        """
        X = self._checked(X, reset=True)
        labels = _labels(y)
        check_consistent_length(X, labels)
        fitting, spare = self._split(labels)
        tasks = [labels] if labels.ndim == 1 else list(labels.T)
        fit_params = self._routed(params, len(labels), fitting)
        rows = _take(X, fitting)
        self.estimators_ = [clone(self._estimator()).fit(rows, column[fitting], **fit_params) for column in tasks]
        classes = [np.asarray(model.classes_) for model in self.estimators_]
        # a class that was not fitted has no probability
        usable = np.all([np.isin(column[spare], names) for column, names in zip(tasks, classes, strict=True)], axis=0)
        self.calibration_rows_ = spare = spare[usable]
        self.calibration_probabilities_ = self._probabilities(_take(X, spare))
        self.calibration_labels_ = [
            np.searchsorted(names, column[spare]) for column, names in zip(tasks, classes, strict=True)
        ]
        self.calibration_ = calibrate(
            self.calibration_probabilities_,
            self.calibration_labels_,
            alpha=self.alpha,
            method=self.method,
            score=self.nonconformity,
            weights=self.weights,
            groups=None if groups is None else _take(groups, spare),
            clusters=self.clusters,
            share=self.share,
            seed=self._seed(),
        )
        self.classes_ = classes[0] if labels.ndim == 1 else classes
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The likeliest class, (n,) of one task and (n, T) of several: the prediction without conformal prediction."""
        check_is_fitted(self)
        X = self._checked(X)
        guesses = [model.predict(X) for model in self.estimators_]
        return np.stack(guesses, axis=1) if isinstance(self.classes_, list) else np.asarray(guesses[0])

    def predict_proba(self, X: Any) -> Any:
        """Probabilities, (n, C); of several tasks a list with one matrix each."""
        check_is_fitted(self)
        matrices = self._probabilities(self._checked(X))
        return matrices if isinstance(self.classes_, list) else matrices[0]

    def predict_sets(self, X: Any, *, groups: Any = None) -> PredictionSets | CombinationSets:
        """The classes that are still possible, per task and row; class c is number c of ``classes_``.

        Parameters
        ----------
        X : array or data frame
            New rows.
        groups : sequence of one group per row, optional
            Where groups were calibrated apart.

        Returns
        -------
        PredictionSets or CombinationSets
            A set per row and task; of method ``joint-combinations`` a set of combinations per row.
        """
        check_is_fitted(self)
        return self.calibration_.predict_sets(self._probabilities(self._checked(X)), groups=groups)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy of ``predict``; of several tasks the share of rows that are right in all of them."""
        right = self.predict(X) == np.asarray(y)
        return float(np.average(right if right.ndim == 1 else right.all(axis=1), weights=sample_weight))

    def _checked(self, X: Any, *, reset: bool = False) -> Any:
        """Data frames as they are, for the estimator to look at; of everything else the shape is checked."""
        if hasattr(X, "iloc"):
            validate_data(self, X, reset=reset, skip_check_array=True)
            return X
        sparse: Any = ("csr", "csc") if get_tags(self).input_tags.sparse else False
        return validate_data(self, X, reset=reset, dtype=None, accept_sparse=sparse, ensure_all_finite=False)

    def _probabilities(self, X: Any) -> list[FloatArray]:
        return [np.asarray(model.predict_proba(X)) for model in self.estimators_]

    def _estimator(self) -> Any:
        return LogisticRegression() if self.estimator is None else self.estimator

    def _seed(self) -> int:
        return 0 if self.random_state is None else int(self.random_state)

    def _split(self, labels: npt.NDArray[Any]) -> tuple[IntArray, IntArray]:
        if len(labels) < 2:
            raise InvalidInput(f"n_samples = {len(labels)}: at least one row to fit and one to calibrate are needed.")
        rows = np.arange(len(labels))
        options = {"test_size": self.calibration_size, "random_state": self._seed()}
        if labels.ndim == 1:
            try:
                fitting, calibrating = train_test_split(rows, stratify=labels, **options)
                return np.sort(fitting), np.sort(calibrating)
            except ValueError:  # a class with one row, or more classes than rows in a part
                pass
        fitting, calibrating = train_test_split(rows, **options)
        return np.sort(fitting), np.sort(calibrating)

    def _routed(self, params: Mapping[str, Any], count: int, rows: IntArray) -> dict[str, Any]:
        routed = routed_to_estimator(self, params)
        return {name: _take(value, rows) if _of_rows(value, count) else value for name, value in routed.items()}


def _labels(y: Any) -> npt.NDArray[Any]:
    """Labels of one task as a vector, of several as a matrix, refused where they are no classes."""
    check_classification_targets(y)
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] > 1:
        return labels
    return np.asarray(column_or_1d(y, warn=True))


def _of_rows(value: Any, count: int) -> bool:
    return not isinstance(value, str) and hasattr(value, "__len__") and len(value) == count


def _take(values: Any, rows: IntArray) -> Any:
    """Rows of an array, sparse matrix, data frame or list."""
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    return values[rows] if hasattr(values, "shape") else np.asarray(values)[rows]
