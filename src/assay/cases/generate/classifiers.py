"""Classifiers by name, ready for tables as they come: mixed columns, missing values."""

from __future__ import annotations

import importlib
import inspect
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from assay.cases.generate.boosted import NATIVE, BoostedClassifier
from assay.cases.problem.training import demand_classifier
from assay.core import Call, InvalidInput, UnknownName, parse_call

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
_MISTYPED = 0.9  # as like to a known parameter as this; no alias of LightGBM is


def make_classifier(text: str, columns: pd.DataFrame) -> Any:
    """An unfitted classifier for tables like ``columns``: a short name, or ``module:Class(parameter=value)``.

    Classes of XGBoost, LightGBM and CatBoost get missing numbers and categories as they are, and labels as numbers. For
    all others numbers are standardised, missing ones filled by the median; other columns are one-hot encoded, unknown
    categories as none.
    """
    call = parse_call(text)
    if call.name in CLASSIFIERS:
        base = parse_call(CLASSIFIERS[call.name])
        call = Call(base.name, {**base.parameters, **call.parameters})
    module, colon, name = call.name.partition(":")
    if not colon:
        raise UnknownName("classifier", call.name, [*CLASSIFIERS, "module:Class"])
    try:
        kind = getattr(importlib.import_module(module), name)
    except ImportError as error:
        remedy = " Install it where Assay is installed." if isinstance(error, ModuleNotFoundError) else ""
        raise InvalidInput(f"classifier {text!r}: {module!r} cannot be imported ({error}).{remedy}") from error
    except AttributeError:
        there = vars(importlib.import_module(module)).items()
        close = get_close_matches(
            name, [other for other, kind in there if hasattr(kind, "predict_proba")], n=1, cutoff=0.5
        )
        example = "Name the module that defines it, as in sklearn.ensemble:RandomForestClassifier."
        remedy = f"Did you mean '{module}:{close[0]}'?" if close else example
        raise InvalidInput(f"classifier {text!r}: {module!r} has no class {name!r}. {remedy}") from None
    classifier = _built(kind, call, text)
    demand_classifier(classifier, what=f"classifier {text!r}")
    library = kind.__module__.partition(".")[0]
    if library in NATIVE and call.parameters.get("enable_categorical", True):
        return BoostedClassifier(classifier, library)
    prepared = _with_preparation(classifier, columns)
    return BoostedClassifier(prepared, "") if library in NATIVE else prepared


def _built(kind: Any, call: Call, text: str) -> Any:
    """An instance, its parameters checked against the signature; where that takes any, against what an instance has."""
    try:
        signature = inspect.signature(kind).parameters.values()
    except (TypeError, ValueError):
        raise InvalidInput(f"classifier {text!r}: {call.name!r} is not a class.") from None
    is_open = any(parameter.kind is parameter.VAR_KEYWORD for parameter in signature)
    names = [p.name for p in signature if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    try:
        if is_open and callable(getattr(kind, "get_params", None)):
            names = sorted({*names, *kind().get_params()})
        for parameter in call.parameters:
            if parameter in names or (is_open and not get_close_matches(parameter, names, n=1, cutoff=_MISTYPED)):
                continue
            raise UnknownName(f"parameter of classifier {call.name.partition(':')[2]!r}", parameter, names)
        return kind(**call.parameters)
    except InvalidInput:
        raise
    except Exception as error:
        reason = str(error).strip().partition("\n")[0]
        raise InvalidInput(f"classifier {text!r}: cannot be built ({type(error).__name__}: {reason}).") from error


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
