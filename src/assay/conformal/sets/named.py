"""Tasks by name: dicts and data frames in the order of the tasks that are known, or a clear error."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from assay.conformal.sets.checks import to_numpy
from assay.core import InvalidInput

__all__ = ["Named", "by_name", "by_name_remedy", "in_order", "names_of", "says_label", "with_columns"]

_LABEL = re.compile(r"(?i:labels?|class|target|truth|true|y|y_?true)")


class Named(NamedTuple):
    """What was given per task, in the order of the tasks, and their names; no names where none were given."""

    values: Any
    names: tuple[str, ...]


def by_name(values: Any) -> Named:
    """Split a dict, or a data frame whose columns have names, into its columns and their names.

    >>> by_name({"kind": [0, 1], "size": [1, 1]})
    Named(values=[[0, 1], [1, 1]], names=('kind', 'size'))
    >>> by_name([[0, 1]])
    Named(values=[[0, 1]], names=())
    """
    if hasattr(values, "columns") and hasattr(values, "iloc"):
        if not all(isinstance(name, str) for name in values.columns):
            return Named(values, ())
        values = {name: values[name].to_numpy() for name in values.columns}
    if not isinstance(values, Mapping):
        return Named(values, ())
    return Named(list(values.values()), tuple(str(name) for name in values))


def with_columns(values: Any) -> Any:
    """A dict of tasks in which one number per sample, as a sigmoid gives it, is a column; anything else as it is.

    >>> with_columns({"spam": [0.5, 1.0]})["spam"].tolist()
    [[0.5], [1.0]]
    """
    if not isinstance(values, Mapping):
        return values
    return {
        name: np.reshape(to_numpy(own), (-1, 1)) if np.ndim(to_numpy(own)) == 1 else own for name, own in values.items()
    }


def says_label(name: str) -> bool:
    """Whether a name only says that it is a label, and no task's.

    >>> says_label("y_true"), says_label("kind")
    (True, False)
    """
    return bool(_LABEL.fullmatch(name))


def names_of(sets: Any) -> tuple[str, ...]:
    """The names of tasks that packed sets, a dict or a data frame have."""
    names = getattr(sets, "names", None)
    return names if isinstance(names, tuple) else by_name(sets).names


def in_order(values: Any, names: Sequence[str], *, what: str, like: str) -> Any:
    """Values per task in the order of ``names``; what has no names is taken by position only where nothing has any.

    >>> in_order({"size": [1], "kind": [0]}, ("kind", "size"), what="labels", like="the probabilities")
    [[0], [1]]
    >>> in_order({"size": [1], "sort": [0]}, ("kind", "size"), what="labels", like="the probabilities")
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: labels: hold the tasks 'size', 'sort'; the probabilities have 'kind', 'size'. Tasks
    are matched by name: rename them, as in {'kind': values['sort'], ...}.
    """
    named = by_name(values)
    alone = len(named.names) == 1 and len(names) < 2 and (not names or says_label(named.names[0]))
    if not named.names or alone:
        if len(names) > 1 and not _is_matrix(values):
            raise _one_side(what, like, named=like)
        return named.values
    if not names:
        raise _one_side(what, like, named=what)
    if set(named.names) != set(names) or len(named.names) != len(names):
        raise InvalidInput(
            f"{what}: hold the tasks {', '.join(map(repr, named.names))}; {like} have {', '.join(map(repr, names))}. "
            f"{by_name_remedy(named.names, names)}"
        )
    return [named.values[named.names.index(name)] for name in names]


def by_name_remedy(names: Collection[str], expected: Collection[str]) -> str:
    """What to do where the names of tasks differ, in a sentence."""
    extra = [name for name in names if name not in expected]
    lacking = [name for name in expected if name not in names]
    remedy = "give every task" if lacking else "leave out the others"
    if extra and lacking:
        remedy = f"rename them, as in {{{lacking[0]!r}: values[{extra[0]!r}], ...}}"
    return f"Tasks are matched by name: {remedy}."


def _is_matrix(values: Any) -> bool:
    """An (n, T) array has its tasks in columns, whose order its maker knows."""
    return not isinstance(values, list | tuple) and np.ndim(values) == 2


def _one_side(what: str, like: str, *, named: str) -> InvalidInput:
    return InvalidInput(
        f"{what}: {named} name their tasks, the other side does not, so what belongs together is a guess. Give both by "
        "name, as in {'kind': ..., 'size': ...}, or both as lists in the same order."
    )
