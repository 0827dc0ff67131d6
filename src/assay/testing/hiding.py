"""Search a task for its truth: nothing that only examination may see must reach a subject."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass

import numpy as np

__all__ = ["find_truth_in_task"]

SHORTEST_ARRAY = 4  # shorter ones coincide by chance
SHORTEST_TEXT = 8


def find_truth_in_task(task: object, truth: object) -> str | None:
    """Where a part of the truth stands in the task, or None.

    Parameters
    ----------
    task, truth : object
        Anything made of dataclasses, mappings, sequences, arrays and texts.

    Returns
    -------
    str or None
        A sentence that names both places.

    Examples
    --------
    >>> find_truth_in_task({"x": [1, 2, 3, 4, 5]}, {"y": [2, 3, 4, 5]})
    "truth 'y' stands in task 'x'"
    >>> find_truth_in_task({"x": [1, 2, 3, 4, 5]}, {"y": [0, 1, 1, 0, 1]}) is None
    True
    """
    visible = list(_leaves(task, ""))
    for secret_path, secret in _leaves(truth, ""):
        if not _telling(secret):
            continue
        for path, leaf in visible:
            if _contains(leaf, secret):
                return f"truth {secret_path!r} stands in task {path!r}"
    return None


def _leaves(value: object, path: str) -> Iterator[tuple[str, str | np.ndarray]]:
    if isinstance(value, str):
        yield path, value
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _leaves(getattr(value, field.name), _join(path, field.name))
    elif isinstance(value, Mapping):
        for name, entry in value.items():
            yield from _leaves(entry, _join(path, str(name)))
    elif hasattr(value, "columns") and hasattr(value, "__getitem__"):  # a data frame, pandas or not
        for name in value.columns:
            yield from _leaves(np.asarray(value[name]), _join(path, str(name)))
    elif isinstance(value, np.ndarray) or hasattr(value, "__array__"):
        yield from _array_leaves(np.asarray(value), path)
    elif isinstance(value, list | tuple | set | frozenset):
        entries = sorted(value, key=repr) if isinstance(value, set | frozenset) else list(value)
        if entries and all(isinstance(entry, bool | int | float | str) for entry in entries):
            yield path, np.asarray(entries)
        for position, entry in enumerate(entries):
            if not isinstance(entry, bool | int | float):
                yield from _leaves(entry, f"{path}[{position}]")


def _array_leaves(array: np.ndarray, path: str) -> Iterator[tuple[str, np.ndarray]]:
    yield path, array.ravel()
    if array.ndim == 2:
        for column in range(array.shape[1]):
            yield f"{path}[:, {column}]", array[:, column]


def _telling(secret: str | np.ndarray) -> bool:
    if isinstance(secret, str):
        return len(secret) >= SHORTEST_TEXT
    return len(secret) >= SHORTEST_ARRAY and len({repr(entry) for entry in secret.tolist()}) > 1


def _contains(leaf: str | np.ndarray, secret: str | np.ndarray) -> bool:
    if isinstance(leaf, str) or isinstance(secret, str):
        return isinstance(leaf, str) and isinstance(secret, str) and secret in leaf
    if len(leaf) < len(secret):
        return False
    whole, part = _comparable(leaf), _comparable(secret)
    if whole.dtype.kind != part.dtype.kind or whole.itemsize < part.itemsize:
        return False
    part = part.astype(whole.dtype)
    haystack, needle = whole.tobytes(), part.tobytes()
    start = haystack.find(needle)
    while start >= 0 and start % whole.itemsize:  # a match across the borders of entries is none
        start = haystack.find(needle, start + 1)
    return start >= 0


def _comparable(array: np.ndarray) -> np.ndarray:
    """Numbers as float64, all else as texts, so that a change of type hides nothing."""
    if array.dtype.kind in "biuf":
        return np.ascontiguousarray(array, dtype=np.float64)
    return np.asarray([str(entry) for entry in array], dtype=np.str_)


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
