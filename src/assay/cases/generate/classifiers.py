"""Classifiers by name, ready for tables as they come: mixed columns, missing values."""

from __future__ import annotations

import importlib
import inspect
from typing import TYPE_CHECKING, Any

from assay.core import InvalidInput, UnknownName, parse_call

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CLASSIFIERS", "make_classifier"]

# short name -> scikit-learn's class with the parameters that make it reproducible
CLASSIFIERS = {
    "forest": "sklearn.ensemble:RandomForestClassifier(n_estimators=100, random_state=0)",
    "logistic": "sklearn.linear_model:LogisticRegression(max_iter=2000)",
    "tree": "sklearn.tree:DecisionTreeClassifier(random_state=0)",
    "naive-bayes": "sklearn.naive_bayes:GaussianNB",
}


def make_classifier(text: str, columns: pd.DataFrame) -> Any:
    """An unfitted classifier for tables like ``columns``: a short name, or ``module:Class(parameter=value)``.

    Numbers are standardised, missing ones filled by the median; other columns are one-hot encoded, unknown categories
    as none.
    """
    call = parse_call(text)
    if call.name in CLASSIFIERS:
        if call.parameters:
            base = parse_call(CLASSIFIERS[call.name])
            call = type(base)(base.name, {**base.parameters, **call.parameters})
        else:
            call = parse_call(CLASSIFIERS[call.name])
    module, colon, name = call.name.partition(":")
    if not colon:
        raise UnknownName("classifier", call.name, [*CLASSIFIERS, "module:Class"])
    try:
        kind = getattr(importlib.import_module(module), name)
    except ImportError as error:
        raise InvalidInput(f"classifier {text!r}: {module!r} cannot be imported ({error}).") from error
    except AttributeError:
        raise InvalidInput(f"classifier {text!r}: {module!r} has no class {name!r}.") from None
    known = list(inspect.signature(kind).parameters)
    for parameter in call.parameters:
        if parameter not in known:
            raise UnknownName(f"parameter of classifier {name!r}", parameter, known)
    return _with_preparation(kind(**call.parameters), columns)


def _with_preparation(classifier: Any, columns: pd.DataFrame) -> Any:
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = columns.select_dtypes(include=["number", "bool"]).columns.tolist()
    others = [name for name in columns.columns if name not in numbers]
    prepare = make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler()), numbers),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), others),
    )
    return make_pipeline(prepare, classifier)
