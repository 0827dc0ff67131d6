"""What a value is called in records and tables."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
from types import FunctionType, MethodType, ModuleType
from typing import Any, Final

from assay.core.calls import Call, Parameter

__all__ = ["name_of"]

_PLAIN_TEXT: Final = re.compile(r"[\w.@+-]{1,40}")
_TITLE: Final = re.compile(r"[\w.@+-]+(?:\([^()]*\))?")


def name_of(value: object) -> str:
    """The name of a Python value as a subject or metric.

    Parameters
    ----------
    value
        A function, lambda, class, instance, bound method, partial or module.

    Returns
    -------
    str
        The function's or class's own name; parameters of an instance that differ from their defaults and are plain
        numbers or words stand in brackets.

    Examples
    --------
    >>> def solve(task, budget): ...
    >>> name_of(solve), name_of(lambda task: None), name_of(functools.partial(solve, depth=3))
    ('solve', 'lambda', 'solve(depth=3)')
    >>> class Mine:
    ...     def __init__(self, k=1): self.k = k
    ...     def solve(self, task, budget): ...
    ...     def other(self, task): ...
    >>> name_of(Mine), name_of(Mine(k=3)), name_of(Mine().solve), name_of(Mine(2).other)
    ('Mine', 'Mine(k=3)', 'Mine', 'Mine.other(k=2)')

    """
    if isinstance(value, functools.partial):
        return str(Call(name_of(value.func).partition("(")[0], _plain(value.keywords)))
    if isinstance(value, MethodType) and not isinstance(value.__self__, type | ModuleType):
        owner, method = type(value.__self__).__name__, value.__name__
        title = owner if method in ("solve", "__call__") else f"{owner}.{method}"
        return str(Call(title, _parameters(value.__self__)))
    label = getattr(value, "name", None)
    if callable(getattr(value, "solve", None)) and isinstance(label, str) and _TITLE.fullmatch(label):
        return label  # it says itself what it is called
    own = getattr(value, "__name__", None)
    if isinstance(own, str) and not isinstance(value, ModuleType):
        return "lambda" if own == "<lambda>" else own
    if isinstance(value, ModuleType):
        return value.__name__.rpartition(".")[2]
    return str(Call(type(value).__name__, _parameters(value)))


def _parameters(value: Any) -> dict[str, Parameter]:
    """What an instance was made with, as far as it kept it under the names of its class's arguments."""
    cls = type(value)
    if dataclasses.is_dataclass(cls):
        defaults: dict[str, Any] = {entry.name: entry.default for entry in dataclasses.fields(value)}
    elif isinstance(cls.__init__, FunctionType):
        signature = inspect.signature(cls.__init__).parameters
        defaults = {name: parameter.default for name, parameter in list(signature.items())[1:]}
    else:
        return {}
    absent = object()
    values = {name: getattr(value, name, absent) for name in defaults}
    return _plain(
        {
            name: entry
            for name, entry in values.items()
            if entry is not absent
            and entry is not defaults[name]
            and not (type(entry) is type(defaults[name]) and _is_plain(entry) and entry == defaults[name])
        }
    )


def _plain(parameters: dict[str, Any]) -> dict[str, Parameter]:
    return {name: value for name, value in parameters.items() if _is_plain(value)}


def _is_plain(value: object) -> bool:
    if isinstance(value, str):
        return _PLAIN_TEXT.fullmatch(value) is not None
    return value is None or type(value) in (bool, int, float)
