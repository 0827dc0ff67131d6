"""What a classifier needs: labels that are classes, and a model that predicts them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from assay.core import InvalidInput

__all__ = ["demand_classes", "demand_classifier", "is_regressor", "reason_of", "train_model"]

_FEW: Final = 20  # different whole numbers that are classes however few the rows
_LONGEST: Final = 300  # characters of a library's own message


def demand_classes(labels: Any, *, what: str) -> None:
    """Refuse labels that a classifier cannot learn: a quantity, or one class only. ``what`` names file and column.

    >>> demand_classes([0.5, 1.25, 3.0], what="train.csv: label column 'price'")
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: train.csv: label column 'price' holds 3 different numbers in 3 rows, such as 0.5: a
    quantity, not a class. Name a column of classes, or cut this one into a few classes first, as texts.
    """
    column: npt.NDArray[Any] = np.asarray(labels)
    if column.dtype == object:
        values = column.tolist()
        if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
            column = np.asarray(values)
    different = len(set(column.tolist()))
    if column.dtype.kind in "iuf":
        whole = column.dtype.kind != "f" or bool((np.isfinite(column) & (column % 1 == 0)).all())
        if not whole or different > max(_FEW, len(column) // 2):
            shown = column[column % 1 != 0][0] if not whole else column[0]
            raise InvalidInput(
                f"{what} holds {different:,} different numbers in {len(column):,} rows, such as {shown.item()!r}: a "
                f"quantity, not a class. Name a column of classes, or cut this one into a few classes first, as texts."
            )
    if different == 1:
        raise InvalidInput(
            f"{what} holds one class only, {column[0].item() if column.dtype != object else column[0]!r}, in "
            f"{len(column):,} rows: there is nothing to tell apart. Add rows of another class."
        )


def demand_classifier(model: Any, *, what: str) -> None:
    """Refuse a model that predicts numbers, or nothing."""
    if not callable(getattr(model, "predict", None)):
        raise InvalidInput(f"{what}: {type(model).__name__} has no predict(); give a classifier.")
    if is_regressor(model):
        raise InvalidInput(
            f"{what}: {type(model).__name__} is a regressor, which predicts numbers; give a classifier, which predicts "
            f"classes."
        )


def is_regressor(model: Any) -> bool:
    """Whether a model says of itself that it predicts numbers."""
    from sklearn.base import is_regressor as told

    try:
        return bool(told(model))
    except Exception:  # noqa: BLE001 - a library of whatever age answers here
        return getattr(model, "_estimator_type", None) == "regressor"


def train_model(model: Any, columns: Any, labels: Any, *, what: str) -> Any:
    """Fit a classifier; what its library objects to is one line."""
    try:
        return model.fit(columns, labels)
    except InvalidInput:
        raise
    except Exception as error:
        raise InvalidInput(
            f"{what} cannot be trained on these columns ({reason_of(error)}). Put what encodes them before it in "
            "a pipeline."
        ) from error


def reason_of(error: BaseException) -> str:
    """The type and first line of a library's error."""
    text = f"{type(error).__name__}: {error}".strip().partition("\n")[0]
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
