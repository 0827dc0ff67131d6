"""What comes from outside, checked: levels, labels, probabilities, weights, and arrays of other libraries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.core import InvalidInput
from assay.core.arrays import BoolArray, FloatArray, IntArray
from assay.core.checks import demand_one_kind

__all__ = [
    "MISSING",
    "TOLERANCE",
    "BoolArray",
    "FloatArray",
    "IntArray",
    "as_alpha",
    "as_class_counts",
    "as_column",
    "as_groups",
    "as_labels",
    "as_probabilities",
    "as_weights",
    "both_classes",
    "demand_distribution",
    "demand_range",
    "is_gap",
    "is_one_class",
    "not_a_distribution",
    "softmax",
    "to_numpy",
    "where_known",
    "without_gaps",
    "without_half",
]


MISSING = -1  # a label that is not known: it leaves the counts of its task
TOLERANCE = 1e-4  # how far a row of probabilities may sum from 1: single precision and rounded tables pass
_ROUNDED = 0.03  # how far rows sum from 1 that were rounded to two digits, and are no independent outputs
_HALF = 2e-3  # how far rows of half precision sum from 1 by rounding
_BRAIN = 8e-3  # and those of bfloat16, which has three bits less
_PERCENT_TOLERANCE = 1.0  # how far percentages may sum from 100: rounded to whole ones
_SIMPLE = 1_000_000  # the largest denominator of a level that a person would write


def to_numpy(values: Any) -> npt.NDArray[Any]:
    """An array of any library as NumPy's, without copying where possible; tensors are detached first."""
    for step in ("detach", "cpu"):  # a tensor with a gradient, or on another device, refuses to become an array
        if hasattr(values, step):
            values = getattr(values, step)()
    if _is_brain(values):  # which NumPy does not have
        values = values.float() if hasattr(values, "float") else values.astype("float32")
    if hasattr(values, "__dlpack__") and not hasattr(values, "__array__"):
        return np.from_dlpack(values)
    return np.asarray(values)


def _is_brain(values: Any) -> bool:
    return "bfloat16" in str(getattr(values, "dtype", ""))


def as_alpha(alpha: object) -> Fraction:
    """A level strictly between 0 and 1 as the simplest fraction that the number stands for.

    >>> as_alpha(0.1), as_alpha(1 / 3)
    (Fraction(1, 10), Fraction(1, 3))
    >>> as_alpha(1.0)
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: alpha must lie strictly between 0 and 1 (0.1 for 90 % coverage), got 1.0.
    """
    number = isinstance(alpha, int | float | Fraction | np.integer | np.floating) and not isinstance(alpha, bool)
    if isinstance(alpha, list | tuple | np.ndarray):
        raise InvalidInput(
            f"alpha: is one level, got {alpha!r}. Call once per level, or use "
            "assay.conformal.regions.calibrate_regions, which takes several."
        )
    if not number or not 0 < alpha < 1:  # type: ignore[operator]
        raise InvalidInput(f"alpha must lie strictly between 0 and 1 (0.1 for 90 % coverage), got {alpha!r}.")
    if isinstance(alpha, Fraction):
        return alpha
    value = float(str(alpha)) if isinstance(alpha, np.floating) else float(alpha)  # type: ignore[arg-type]
    simple = Fraction(value).limit_denominator(_SIMPLE)
    return simple if float(simple) == value else Fraction(str(value))


def as_class_counts(classes: Sequence[int]) -> tuple[int, ...]:
    """At least one task, and at least one class in each."""
    counts = tuple(classes)
    if not counts:
        raise InvalidInput("classes: there is no task; give the number of classes of each.")
    for task, count in enumerate(counts):
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
            raise InvalidInput(f"classes: task {task} must have a whole number of at least 1 class, got {count!r}.")
    return tuple(int(count) for count in counts)


def as_labels(
    labels: Any, classes: Sequence[int] | None = None, *, samples: int | None = None, what: str = "labels"
) -> tuple[IntArray, ...]:
    """One array of class numbers per task, from a list with one array per task or an (n, T) matrix; -1 is missing.

    >>> [task.tolist() for task in as_labels(np.array([[0, 1], [2, -1]]), (3, 2))]
    [[0, 2], [1, -1]]
    >>> as_labels([[0, 3]], (3,))
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: labels, task 0: 3 at sample 1 is outside the 3 classes 0 to 2 (-1 is missing).
    """
    tasks = _columns(labels, what)
    if classes is not None and len(tasks) != len(classes):
        transposed = " An (n, T) matrix has a row per sample: transpose it." if hasattr(labels, "shape") else ""
        raise InvalidInput(f"{what}: {len(tasks)} tasks were given where {len(classes)} are expected.{transposed}")
    columns = []
    for task, values in enumerate(tasks):
        column = _whole(values, f"{what}, task {task}")
        if samples is None:
            samples = len(column)
        if len(column) != samples:
            raise InvalidInput(f"{what}, task {task}: {len(column)} labels were given for {samples} samples.")
        if classes is not None:
            demand_range(column, int(classes[task]), what=f"{what}, task {task}")
        columns.append(column)
    return tuple(columns)


