"""What is to be explained: predictions that were given, or those of a model, with its probabilities if it has any."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from os import PathLike
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.cases.neighbors.casebase import CaseBase
from assay.cases.neighbors.checks import (
    FloatArray,
    LabelArray,
    as_labels,
    as_matrix,
    as_probability_rows,
    demand_same_kind,
    listed,
)
from assay.core import InvalidInput
from assay.intake.models import is_regressor, reason_of

__all__ = [
    "Predictions",
    "as_probabilities",
    "ask_model",
    "most_probable",
    "predictions_from",
    "predictions_of_cases",
]


Types: TypeAlias = Sequence[Any]  # of the columns of a data frame


class Predictions(NamedTuple):
    """Predicted classes [n], and probabilities [n, classes] in the order of the training classes, if known."""

    predicted: LabelArray
    probabilities: FloatArray | None


def predictions_from(
    cases: CaseBase,
    X: object,
    rows: npt.NDArray[Any],
    *,
    predictions: object,
    model: object,
    probabilities: object,
    name: str,
    allow_unseen: bool,
    types: Types | None,
) -> Predictions:
    """The predictions of some queries from the one source that was given; ``name`` is that of the predictions."""
    if (predictions is None and probabilities is None) == (model is None):
        problem = "neither was" if model is None else "both were"
        raise InvalidInput(f"give either {name} or a model, exactly one of them; {problem} given.")
    if model is not None:
        return ask_model(model, X, rows, cases, allow_unseen=allow_unseen, types=types)
    shares = None
    if probabilities is not None:
        shares = as_probabilities(probabilities, cases, rows=len(rows), what="probabilities")
    if predictions is None and shares is not None:
        return Predictions(most_probable(shares, cases), shares)
    return Predictions(cases.labels(predictions, count=len(rows), what=name, allow_unseen=allow_unseen), shares)


def predictions_of_cases(
    cases: CaseBase, X: object, rows: npt.NDArray[Any], *, predictions: object, model: object, types: Types | None
) -> LabelArray | None:
    """What the model says of some training cases: as given, or asked of it; None where neither is there."""
    # the model may well know classes that these cases do not have
    if predictions is not None:
        return cases.labels(predictions, count=len(rows), what="train_predictions", allow_unseen=True).copy()
    return None if model is None else ask_model(model, X, rows, cases, allow_unseen=True, types=types).predicted


def as_probabilities(values: object, cases: CaseBase, *, rows: int, what: str) -> FloatArray:
    """Precomputed probabilities, one row per query and one column per training class."""
    order = f" in the order {listed(cases.classes.tolist())}"
    return as_probability_rows(values, (rows, len(cases.classes)), what=what, order=order)


def most_probable(probabilities: FloatArray, cases: CaseBase) -> LabelArray:
    """The class of the largest probability; of equal ones the first."""
    chosen: LabelArray = cases.classes[probabilities.argmax(axis=1)]
    return chosen


def ask_model(
    model: Any, X: Any, rows: npt.NDArray[Any], cases: CaseBase, *, allow_unseen: bool, types: Types | None
) -> Predictions:
    """Ask ``predict``, and ``predict_proba`` where there is one; without ``predict`` the most probable class counts.

    Columns of ``predict_proba`` are matched by the model's ``classes_``; a training class that the model does not know
    has probability 0, and what the model gives to classes that are no training classes is left out. ``types`` are those
    of the training columns, which a query that is no data frame gets back.
    """
    predict, proba = (getattr(model, name, None) for name in ("predict", "predict_proba"))
    if isinstance(model, str | PathLike):
        path = str(model)
        raise InvalidInput(f"model: {path!r} is the path of a file; open it first: model=assay.load_model({path!r}).")
    if not callable(predict) and not callable(proba):
        raise InvalidInput(f"model: {type(model).__name__} has no predict(); pass the predictions instead.")
    if is_regressor(model):
        raise InvalidInput(f"model: {type(model).__name__} is a regressor, which predicts numbers; give a classifier.")
    if not len(rows):
        return Predictions(cases.y[:0], None)  # most models refuse an empty table
    table = _as_trained(model, X, rows, types)
    probabilities = _aligned(model, _ask(proba, table, model), cases, rows=len(rows)) if callable(proba) else None
    if callable(predict):
        labels = _ask(predict, table, model)
        predicted = cases.labels(labels, count=len(rows), what="the model's predictions", allow_unseen=allow_unseen)
        return Predictions(predicted, probabilities)
    if probabilities is None:
        raise InvalidInput(f"model: {type(model).__name__} gives no probabilities; pass the predictions instead.")
    return Predictions(most_probable(probabilities, cases), probabilities)


def _ask(method: Callable[[Any], Any], table: Any, model: Any) -> Any:
    try:
        return method(table)
    except InvalidInput:
        raise
    except Exception as error:
        raise InvalidInput(
            f"model: {type(model).__name__}.{method.__name__} refuses these columns ({reason_of(error)}). Give them as "
            "in training."
        ) from error


def _as_trained(model: Any, X: Any, rows: npt.NDArray[Any], types: Types | None) -> Any:
    trained_on = getattr(model, "feature_names_in_", None)
    if hasattr(X, "columns"):
        return X
    if trained_on is not None and len(trained_on) == rows.shape[1]:
        import pandas as pd

        table = pd.DataFrame(rows, columns=trained_on).infer_objects()  # a model that learned names gets names
        if types is not None and len(types) == rows.shape[1]:
            for name, kind in zip(table.columns, types, strict=True):
                with suppress(ValueError, TypeError):  # such as a missing value among whole numbers
                    table[name] = _as_type(table[name], kind)
        return table
    return rows


def _as_type(column: Any, kind: Any) -> Any:
    import pandas as pd

    if not isinstance(kind, pd.CategoricalDtype):
        return column.astype(kind)
    return pd.Categorical.from_codes(
        kind.categories.get_indexer(column), dtype=kind
    )  # -1, of an unseen one, is missing


def _aligned(model: Any, values: Any, cases: CaseBase, *, rows: int) -> FloatArray:
    what = "the model's probabilities"
    names = getattr(model, "classes_", None)
    if names is None:
        return as_probabilities(values, cases, rows=rows, what=what)
    probabilities, classes = as_matrix(values, what=what), as_labels(names, what="the model's classes_")
    if probabilities.shape != (rows, len(classes)):
        raise InvalidInput(
            f"{what}: have shape {probabilities.shape} for {rows} row(s) and {len(classes)} classes_ of the model."
        )
    demand_same_kind(classes, cases.classes, what="the model's classes_ and training labels", model=model)
    aligned = np.zeros((rows, len(cases.classes)))
    place = {label: column for column, label in enumerate(cases.classes.tolist())}
    for column, label in enumerate(classes.tolist()):
        if label in place:
            aligned[:, place[label]] = probabilities[:, column]
    return aligned
