"""A scikit-learn classifier that explains its predictions by training cases."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from assay.cases import CaseExplainer, ExplanationBatch, correspondence
from assay.cases.explanation.explainer import K
from assay.connections.sklearn.routing import routed_to_estimator
from assay.core.arrays import FloatArray

__all__ = ["ExplainedClassifier"]


def _has_probabilities(self: ExplainedClassifier) -> bool:
    return self.estimator is None or hasattr(getattr(self, "estimator_", self.estimator), "predict_proba")


class ExplainedClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier together with the :class:`assay.cases.CaseExplainer` of its training cases.

    With an estimator, its predictions are explained; without one, the class with which the nearest cases correspond
    best is predicted.

    Parameters
    ----------
    estimator : classifier, optional
        Cloned and fitted on the same rows.
    k : int or "all", default 5
        How many neighbours an explanation has.
    metric : str or callable, default "auto"
        Of the distances, as in :class:`assay.cases.CaseExplainer`; so are the parameters below.
    scale : bool or str, default True
        How features are scaled.
    feature_weights : mapping by name or array, optional
        How much a feature counts.
    categorical : collection of str or int, default ()
        Features that are categories although they look like numbers.
    class_weights : mapping, array or "balanced", optional
        How much the cases of a class count.
    weighting : str or callable, default "cubed"
        How neighbours lose weight with distance.
    algorithm : str, default "auto"
        Of the search.
    ood_level : float, default 0.99
        From where on a query is called unfamiliar.
    random_state : int, optional
        Random seed of the samples that measure recall and familiarity; 0 by default.

    Attributes
    ----------
    estimator, k, metric, scale, feature_weights, categorical, class_weights, weighting, algorithm, ood_level
        The parameters; so is ``random_state``.

    Notes
    -----
    After ``fit``: ``classes_``, ``explainer_`` (the :class:`assay.cases.CaseExplainer`), ``estimator_`` (the fitted
    clone, or None) and ``n_features_in_``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ExplainedClassifier(GaussianNB(), k=10).fit(X, y)
    >>> batch = model.explain(X[[0, 70]])
    >>> batch.predicted.tolist(), batch.correspondence.round(2).tolist()
    ([0, 2], [1.0, 0.28])
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        k: K = 5,
        metric: Any = "auto",
        scale: bool | str = True,
        feature_weights: Any = None,
        categorical: Collection[str | int] = (),
        class_weights: Mapping[Any, float] | npt.ArrayLike | str | None = None,
        weighting: Any = "cubed",
        algorithm: str = "auto",
        ood_level: float = 0.99,
        random_state: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.k = k
        self.metric = metric
        self.scale = scale
        self.feature_weights = feature_weights
        self.categorical = categorical
        self.class_weights = class_weights
        self.weighting = weighting
        self.algorithm = algorithm
        self.ood_level = ood_level
        self.random_state = random_state

    def get_metadata_routing(self) -> MetadataRouter:
        """What is passed on to the estimator's ``fit``."""
        router = MetadataRouter(owner=type(self).__name__)
        if self.estimator is None:
            return router
        return router.add(estimator=self.estimator, method_mapping=MethodMapping().add(caller="fit", callee="fit"))

    def fit(self, X: Any, y: Any, **params: Any) -> ExplainedClassifier:
        """Fit the estimator and keep the rows as cases.

        Parameters
        ----------
        X : array or data frame
            The training cases.
        y : array of n labels
            Their classes.
        **params
            For the estimator's ``fit``, where scikit-learn's metadata routing is enabled and they are requested.

        Returns
        -------
        ExplainedClassifier
            Itself.
        """
        fit_params = routed_to_estimator(self, params)
        rows = self._rows(X, y, reset=True)
        check_classification_targets(y)
        labels = np.asarray(column_or_1d(y, warn=True))
        self.classes_ = np.unique(labels)
        self.estimator_ = None if self.estimator is None else clone(self.estimator).fit(X, labels, **fit_params)
        self.explainer_ = CaseExplainer(
            rows,
            labels,
            k=self.k,
            metric=self.metric,
            scale=self.scale,  # type: ignore[arg-type]
            feature_weights=self.feature_weights,
            categorical=self.categorical,
            class_weights=self.class_weights,
            weighting=self.weighting,
            algorithm=self.algorithm,  # type: ignore[arg-type]
            ood_level=self.ood_level,
            model=self.estimator_,
            seed=0 if self.random_state is None else int(self.random_state),
        )
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The estimator's class, or the one with which the nearest cases correspond best."""
        check_is_fitted(self)
        rows = self._rows(X)
        if self.estimator_ is not None:
            return np.asarray(self.estimator_.predict(X))
        return np.asarray(self.classes_[self._shares(rows).argmax(axis=1)])

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """The estimator's probabilities, or each class's correspondence with the nearest cases."""
        check_is_fitted(self)
        rows = self._rows(X)
        if self.estimator_ is not None:
            return np.asarray(self.estimator_.predict_proba(X))
        return self._shares(rows)

    def explain(self, X: Any, y: Any = None) -> ExplanationBatch:
        """Explain the prediction of every row by its nearest training cases.

        Parameters
        ----------
        X : array or data frame
            The queries.
        y : array of n labels, optional
            What is right, if that is known.

        Returns
        -------
        ExplanationBatch
            One explanation per row.
        """
        predictions = self.predict(X)
        return self.explainer_.explain_batch(self._rows(X), predictions=predictions, y=y)

    def _shares(self, rows: Any) -> FloatArray:
        batch = self.explainer_.explain_batch(rows, predictions=np.repeat(self.classes_[:1], len(rows)))
        weights = self.explainer_.class_weights
        return np.stack(
            [
                correspondence(
                    batch.distances, batch.labels, np.repeat(name, len(rows)), weights, weighting=self.weighting
                )
                for name in self.classes_
            ],
            axis=1,
        )

    def _rows(self, X: Any, y: Any = "no_validation", *, reset: bool = False) -> Any:
        """Data frames as they are, for their categories; everything else as numbers."""
        if hasattr(X, "iloc"):
            validate_data(self, X, reset=reset, skip_check_array=True)
            return X
        if isinstance(y, str):
            return validate_data(self, X, reset=reset, dtype=np.float64)
        return validate_data(self, X, y, reset=reset, dtype=np.float64, ensure_min_samples=2)[0]