def demand_range(column: IntArray, classes: int, *, what: str) -> None:
    """Class numbers, or -1."""
    if len(column) and (column.min() < MISSING or column.max() >= classes):
        where = int(np.argmax((column < MISSING) | (column >= classes)))
        from_one = column.max() == classes and column[column != MISSING].min() == 1
        raise InvalidInput(
            f"{what}: {column[where]} at sample {where} is outside the {classes} classes 0 to {classes - 1} "
            f"({MISSING} is missing)."
            + (" These labels seem to count from 1: subtract 1 from each." if from_one else "")
        )


def _columns(labels: Any, what: str) -> list[Any]:
    if isinstance(labels, list | tuple):
        if labels and all(np.ndim(to_numpy(entry)) == 0 for entry in labels):
            return [labels]
        return list(labels)
    if isinstance(labels, Mapping):
        raise InvalidInput(f"{what}: tasks by name are not taken here; give a list in the order of the tasks.")
    array = to_numpy(labels)
    if array.ndim == 1:
        return [array]
    if array.ndim != 2:
        raise InvalidInput(f"{what}: give one array per task or an (n, T) matrix, got shape {array.shape}.")
    return [np.ascontiguousarray(array[:, task]) for task in range(array.shape[1])]


def _whole(values: Any, what: str) -> IntArray:
    array = without_gaps(values, MISSING)
    if array.size == 0 and array.ndim == 1:
        return np.empty(0, dtype=np.int64)
    if array.ndim != 1:
        raise InvalidInput(f"{what}: must be one row of class numbers, got shape {array.shape}.")
    if array.dtype.kind == "f" and np.isfinite(array).all() and (array == np.rint(array)).all():
        array = array.astype(np.int64)  # whole numbers that a table reader made floats
    if array.dtype.kind == "f":
        where = int(np.argmax(array != np.rint(array)))
        raise InvalidInput(
            f"{what}: must hold class numbers from 0 on ({MISSING} is missing), got {array[where]:g} at sample "
            f"{where}. Of a task that predicts numbers make intervals: assay.conformal.regions.Values(predicted)."
        )
    if array.dtype.kind not in "iub":
        raise InvalidInput(
            f"{what}: must hold class numbers from 0 on ({MISSING} is missing), got {array.dtype}. Number the classes."
        )
    return np.ascontiguousarray(array, dtype=np.int64)


def where_known(labels: Iterable[IntArray], numbers: Iterable[FloatArray]) -> BoolArray:
    """Where the truth is known, [task, sample]: of the tasks of classes, then of those of numbers.

    >>> where_known([np.array([0, -1])], [np.array([np.nan, 1.5])]).tolist()
    [[True, False], [False, True]]
    """
    return np.stack([*(column != MISSING for column in labels), *(~np.isnan(column) for column in numbers)])


def without_gaps(values: Any, missing: float) -> npt.NDArray[Any]:
    """An array with ``missing`` where it has None, nan, pandas.NA or a mask; other values stay as they are.

    >>> without_gaps([1, None, 0], -1).tolist()
    [1, -1, 0]
    """
    array = to_numpy(values)
    if np.ma.isMaskedArray(values):
        return np.where(np.ma.getmaskarray(values), missing, array)
    if array.dtype.kind == "f" and missing == missing:
        return np.where(np.isnan(array), missing, array)
    if array.dtype.kind != "O" or array.ndim != 1:
        return array
    return np.asarray([missing if is_gap(value) else value for value in array.tolist()])


def is_gap(value: Any) -> bool:
    """Whether a value says that there is none: None, nan or pandas.NA."""
    return value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and value != value)


