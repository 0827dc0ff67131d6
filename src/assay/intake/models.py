"""Models and labels as users bring them: what a classifier can learn, and what a library objects to, in one line."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from assay.core import InvalidInput

__all__ = ["demand_classes", "is_regressor", "reason_of"]

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
        # no whole numbers; floor, unlike a remainder, takes infinities without a warning
        broken = column[~np.isfinite(column) | (np.floor(column) != column)] if column.dtype.kind == "f" else column[:0]
        if len(broken) or different > max(_FEW, len(column) // 2):
            shown = [*broken, *column[:1]][0].item()
            raise InvalidInput(
                f"{what} holds {different:,} different numbers in {len(column):,} rows, such as {shown!r}: a "
                f"quantity, not a class. Name a column of classes, or cut this one into a few classes first, as texts."
            )
    if different == 1:
        raise InvalidInput(
            f"{what} holds one class only, {column[0].item() if column.dtype != object else column[0]!r}, in "
            f"{len(column):,} rows: there is nothing to tell apart. Add rows of another class."
        )


def is_regressor(model: Any) -> bool:
    """Whether a model says of itself that it predicts numbers."""
    from sklearn.base import is_regressor as told

    try:
        return bool(told(model))
    except Exception:  # noqa: BLE001 - a library of whatever age answers here
        return getattr(model, "_estimator_type", None) == "regressor"


def reason_of(error: BaseException) -> str:
    """The type and first line of a library's error."""
    text = f"{type(error).__name__}: {error}".strip().partition("\n")[0]
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
