"""What every entry point demands of its arrays, with messages that name the value and the remedy."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.core import InvalidInput
from assay.core.arrays import BoolArray, FloatArray, IntArray

__all__ = [
    "EXACT_INTEGER",
    "LARGEST",
    "SUM_TOLERANCE",
    "FloatArray",
    "IntArray",
    "Label",
    "LabelArray",
    "as_cases",
    "as_k",
    "as_label",
    "as_labels",
    "as_matrix",
    "as_probability_rows",
    "column_names",
    "demand_exact",
    "demand_k",
    "demand_same_kind",
    "listed",
    "places_among",
]

LabelArray: TypeAlias = npt.NDArray[Any]
Label: TypeAlias = bool | int | str

# squares of larger numbers overflow, and with them every distance
LARGEST = 1e150
# beyond it float64 no longer tells neighbouring whole numbers apart
EXACT_INTEGER = 2**53
SUM_TOLERANCE = 1e-3  # probabilities are often stored rounded


def as_matrix(values: object, *, what: str, missing: bool = False) -> FloatArray:
    """Rows of finite numbers as float64; an array that already is one is not copied.

    With ``missing`` a value may be absent: None, nan, or what pandas calls NA; it comes back as nan.

    >>> as_matrix([[1.0, float("nan")]], what="X")
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: X: row 0, column 1 is nan. Fill or remove what is missing or infinite.
    """
    matrix = _numbers(values, what=what)
    if matrix.ndim != 2:
        raise InvalidInput(f"{what}: must be two-dimensional, rows by features, got shape {matrix.shape}.")
    if not matrix.shape[1]:
        raise InvalidInput(f"{what}: has no features; give at least one column.")
    # extremes instead of a mask: nan and infinity show in them, and no second array is made
    if matrix.size and not (matrix.min() > -LARGEST and matrix.max() < LARGEST):
        bad = ~(np.abs(matrix) < LARGEST)
        if missing:
            bad &= ~np.isnan(matrix)
            if not bad.any():
                return matrix
        row, column = np.argwhere(bad)[0]
        value = matrix[row, column]
        remedy = "Rescale the column." if np.isfinite(value) else "Fill or remove what is missing or infinite."
        names = column_names(values)
        name = repr(names[column]) if names else str(column)
        raise InvalidInput(f"{what}: row {row}, column {name} is {value}. {remedy}")
    return matrix


def _numbers(values: Any, *, what: str) -> FloatArray:
    if hasattr(values, "toarray"):
        raise InvalidInput(f"{what}: sparse matrices are not supported; pass X.toarray().")
    if hasattr(values, "dtypes") and hasattr(values, "columns"):
        for position, (name, dtype) in enumerate(zip(values.columns, values.dtypes, strict=True)):
            kind = getattr(dtype, "kind", "O")
            if kind not in "biuf":
                raise InvalidInput(f"{what}: column {str(name)!r} holds {dtype}, not numbers. Encode or drop it.")
            if kind in "iu" and len(values):
                column = values.iloc[:, position]
                demand_exact(column.min(), column.max(), what=f"{what}: column {str(name)!r}")
        return np.ascontiguousarray(values.to_numpy(dtype=np.float64, na_value=np.nan))
    try:
        array = np.ma.filled(values.astype(np.float64), np.nan) if np.ma.isMaskedArray(values) else np.asarray(values)
    except ValueError:
        raise InvalidInput(f"{what}: rows differ in length; every row needs the same features.") from None
    if array.dtype.kind == "O":
        for value in array.flat:
            if isinstance(value, int | np.integer):
                demand_exact(value, value, what=what)
            elif value is not None and not isinstance(value, Real):
                raise InvalidInput(f"{what}: {value!r} is not a number. Encode or drop what is not numeric.")
    elif array.dtype.kind not in "biuf":
        raise InvalidInput(f"{what}: holds {array.dtype}, not numbers. Encode or drop what is not numeric.")
    elif array.dtype.kind in "iu" and array.size:
        demand_exact(array.min(), array.max(), what=what)
    return np.ascontiguousarray(array, dtype=np.float64) if array.ndim else array.astype(np.float64)


def demand_exact(lowest: Any, highest: Any, *, what: str) -> None:
    """Whole numbers that float64 holds exactly; an all-missing column has no extremes and passes."""
    for value in (lowest, highest):
        if isinstance(value, int | np.integer) and abs(int(value)) > EXACT_INTEGER:
            shown = str(value) if abs(int(value)) < 10**30 else f"a number of {int(value).bit_length()} bits"
            raise InvalidInput(
                f"{what}: holds the whole number {shown}, beyond ±2^53, where float64 no longer tells neighbours "
                "apart. Subtract an offset, or drop the column if it is an identifier."
            )


def column_names(values: object) -> tuple[str, ...] | None:
    """The column names of a data frame; nothing else has any."""
    columns = getattr(values, "columns", None)
    return None if columns is None else tuple(str(name) for name in columns)


def as_labels(values: Any, *, what: str, ndim: int = 1) -> LabelArray:
    """Class labels as whole numbers, booleans or texts, never mixed; whole floats become integers.

    >>> as_labels([1.0, 2.0], what="y")
    array([1, 2])
    >>> as_labels(["1", 2], what="y")
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: y: mixes texts and numbers ('1' and 2). Convert all labels to one type.
    """
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    try:
        array = np.asarray(values)
    except ValueError:
        raise InvalidInput(f"{what}: rows differ in length; give one label per neighbour.") from None
    if array.shape == (0,) and ndim == 2:
        array = array.reshape(0, 0)  # no query at all
    if array.ndim != ndim:
        remedy = " Pass y.ravel() for a single column." if ndim == 1 else ""
        raise InvalidInput(f"{what}: must have {ndim} dimension(s), got shape {array.shape}.{remedy}")
    if array.dtype.kind in "OT" or (array.dtype.kind == "U" and not isinstance(values, np.ndarray)):
        array = _of_one_type(np.array(values, dtype=object), what=what)
    if array.dtype.kind == "f":
        return _whole(array, what=what)
    if array.dtype.kind not in "biuU":
        raise InvalidInput(f"{what}: labels must be whole numbers or texts, got {array.dtype}.")
    return array


def _of_one_type(array: LabelArray, *, what: str) -> LabelArray:
    entries = array.ravel().tolist()
    for entry in entries:
        # types first: what pandas calls NA cannot even be asked whether it equals itself
        if not isinstance(entry, str | bool | Real) or entry != entry:
            raise InvalidInput(f"{what}: {entry!r} is not a label. Remove rows without a label.")
    texts = [entry for entry in entries if isinstance(entry, str)]
    if texts and len(texts) < len(entries):
        number = next(entry for entry in entries if not isinstance(entry, str))
        raise InvalidInput(f"{what}: mixes texts and numbers ({texts[0]!r} and {number!r}). {_ONE_TYPE}")
    return np.array(entries).reshape(array.shape)


def _whole(array: LabelArray, *, what: str) -> LabelArray:
    odd = ~(np.isfinite(array) & (np.abs(array) < 2**53))
    odd |= np.where(odd, 0.0, array) % 1 != 0
    if odd.any():
        raise InvalidInput(
            f"{what}: {array[odd].flat[0]} is not a class label. Labels are whole numbers or texts; "
            "cases explain classes, not quantities."
        )
    return array.astype(np.int64)


def as_label(value: object, *, what: str) -> Label:
    """One class label as a plain Python value."""
    label: Label = as_labels([value], what=what)[0].item()
    return label


_ONE_TYPE = "Convert all labels to one type."


def as_cases(train_X: object, train_y: object) -> tuple[FloatArray, LabelArray]:
    """Training cases and their labels, at least one."""
    cases, labels = as_matrix(train_X, what="train_X"), as_labels(train_y, what="train_y")
    if not len(cases) or len(cases) != len(labels):
        raise InvalidInput(f"train_X has {len(cases)} rows for {len(labels)} labels; give one label per case.")
    return cases, labels


def demand_same_kind(labels: LabelArray, other: LabelArray, *, what: str, model: object = None) -> None:
    """Texts are never compared with numbers: "1" and 1 would silently be two classes.

    A model from a file says itself (``naming``) how the labels behind its classes are named.
    """
    if labels.size and other.size and (labels.dtype.kind == "U") != (other.dtype.kind == "U"):
        first, second = labels.flat[0].item(), other.flat[0].item()
        naming = getattr(model, "naming", None)
        remedy = _ONE_TYPE if naming is None else f"Name the labels of its classes, in its own order: {naming}."
        raise InvalidInput(f"{what}: {first!r} is compared with {second!r}, text with number. {remedy}")


def as_k(k: object, *, available: int) -> int:
    """A number of neighbours that the case base can give; ``"all"`` is the explicit way to ask for every case.

    >>> as_k("all", available=3)
    3
    >>> as_k(5, available=3)
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: k=5 neighbours were asked of a case base of 3. Lower k, or say k="all".
    """
    if isinstance(k, str) and k == "all":
        return available
    number = demand_k(k)
    if number > available:
        raise InvalidInput(f'k={number} neighbours were asked of a case base of {available}. Lower k, or say k="all".')
    return number


def demand_k(k: object) -> int:
    """A whole number of at least 1."""
    try:
        number = operator.index(k) if not isinstance(k, bool | np.bool_) else 0  # type: ignore[arg-type]
    except TypeError:
        number = 0
    if number < 1:
        raise InvalidInput(f'k must be a whole number of at least 1, or "all", got {k!r}.')
    return number


def listed(values: Iterable[object], *, most: int = 10) -> str:
    """The first few of many, for messages.

    >>> listed(range(12))
    '0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more'
    """
    entries: Sequence[object] = list(values)
    text = ", ".join(repr(entry) for entry in entries[:most])
    return text if len(entries) <= most else f"{text} and {len(entries) - most} more"


def as_probability_rows(values: object, shape: tuple[int, int], *, what: str, order: str = "") -> FloatArray:
    """Probabilities, a row per query and a column per class; each row sums to 1.

    >>> as_probability_rows([[0.5, 0.4]], (1, 2), what="probabilities")
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: probabilities: row 0 sums to 0.9, not to 1. Normalise it.
    """
    probabilities = as_matrix(values, what=what)
    if probabilities.shape != shape:
        raise InvalidInput(
            f"{what}: has shape {probabilities.shape}, needed are {shape[0]} rows by {shape[1]} classes{order}."
        )
    outside = (probabilities < 0) | (probabilities > 1)
    if outside.any():
        percent = bool((np.abs(probabilities.sum(axis=1) - 100) < 1).all() and (probabilities >= 0).all())
        remedy = " These are percentages: divide them by 100." if percent else ""
        raise InvalidInput(f"{what}: {probabilities[outside][0]} is not between 0 and 1.{remedy}")
    sums = probabilities.sum(axis=1)
    odd = np.abs(sums - 1) > SUM_TOLERANCE
    if odd.any():
        raise InvalidInput(f"{what}: row {int(np.argmax(odd))} sums to {sums[odd][0]:.6g}, not to 1. Normalise it.")
    return probabilities


def places_among(ordered: LabelArray, values: LabelArray) -> tuple[IntArray, BoolArray]:
    """Where values stand among sorted ones, and whether they do; the place of one that does not is some other's.

    >>> [entry.tolist() for entry in places_among(np.array([2, 5]), np.array([5, 9, 2]))]
    [[1, 1, 0], [True, False, True]]
    """
    places = np.searchsorted(ordered, values).clip(max=len(ordered) - 1)
    return places, ordered[places] == values