def as_probabilities(
    probabilities: Any,
    *,
    classes: Sequence[int] | None = None,
    logits: bool = False,
    what: str = "probabilities",
    check: bool = True,
) -> tuple[npt.NDArray[np.floating[Any]], ...]:
    """One (n, C) matrix per task whose rows sum to 1; single precision stays single.

    A single column of shares, as a sigmoid gives it, is the probability of class 1. ``logits=True`` turns logits into
    probabilities; it is never done unasked. ``check=False`` leaves the values to a kernel that looks at them anyway.

    >>> as_probabilities([[[0.25], [1.0]]])[0].tolist()
    [[0.75, 0.25], [0.0, 1.0]]
    """
    matrices = list(probabilities) if isinstance(probabilities, list | tuple) else [as_column(probabilities)]
    if matrices and all(np.ndim(to_numpy(matrix)) == 1 for matrix in matrices):
        matrices = [_rows(matrices, what, logits=logits)]
    if not matrices:
        raise InvalidInput(f"{what}: there is no task; give one (n, C) matrix per task.")
    arrays = []
    for task, values in enumerate(matrices):
        label = f"{what}, task {task}"
        array = to_numpy(values)
        if array.ndim != 2 or array.dtype.kind not in "fiub":
            raise InvalidInput(
                f"{label}: must be an (n, C) matrix of numbers, got {array.dtype} of shape {array.shape}."
            )
        if not logits:
            array = without_half(array, brain=_is_brain(values))
        if array.dtype not in (np.float32, np.float64):
            array = array.astype(np.float64)
        if array.shape[1] < 1:
            raise InvalidInput(f"{label}: has no class; give at least one column.")
        two = classes is not None and task < len(classes) and classes[task] == 2
        if logits:
            array = softmax(np.hstack([0 * array, array]) if array.shape[1] == 1 else array, what=label)
        elif array.shape[1] == 1 and (two or not is_one_class(array)):
            array = both_classes(array, label)
        elif check:
            demand_distribution(array, label)
        arrays.append(np.ascontiguousarray(array))
    _demand_alike(arrays, classes, what)
    return tuple(arrays)


def as_column(values: Any) -> Any:
    """An array of one number per sample, as a sigmoid gives it, as a column; anything else as it is."""
    return values if isinstance(values, list | tuple) or np.ndim(to_numpy(values)) != 1 else to_numpy(values)[:, None]


def _rows(entries: list[Any], what: str, *, logits: bool) -> npt.NDArray[Any]:
    """Rows of one task; sigmoid outputs of several tasks look alike, and are told how to be given."""
    arrays = [to_numpy(entry) for entry in entries]
    alike = len({len(array) for array in arrays}) == 1
    numbers = alike and all(array.dtype.kind in "fiub" for array in arrays)
    shares = numbers and all(((array >= 0) & (array <= 1)).all() for array in arrays)
    sums = [float(array.sum()) for array in arrays] if shares and not logits else []
    if any(abs(total - 1) > _ROUNDED for total in sums):
        raise InvalidInput(
            f"{what}: row 0 sums to {sums[0]:.6g}; rows of one task sum to 1 each. Where each entry is the sigmoid "
            "output of a task, give it as a column: values[:, None], or np.reshape(values, (-1, 1))."
        )
    if not alike:
        raise InvalidInput(f"{what}: rows of one task must have as many classes each; give one (n, C) matrix per task.")
    return np.asarray(arrays)


def without_half(array: npt.NDArray[Any], *, brain: bool = False) -> npt.NDArray[Any]:
    """Double precision for half; rows that miss a sum of 1 by no more than their rounding are brought to it.

    ``brain`` says that the values were bfloat16.
    """
    if array.dtype != np.float16 and not brain:
        return array
    array = array.astype(np.float64)
    if array.shape[1] < 2:
        return array
    sums = array.sum(axis=1, keepdims=True)
    whole: npt.NDArray[Any] = array / np.where(np.abs(sums - 1) <= (_BRAIN if brain else _HALF), sums, 1)
    return whole


def is_one_class(array: npt.NDArray[Any]) -> bool:
    """Whether a single column is that of a task with one class, which is always sure."""
    return bool((np.abs(array - 1) <= TOLERANCE).all())


def both_classes(array: npt.NDArray[Any], what: str, *, logits: str = "pass logits=True") -> npt.NDArray[Any]:
    """A single column p, the probability of class 1, as the two columns 1 - p and p."""
    bad = ~((array >= 0) & (array <= 1)).all(axis=1)
    if bad.any():
        raise not_a_distribution(array, int(np.argmax(bad)), what, logits=logits)
    return np.hstack([1 - array, array])


def _demand_alike(matrices: list[npt.NDArray[Any]], classes: Sequence[int] | None, what: str) -> None:
    for task, array in enumerate(matrices):
        if len(array) != len(matrices[0]):
            raise InvalidInput(f"{what}, task {task}: has {len(array)} samples, task 0 has {len(matrices[0])}.")
    counts = tuple(array.shape[1] for array in matrices)
    if classes is not None and counts != tuple(classes):
        raise InvalidInput(f"{what}: the tasks have {counts} classes where {tuple(classes)} are expected.")


