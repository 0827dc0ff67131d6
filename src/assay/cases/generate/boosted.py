"""Boosted trees of XGBoost, LightGBM and CatBoost: labels as numbers, categories and gaps as these libraries take them.

Answers are in the labels that were given.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from assay.cases.neighbors.checks import FloatArray, LabelArray

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["NATIVE", "BoostedClassifier"]

# by library: parameters that a classifier gets unless its user gave them, so that it is quiet and keeps categories
NATIVE: Final[Mapping[str, Mapping[str, object]]] = {
    "catboost": {"verbose": False, "allow_writing_files": False},
    "lightgbm": {"verbose": -1},
    "xgboost": {"enable_categorical": True, "verbosity": 0},
}
_MISSING: Final = "(missing)"
_UNSET: Final = (None, False)  # what a library says of a parameter that nobody gave


class BoostedClassifier:
    """A classifier in scikit-learn's manner around one that takes labels 0, 1, ... and categories of its own.

    ``library`` is one of ``NATIVE``, or empty for a classifier that prepares its columns itself.
    """

    def __init__(self, classifier: Any, library: str) -> None:
        self.classifier = classifier
        self.library = library
        parameters = classifier.get_params() if library else {}
        quiet = {name: value for name, value in NATIVE.get(library, {}).items() if parameters.get(name) in _UNSET}
        if quiet:
            classifier.set_params(**quiet)

    def __repr__(self) -> str:
        return f"BoostedClassifier({self.classifier!r})"

    @property
    def steps(self) -> list[tuple[str, Any]]:
        """The classifier as the last step, as a pipeline tells it."""
        return list(getattr(self.classifier, "steps", [(type(self.classifier).__name__, self.classifier)]))

    def fit(self, X: pd.DataFrame, y: Any) -> BoostedClassifier:
        """Learn the classes, the categories of every column that holds no numbers, and then the classifier."""
        labels = np.asarray(y)
        self.classes_, codes = np.unique(
            labels.astype(np.str_) if labels.dtype == object else labels, return_inverse=True
        )
        self.feature_names_in_ = np.asarray([str(name) for name in X.columns], dtype=object)
        self._categories = {name: X[name].dropna().unique() for name in X.columns if not _holds_numbers(X[name])}
        names = [f"c{place}" for place, name in enumerate(X.columns) if name in self._categories]
        more = {"cat_features": names} if self.library == "catboost" else {}
        self.classifier.fit(self._columns(X), codes, **more)
        return self

    def predict(self, X: pd.DataFrame) -> LabelArray:
        """The label of every row."""
        codes = np.asarray(self.classifier.predict(self._columns(X))).reshape(len(X), -1)[:, 0]
        labels: LabelArray = self.classes_[codes.astype(np.int64)]
        return labels

    def predict_proba(self, X: pd.DataFrame) -> FloatArray:
        """Probabilities of ``classes_``; those of single floats sum to 1 again."""
        probabilities: FloatArray = np.asarray(self.classifier.predict_proba(self._columns(X)), dtype=np.float64)
        probabilities /= probabilities.sum(axis=1, keepdims=True)
        return probabilities

    def _columns(self, X: pd.DataFrame) -> pd.DataFrame:
        """Categories by those of training, others missing; names that no library objects to."""
        import pandas as pd

        if not self.library:
            return X
        columns: dict[str, Any] = {}
        for place, name in enumerate(X.columns):
            column = X[name]
            if name not in self._categories:
                columns[f"c{place}"] = column if column.dtype == bool else pd.to_numeric(column).astype(np.float64)
                continue
            categories = self._categories[name]
            places = pd.Index(categories).get_indexer(column.astype(object))
            category = pd.Categorical.from_codes(places, categories=pd.Index(categories))  # -1 is missing
            if self.library == "catboost":
                texts = np.asarray(category, dtype=object)
                columns[f"c{place}"] = np.where(category.isna(), _MISSING, texts).astype(str)
            else:  # a column without any category is a gap
                columns[f"c{place}"] = category if len(categories) else np.full(len(X), np.nan)
        return pd.DataFrame(columns, index=X.index)


def _holds_numbers(column: pd.Series[Any]) -> bool:
    from pandas.api.types import is_numeric_dtype

    return bool(is_numeric_dtype(column.dtype))
