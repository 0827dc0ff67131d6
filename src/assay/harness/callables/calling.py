"""How a solving function is called: with the task, and with the budget where it takes one."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Collection
from typing import Any, Literal, TypeAlias

from assay.core import AnyTrack, InvalidInput

__all__ = ["Calling", "adapted", "calling_of", "demand_subject"]

Calling: TypeAlias = Literal["task", "task, budget", "task, budget="]

_REQUIRED_FORM = "A subject is called as solve(task, budget) or solve(task)"


def calling_of(function: Callable[..., Any], *, preset: Collection[str] = (), name: str) -> Calling:
    """How to call a solving function whose parameters ``preset`` are set already.

    A first and a second argument without default are the task and the budget, whatever their names; an argument with a
    default gets the budget only if it is called ``budget``.

    >>> calling_of(lambda task: None, name="a"), calling_of(lambda rows, limits: None, name="b")
    ('task', 'task, budget')
    >>> calling_of(lambda task, depth=3: None, name="c"), calling_of(lambda task, *, budget: None, name="d")
    ('task', 'task, budget=')
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        raise InvalidInput(
            f"subject {name!r}: its arguments cannot be read. {_REQUIRED_FORM}: wrap it in a def."
        ) from None
    parameters = [parameter for parameter in signature.parameters.values() if parameter.name not in preset]
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = [p for p in positional if p.default is p.empty]
    by_name = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
    missing = [p.name for p in by_name if p.default is p.empty and p.name != "budget"]
    missing += [p.name for p in needed[2:]]
    if missing:
        raise InvalidInput(
            f"subject {name!r}: it needs {', '.join(missing)} too. {_REQUIRED_FORM}: give the others defaults, "
            f"or set them with functools.partial."
        )
    anything = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    if not positional and not anything:
        raise InvalidInput(f"subject {name!r}: it takes no task. {_REQUIRED_FORM}.")
    if any(p.name == "budget" for p in by_name):
        return "task, budget="
    if len(needed) == 2 or (len(positional) < 2 and anything):
        return "task, budget"
    return "task, budget" if len(positional) > 1 and positional[1].name == "budget" else "task"


def adapted(value: Any, track: AnyTrack) -> Any:
    """An object without ``solve`` as a subject of the track, where the track knows how; else the value itself."""
    if callable(getattr(value, "solve", None)) or not (hasattr(value, "fit") or not callable(value)):
        return value
    if track.adapt is None:
        return value
    module, _, function = track.adapt.partition(":")
    return getattr(importlib.import_module(module), function)(value)


def demand_subject(value: Any, track: AnyTrack, *, name: str) -> None:
    """Refuse a Python value that cannot be a subject, before anything is run.

    Parameters
    ----------
    value
        What was given as a subject.
    track
        The track to run.
    name
        What the subject is called.

    Raises
    ------
    InvalidInput
        In one line, with the remedy.

    """
    if inspect.isclass(value):
        if needed := _needed(value):
            raise InvalidInput(
                f"subject {name!r}: the class needs {', '.join(needed)}. Give an instance: {value.__name__}(...)."
            )
        solve = getattr(value, "solve", None)
        if callable(solve):
            first = inspect.getattr_static(value, "solve")
            preset = (
                () if isinstance(first, staticmethod | classmethod) else list(inspect.signature(solve).parameters)[:1]
            )
            calling_of(solve, preset=preset, name=name)
            _demand_plain(solve, name)
        return
    value = adapted(value, track)
    solve = getattr(value, "solve", None)
    function = solve if callable(solve) else value
    if not callable(function):
        raise InvalidInput(
            f"subject {name!r}: {type(value).__name__} has no method solve(task, budget) and is not a function. "
            f"Write one: def solve(task, budget): return ..."
        )
    _demand_plain(function, name)
    calling_of(function, name=name)


def _needed(cls: type) -> list[str]:
    try:
        parameters = inspect.signature(cls).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


def _demand_plain(function: Any, name: str) -> None:
    inner = getattr(function, "func", function)
    if inspect.iscoroutinefunction(inner) or inspect.isasyncgenfunction(inner):
        raise InvalidInput(
            f"subject {name!r}: it is async. Call it in a plain one: def solve(task, budget): return asyncio.run(...)."
        )
    if inspect.isgeneratorfunction(inner):
        raise InvalidInput(f"subject {name!r}: it yields. Return the answer instead.")
