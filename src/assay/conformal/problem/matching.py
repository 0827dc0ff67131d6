"""What belongs together by name: the tasks of two files, and the classes of their columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy.typing as npt

from assay.conformal.sets.named import says_label
from assay.core import InvalidInput

__all__ = ["in_class_order", "matched"]

_UNNAMED = re.compile(r"(?:arr_|column )\d+")  # what NumPy and a matrix call what has no name


def matched(
    columns: Mapping[str, Any], tasks: Sequence[str], path: object, pairs: Mapping[str, str] | None = None
) -> list[tuple[str, str]]:
    """Tasks with the columns that belong to them: by name or as told; by position only where nothing is named."""
    by_task = {(pairs or {}).get(name, name): name for name in columns}
    if set(by_task) == set(tasks) and len(by_task) == len(columns):
        return [(task, by_task[task]) for task in tasks]
    unnamed = any(all(map(_UNNAMED.fullmatch, names)) for names in (columns, tasks))
    alone = len(columns) == 1 and says_label(next(iter(columns)))
    if len(columns) == len(tasks) and (unnamed or alone):
        return list(zip(tasks, columns, strict=True))
    extra = [name for task, name in by_task.items() if task not in tasks]
    lacking = [task for task in tasks if task not in by_task]
    remedy = f"Say which belongs to which, as in --task {extra[0]}={lacking[0]}" if extra and lacking else ""
    if len(extra) > len(lacking):
        remedy = f"Leave out what is not a task, as in --ignore {extra[-1]}"
    raise InvalidInput(
        f"{path}: holds the tasks {', '.join(columns)}; expected are {', '.join(tasks)}. "
        f"{remedy or 'Give every task'}; names must agree."
    )


def in_class_order(
    matrix: npt.NDArray[Any], names: Sequence[str] | None, expected: Sequence[str] | int, *, where: str
) -> npt.NDArray[Any]:
    """The columns of a matrix in the order of the expected classes; by position where one side has only a number.

    >>> import numpy as np
    >>> in_class_order(np.array([[0.1, 0.9]]), ("no", "yes"), ("yes", "no"), where="new.csv").tolist()
    [[0.9, 0.1]]
    """
    if names is None or isinstance(expected, int):
        count = expected if isinstance(expected, int) else len(expected)
        if matrix.shape[1] != count:
            raise InvalidInput(f"{where}: has {matrix.shape[1]} classes where {count} are expected.")
        return matrix
    expected, names = _both_named(expected, names), _both_named(names, expected)
    if sorted(expected) != sorted(names):
        raise _other_classes(names, expected, where)
    return matrix[:, [names.index(name) for name in expected]]


def _both_named(names: Sequence[str], like: Sequence[str]) -> Sequence[str]:
    """The classes of a single column by their names in another file: "not yes" is its other class."""
    others = [name for name in like if name != names[-1]]
    return (others[0], names[1]) if names[0] == f"not {names[-1]}" and len(like) == 2 and len(others) == 1 else names


def _other_classes(names: Sequence[str], expected: Sequence[str], where: str) -> InvalidInput:
    unknown = [name for name in names if name not in expected]
    missing = [name for name in expected if name not in names]
    faults = [f"has the unknown {'class' if len(unknown) == 1 else 'classes'} {', '.join(unknown)}"] if unknown else []
    faults += [f"lacks the {'class' if len(missing) == 1 else 'classes'} {', '.join(missing)}"] if missing else []
    return InvalidInput(f"{where}: {' and '.join(faults)}; expected are {', '.join(expected)}, in any order.")
