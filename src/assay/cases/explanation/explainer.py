"""Predictions explained by their nearest training cases."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from os import PathLike
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.cases.explanation.batch import ExplanationBatch
from assay.cases.explanation.description import describe_explainer, explainer_html, explainer_line
from assay.cases.explanation.explanation import Explanation
from assay.cases.explanation.options import as_share, as_thresholds, weights_by_class
from assay.cases.explanation.persistence import load_options, save_options
from assay.cases.explanation.predictions import Predictions, predictions_from, predictions_of_cases
from assay.cases.explanation.reference_distances import ReferenceDistances
from assay.cases.metrics.agreement import HIGH, MEDIUM, Weighting, correspondence, demand_weighting
from assay.cases.neighbors.casebase import CaseBase, Rows, build_case_base
from assay.cases.neighbors.checks import FloatArray, LabelArray, as_k, as_label
from assay.cases.neighbors.index import Algorithm, CaseIndex
from assay.cases.neighbors.naming import Names, Weights
from assay.cases.neighbors.scaling import Scale, scale_name
from assay.cases.neighbors.space import MetricName, Space, fit_space
from assay.cases.neighbors.updates import Updated, add_cases, as_removed, remove_cases
from assay.core import InvalidInput, Json, plain
from assay.core.checks import as_whole

__all__ = ["CaseExplainer", "K"]

K: TypeAlias = int | Literal["all"]


class CaseExplainer:
    """Finds the nearest training cases of a prediction and measures how far they agree with it.

    The raw array is kept for showing values, not copied: do not change it. Distances and weights live in the scaled
    space; the values that are shown are raw.

    Parameters
    ----------
    X_train : array or data frame of shape (cases, features)
        The training cases. Texts, booleans and pandas categories are categories.
    y_train : sequence of one class per case
        Their labels: texts or whole numbers.
    k : int or "all", default 5
        How many neighbours an explanation has.
    feature_names : sequence of str, optional
        Taken from the columns of a data frame when left out.
    class_names : sequence or mapping, optional
        How classes are shown.
    metric : str or callable, default "auto"
        "gower" when there are categories, else "euclidean", for which missing numbers are an error; "nan_euclidean" and
        "gower" compare around them. Any name that scikit-learn's NearestNeighbors takes, or a function of two rows.
    metric_params : mapping, optional
        Parameters of the metric.
    scale : bool or str, default True
        True or "standard" (mean and standard deviation of the training cases), "minmax", "robust" (median and
        interquartile range) or False. Gower's distance has its own ranges instead, and metrics of truth values and of
        places are never scaled.
    feature_weights : mapping by name or array, optional
        Under the Euclidean metric a feature's squared difference counts so many times.
    categorical : collection of str or int, optional
        Features that are categories although they look like numbers.
    class_weights : mapping, array or "balanced", optional
        By class, in the order of the sorted classes, or inverse to the frequency of a class.
    weighting : str or callable, default "cubed"
        How neighbours lose weight with distance: "cubed", "squared", "inverse", "uniform", or a function of distances.
    algorithm : str, default "auto"
        "auto", "brute", "kd_tree" or "ball_tree", all exact and equal, or "faiss" (approximate, the extra ``faiss``).
    min_recall : float, default 0.99
        What the measured recall of an approximate search must reach.
    thresholds : tuple of two floats, default (0.85, 0.70)
        From where on a correspondence is called high, and medium; :func:`calibrate_thresholds` fits them.
    ood_level : float, default 0.99
        A query is called unfamiliar when it is farther from its neighbours than this share of the training cases is
        from theirs, or when one of its numbers lies farther beyond the training values than these lie apart.
    allow_unseen : bool, default False
        Accept predicted classes that training never saw.
    metadata : data frame or mapping, optional
        Columns beside the features, shown with the cases.
    private : collection of str, optional
        Features or metadata that are compared but masked in everything that is shown.
    units : mapping of feature to text, optional
        What the numbers of a feature count, as ``{"age": "years"}``: shown beside them.
    model : object with predict, optional
        Answers where no predictions are given, and tells how it sees the neighbours.
    train_predictions : sequence, optional
        What the model says of the training cases, in place of the model.
    seed : int, default 0
        The seed of the samples that measure recall and familiarity.

    Raises
    ------
    InvalidInput
        When tables, labels and options do not fit together; the message names the input and the remedy.

    Examples
    --------
    >>> explainer = CaseExplainer([[0.0], [1.0], [10.0]], ["low", "low", "high"], k=2)
    >>> explainer
    CaseExplainer(3 cases, 1 feature, 2 classes, k=2, metric 'euclidean')
    >>> explanation = explainer.explain_instance([0.25], predicted_class="low")
    >>> explanation.correspondence, [neighbor.index for neighbor in explanation.neighbors]
    (1.0, [0, 1])
    """

    def __init__(
        self,
        X_train: object,
        y_train: object,
        *,
        k: K = 5,
        feature_names: Names | None = None,
        class_names: Names | Mapping[Any, str] | None = None,
        metric: MetricName = "auto",
        metric_params: Mapping[str, Any] | None = None,
        scale: Scale = True,
        feature_weights: Weights | None = None,
        categorical: Collection[str | int] = (),
        class_weights: Mapping[Any, float] | npt.ArrayLike | Literal["balanced"] | None = None,
        weighting: Weighting = "cubed",
        algorithm: Algorithm = "auto",
        min_recall: float = 0.99,
        thresholds: tuple[float, float] = (HIGH, MEDIUM),
        ood_level: float = 0.99,
        allow_unseen: bool = False,
        metadata: object = None,
        private: Collection[str] = (),
        units: Mapping[str, str] | None = None,
        model: object = None,
        train_predictions: object = None,
        seed: int = 0,
    ) -> None:
        self.cases = build_case_base(
            X_train,
            y_train,
            feature_names=feature_names,
            class_names=class_names,
            scale=scale,
            metric=metric,
            metric_params=metric_params,
            feature_weights=feature_weights,
            categorical=categorical,
            metadata=metadata,
            private=private,
            units=units,
        )
        self._given_k, self._given_class_weights = k, class_weights
        self.k = as_k(k, available=len(self.cases.y))
        self.metric = metric if callable(metric) else self.cases.space.metric
        self.metric_params = dict(metric_params or {})
        self.scale = scale_name(scale)
        self.thresholds = as_thresholds(thresholds)
        self.class_weights = weights_by_class(class_weights, self.cases)
        if not callable(weighting):
            demand_weighting(weighting)
        self.weighting = weighting
        self.allow_unseen = allow_unseen
        self.min_recall = as_share(min_recall, what="min_recall")
        self.ood_level = as_share(ood_level, what="ood_level")
        self.requested_algorithm: Algorithm = algorithm
        self.seed = as_whole(seed, "seed")
        self.model = model
        self._types = list(X_train.dtypes) if hasattr(X_train, "dtypes") and hasattr(X_train, "columns") else None
        self.index = self._index(self.cases, self.cases.numbers(self.cases.X), self.k)
        predictions = self._train_predictions(X_train, self.cases.X, self.cases, train_predictions)
        self.reference = self._reference(self.cases, self.index, predictions)

    def _index(self, cases: CaseBase, numbers: FloatArray, k: int) -> CaseIndex:
        # the index owns its array even when nothing is scaled: a later change of X_train must not move a neighbour
        return CaseIndex(
            cases.space.cases(numbers),
            algorithm=self.requested_algorithm,
            distance=cases.space.distance,
            min_recall=self.min_recall,
            recall_k=k,
            seed=self.seed,
        )

    def _reference(self, cases: CaseBase, index: CaseIndex, predictions: LabelArray | None) -> ReferenceDistances:
        return ReferenceDistances(cases, index, train_predictions=predictions, ood_level=self.ood_level, seed=self.seed)

    def __repr__(self) -> str:
        return explainer_line(self)

    def _repr_html_(self) -> str:
        return explainer_html(self)

    @property
    def train_predictions(self) -> LabelArray | None:
        """What the model predicts for the training cases, if that is known."""
        return self.reference.train_predictions

    def explain_instance(
        self,
        x: object,
        *,
        predicted_class: object = None,
        model: object = None,
        probabilities: object = None,
        true_class: object = None,
        k: K | None = None,
        exclude: int | None = None,
    ) -> Explanation:
        """Explain one prediction: that of ``predicted_class``, or what ``model`` or ``probabilities`` say.

        Parameters
        ----------
        x : sequence, mapping or row of a data frame
            The query.
        predicted_class : str or int, optional
            What was predicted.
        model : object with predict, optional
            Asked for the prediction; the explainer's own by default.
        probabilities : sequence of numbers, optional
            The probabilities of the sorted classes; the most probable one is the prediction unless that is given.
        true_class : str or int, optional
            What is right, if that is known.
        k : int or "all", optional
            Another number of neighbours than the explainer's.
        exclude : int, optional
            The row of a training case that does not count, such as the query itself.

        Returns
        -------
        Explanation
            The neighbours and how far they agree.

        Raises
        ------
        InvalidInput
            When neither or both of a prediction and a model are given, or the query does not fit the training cases.
        """
        rows = self.cases.read_one(x, what="x")
        predicted = None if predicted_class is None else [as_label(predicted_class, what="predicted_class")]
        shares = None if probabilities is None else np.atleast_2d(np.asarray(probabilities))
        answers = self._predictions(x, rows, predicted, model, shares, name="predicted_class")
        truth = None if true_class is None else [as_label(true_class, what="true_class")]
        excluded = None if exclude is None else [exclude]
        return self._explain(rows, answers, self._truth(truth, count=1, what="true_class"), k, excluded)[0]

    def explain_batch(
        self,
        X: object,
        *,
        predictions: object = None,
        model: object = None,
        probabilities: object = None,
        y: object = None,
        k: K | None = None,
        exclude: npt.ArrayLike | None = None,
    ) -> ExplanationBatch:
        """Explain many predictions at once: those given, or those of ``model``.

        Parameters
        ----------
        X : array or data frame of shape (n, features)
            The queries.
        predictions : sequence of n classes, optional
            What was predicted.
        model : object with predict, optional
            Asked for the predictions; the explainer's own by default.
        probabilities : array of shape (n, classes), optional
            In the order of the sorted classes; kept. Without ``predictions`` the most probable class is the prediction.
        y : sequence of n classes, optional
            What is right, if that is known.
        k : int or "all", optional
            Another number of neighbours than the explainer's.
        exclude : array of n row numbers, optional
            One training case per row that does not count, -1 for none.

        Returns
        -------
        ExplanationBatch
            One explanation per row.
        """
        rows = self.cases.read(X, what="X")
        answers = self._predictions(X, rows, predictions, model, probabilities, name="predictions")
        return self._explain(rows, answers, self._truth(y, count=len(rows.raw), what="y"), k, exclude)

    def explain_training(
        self, *, predictions: object = None, model: object = None, k: K | None = None
    ) -> ExplanationBatch:
        """Explain every training case by the others: a case is never its own neighbour, its duplicates may be.

        Parameters
        ----------
        predictions : sequence, optional
            What was predicted for the training cases.
        model : object with predict, optional
            Asked for the predictions. Without either the case's own label is explained, so that a low correspondence
            marks a label that its neighbours do not share.
        k : int or "all", optional
            Another number of neighbours than the explainer's.

        Returns
        -------
        ExplanationBatch
            One explanation per training case.
        """
        cases = self.cases
        rows = Rows(cases.X, cases.numbers(cases.X))
        if predictions is None and model is None:
            own = cases.y if self.train_predictions is None else self.train_predictions
            answers = Predictions(own, None)
        else:
            answers = self._predictions(cases.X, rows, predictions, model, None, name="predictions")
        count = k if k is not None else min(self.k, max(1, len(cases.y) - 1))
        return self._explain(rows, answers, cases.y, count, np.arange(len(cases.y)))

    def add(self, X: object, y: object, *, metadata: object = None, train_predictions: object = None) -> None:
        """Add training cases behind the others; afterwards the explainer is what one made of all cases would be.

        Only the new rows are read, checked and shown to the model. The units of distances are those of all cases, so
        earlier distances change a little; explanations made before keep the cases that they were made of.

        Parameters
        ----------
        X : array or data frame of shape (n, features)
            The new cases. New categories are welcome.
        y : sequence of n classes
            Their labels. New classes are welcome.
        metadata : data frame or mapping, optional
            Columns that the explainer's metadata have; what is left out is None.
        train_predictions : sequence of n classes, optional
            What the model says of them, where the explainer was given that instead of a model.

        Raises
        ------
        InvalidInput
            When the new cases do not fit the old ones; the explainer is then as it was.
        """
        earlier = self.train_predictions
        after = add_cases(self.cases, self._numbers(), X, y, metadata, self._fit_space)
        if earlier is None and train_predictions is not None:
            raise InvalidInput("train_predictions: the explainer was created without them; leave them out.")
        if earlier is not None:
            raw = after.cases.X[len(earlier) :]
            more = self._train_predictions(X, raw, after.cases, train_predictions) if len(raw) else earlier[:0]
            if more is None:
                raise InvalidInput(
                    "train_predictions: the explainer knows what the model says of its cases; give it for the new ones."
                )
            earlier = np.concatenate([earlier, more])
        self._become(after, earlier)

    def remove(self, rows: npt.ArrayLike) -> None:
        """Remove training cases; afterwards the explainer is what one made of the others would be.

        Parameters
        ----------
        rows : int or sequence of int
            Rows of the cases, as ``neighbor.index`` gives them. The cases behind them move up: keep identifiers as
            ``metadata`` where you need to find a case again.

        Raises
        ------
        InvalidInput
            When a case does not exist, or fewer than k would stay; the explainer is then as it was.
        """
        removed = as_removed(rows, cases=len(self.cases.y))
        after = remove_cases(self.cases, self._numbers(), removed, self._fit_space)
        earlier = self.train_predictions
        self._become(after, None if earlier is None else np.delete(earlier, removed))

    def _numbers(self) -> FloatArray:
        # where there are categories the index holds their codes, unscaled
        return self.index.cases if self.cases.encoding.categories else self.cases.X

    def _fit_space(self, numbers: FloatArray) -> Space:
        return fit_space(
            numbers,
            metric=self.metric,
            metric_params=self.metric_params,
            scale=self.scale,
            feature_weights=self.cases.feature_weights,
            categorical=frozenset(self.cases.encoding.categories),
        )

    def _become(self, after: Updated, train_predictions: LabelArray | None) -> None:
        """Take over changed cases, all or nothing."""
        cases = after.cases
        k = as_k(self._given_k, available=len(cases.y))
        weights = weights_by_class(self._given_class_weights, cases)
        index = self._index(cases, after.numbers, k)
        reference = self._reference(cases, index, train_predictions)
        self.cases, self.k, self.class_weights, self.index, self.reference = cases, k, weights, index, reference

    def describe(self) -> dict[str, Json]:
        """The explainer in plain JSON values: cases, classes, space, search with its timings and recall, thresholds."""
        return describe_explainer(self)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the explainer into one file: no pickle, with a checksum."""
        k, weights = self._given_k, self._given_class_weights
        options: dict[str, Any] = {
            "k": k if isinstance(k, str) else self.k,
            "metric": self.metric,
            "metric_params": plain(self.metric_params),
            "scale": self.scale,
            "weighting": self.weighting,
            "algorithm": self.requested_algorithm,
            "min_recall": self.min_recall,
            "thresholds": list(self.thresholds),
            "ood_level": self.ood_level,
            "allow_unseen": self.allow_unseen,
            "seed": self.seed,
        }
        save_options(
            path,
            self.cases,
            options,
            class_weights=weights if isinstance(weights, str) else self.class_weights,
            train_predictions=self.train_predictions,
        )

    @classmethod
    def load(cls, path: str | PathLike[str], *, model: object = None) -> CaseExplainer:
        """Read what :meth:`save` wrote; a damaged, foreign or newer file is refused.

        A model is not part of the file: give it again, such as ``assay.load_model("model.onnx")``.
        """
        try:
            return cls(**load_options(path), model=model)
        except InvalidInput:
            raise
        except Exception as error:  # the checksum fits, so somebody made a file that only looks like ours
            raise InvalidInput(f"{path}: is not a saved explainer ({type(error).__name__}: {error}).") from error

    def _explain(
        self, rows: Rows, answers: Predictions, true: LabelArray | None, k: K | None, exclude: npt.ArrayLike | None
    ) -> ExplanationBatch:
        count: K = self.k if k is None else k
        nearest = self.index.query(self.cases.space.queries(rows.numbers), count, exclude=exclude)
        labels = self.cases.y[nearest.indices]
        return ExplanationBatch(
            indices=nearest.indices,
            distances=nearest.distances,
            labels=labels,
            correspondence=correspondence(
                nearest.distances,
                labels,
                answers.predicted,
                class_weights=self.class_weights,
                weighting=self.weighting,
            ),
            predicted=answers.predicted,
            true=true,
            queries=rows.raw,
            thresholds=self.thresholds,
            cases=self.cases,
            context=self.reference,
            probabilities=answers.probabilities,
            exclude=None if exclude is None else np.asarray(exclude, dtype=np.int64),
        )

    def _predictions(
        self, X: object, rows: Rows, predictions: object, model: object, probabilities: object, *, name: str
    ) -> Predictions:
        if predictions is None and probabilities is None and model is None:
            model = self.model
        return predictions_from(
            self.cases,
            X,
            rows.raw,
            predictions=predictions,
            model=model,
            probabilities=probabilities,
            name=name,
            allow_unseen=self.allow_unseen,
            types=self._types,
        )

    def _train_predictions(
        self, X: object, raw: npt.NDArray[Any], cases: CaseBase, predictions: object
    ) -> LabelArray | None:
        return predictions_of_cases(cases, X, raw, predictions=predictions, model=self.model, types=self._types)

    def _truth(self, labels: object, *, count: int, what: str) -> LabelArray | None:
        # the truth may well be a class that training never saw
        return None if labels is None else self.cases.labels(labels, count=count, what=what, allow_unseen=True)
