"""Suggestions for a name that does not exist: the nearest one, and all that exist.

Runs where the untrusted code ran that raised, and only there: it looks at the objects in the traceback.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from types import TracebackType
from typing import Any, Final

from assay.core.errors import nearest

__all__ = ["what_exists"]

_LONGEST: Final = 160  # characters of names
_MOST: Final = 1000  # names that are looked at
_CLOSE: Final = 0.5


def what_exists(error: BaseException, task: object = None) -> str:
    """A sentence about what exists, to stand behind the text of an error; empty where the error is of another kind.

    It knows attributes of a task, columns of a table and keys of a mapping.

    >>> from assay.core import Problem
    >>> try:
    ...     Problem(id="sum", digest="5f3a", task=[1, 2], truth=3).tsak
    ... except AttributeError as error:
    ...     print(what_exists(error))
     Did you mean 'task'? Problem has: id, digest, task, truth, tags, track.
    """
    try:
        if isinstance(error, AttributeError):
            return _attributes(error, task)
        if isinstance(error, KeyError) and error.args:
            return _keys(error, task)
        kind = type(task).__name__
        if isinstance(error, TypeError) and f"{kind!r} object is not subscriptable" in str(error):
            return f" Write task.NAME. {kind} has: {_listed(_fields(task))}."
    except Exception:  # noqa: BLE001 - objects of untrusted code may do anything when they are looked at
        return ""
    return ""


def _attributes(error: AttributeError, task: object) -> str:
    owner, name = error.obj, error.name
    if not isinstance(name, str) or owner is None:
        return ""
    kind = type(owner).__name__
    ours = type(owner) is type(task) or type(owner).__module__.startswith("assay.")
    if ours and dataclasses.is_dataclass(owner):
        return _sentence(name, _fields(owner), f"{kind} has")
    if (columns := _columns(owner)) is not None:
        return _sentence(name, columns, "Columns")
    return ""


def _keys(error: KeyError, task: object) -> str:
    key = error.args[0]
    name = key if isinstance(key, str) else ""
    for owner in _owners(error.__traceback__):
        columns = _columns(owner)
        if columns:
            return _sentence(name, columns, "Columns")
        if isinstance(owner, Mapping) and (names := _texts(owner)):
            return _sentence(name, names, "There are")
    if not dataclasses.is_dataclass(task):
        return ""
    for field in dataclasses.fields(task):  # a plain dictionary leaves no trace: only a likely name is suggested
        value = getattr(task, field.name)
        if isinstance(value, Mapping) and nearest(name, _texts(value), cutoff=_CLOSE):
            return _sentence(name, _texts(value), f"task.{field.name} has")
    return ""


def _owners(traceback: TracebackType | None) -> Iterator[Any]:
    """The objects whose methods were being called, the innermost first."""
    frames = []
    while traceback is not None:
        frames.append(traceback.tb_frame)
        traceback = traceback.tb_next
    for frame in reversed(frames):
        if "self" in frame.f_locals:
            yield frame.f_locals["self"]
        elif str(frame.f_globals.get("__name__")).partition(".")[0] != "pandas":
            return  # the code that asked for the key


def _columns(owner: Any) -> list[str] | None:
    """The columns of a table, or the labels of a row or an index; None for other objects."""
    kinds = {base.__name__ for base in type(owner).__mro__ if base.__module__.partition(".")[0] == "pandas"}
    kinds |= {"Series"} if getattr(owner, "__class__", None) is not type(owner) else set()  # a row that says it is one
    if "DataFrame" in kinds:
        return _texts(owner.columns)
    if "Series" in kinds:
        return _texts(owner.index)
    return _texts(owner) if "Index" in kinds else None


def _fields(owner: Any) -> list[str]:
    """Fields and properties of a dataclass."""
    properties = [name for name, value in vars(type(owner)).items() if isinstance(value, property)]
    return [name for name in [*(f.name for f in dataclasses.fields(owner)), *properties] if not name.startswith("_")]


def _texts(names: Iterable[object]) -> list[str]:
    return [name for name in islice(names, _MOST) if isinstance(name, str)]


def _sentence(name: str, names: list[str], title: str) -> str:
    if not names:
        return ""
    near = nearest(name, names, cutoff=_CLOSE)
    hint = f" Did you mean {near!r}?" if near else ""
    return f"{hint} {title}: {_listed(names)}."


def _listed(names: list[str]) -> str:
    text = ", ".join(names)
    if len(text) <= _LONGEST:
        return text
    shown = text[:_LONGEST].rpartition(", ")[0]
    return f"{shown}, ... ({len(names)} in all)"