def demand_distribution(array: npt.NDArray[Any], what: str, *, logits: str = "pass logits=True") -> None:
    """Refuse rows that are no distribution over classes; ``logits`` says how a user asks for softmax."""
    if not len(array):
        return
    sums = array.sum(axis=1, dtype=np.float64)
    bad = ~(np.abs(sums - 1) <= TOLERANCE) | (array.min(axis=1) < 0)
    if bad.any():
        raise not_a_distribution(array, int(np.argmax(bad)), what, logits=logits)


def not_a_distribution(
    array: npt.NDArray[Any], row: int, what: str, *, logits: str = "pass logits=True"
) -> InvalidInput:
    """The error for a row that is no distribution over classes.

    >>> not_a_distribution(np.array([[61.5, 38.5]]), 0, "probabilities, task 0")
    InvalidInput('probabilities, task 0: row 0 sums to 100: these are percentages. Divide them by 100.')
    """
    values = array[row].astype(np.float64)
    if np.isnan(values).any():
        return InvalidInput(f"{what}: row {row} holds nan; every probability must be a number.")
    one_column = len(values) == 1
    if (values < 0).any() or (values > 1 + TOLERANCE).any():
        if (values >= 0).all() and (abs(values.sum() - 100) <= _PERCENT_TOLERANCE or (one_column and array.max() > 25)):
            content = f"holds {values[0]:g}" if one_column else f"sums to {values.sum():.6g}"
            return InvalidInput(f"{what}: row {row} {content}: these are percentages. Divide them by 100.")
        shown = float(values[np.argmax(np.maximum(-values, values - 1))])
        numbers = "; predicted numbers get intervals, by assay.conformal.regions.Values in Python" if one_column else ""
        return InvalidInput(
            f"{what}: row {row} holds {shown:g}, which is not a probability. These look like logits: {logits}{numbers}."
        )
    if float(np.abs(array.sum(axis=1, dtype=np.float64) - 1).max()) <= _ROUNDED:
        return InvalidInput(
            f"{what}: row {row} sums to {values.sum():.6g}, not to 1, as rounded probabilities do. Divide each row by "
            "its sum."
        )
    return InvalidInput(
        f"{what}: row {row} sums to {values.sum():.6g}, not to 1. Outputs that say yes or no to each class on its own "
        "(sigmoid) are a task each: give every column as a task, or all of them as one assay.conformal.regions.Labels. "
        "Of exclusive classes give every class."
    )


def softmax(logits: Any, *, what: str = "logits") -> npt.NDArray[np.floating[Any]]:
    """Logits as probabilities, row by row, without overflow.

    >>> softmax([[0.0, 0.0], [1000.0, -1000.0]]).tolist()
    [[0.5, 0.5], [1.0, 0.0]]
    """
    array = to_numpy(logits)
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float64)
    if not np.isfinite(array).all():
        raise InvalidInput(f"{what}: every logit must be a finite number.")
    shifted = np.exp(array - array.max(axis=1, keepdims=True, initial=-np.inf))
    shares: npt.NDArray[np.floating[Any]] = shifted / shifted.sum(axis=1, keepdims=True)
    return shares


def as_groups(groups: Any, samples: int) -> npt.NDArray[Any]:
    """One group per sample, of any kind."""
    array = to_numpy(groups)
    if array.shape != (samples,):
        raise InvalidInput(f"groups: give one for each of the {samples} samples, got shape {array.shape}.")
    gaps = [sample for sample, group in enumerate(array.tolist()) if is_gap(group)] if array.dtype.kind in "fO" else []
    if gaps:
        raise InvalidInput(f"groups: sample {gaps[0]} has none; name a group for every sample, such as 'unknown'.")
    demand_one_kind(groups, "groups")
    return array


def as_weights(weights: Any, tasks: int) -> FloatArray:
    """One finite weight of at least 0 per task, not all of them 0."""
    array = to_numpy(weights)
    if array.shape != (tasks,) or array.dtype.kind not in "fiu":
        raise InvalidInput(f"weights: give one number for each of the {tasks} tasks, got {array.dtype} {array.shape}.")
    array = array.astype(np.float64)
    if not np.isfinite(array).all() or (array < 0).any():
        raise InvalidInput(f"weights: must be finite and not negative, got {array.tolist()}.")
    if not array.any():
        raise InvalidInput("weights: are all zero; at least one task must count.")
    with np.errstate(over="ignore"):
        return array if np.isfinite(array.sum()) else array / array.max()
