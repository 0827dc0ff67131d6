"""A value in a few words: what it is, how large, and how it begins. Works for values of untrusted code."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from typing import Any, Final

from assay.core.display import counted, shortened

__all__ = ["excerpt"]

_FIRST: Final = 4  # entries that are shown
_LONGEST: Final = 80


def excerpt(value: object, longest: int = _LONGEST) -> str:
    """One line of at most so many characters about a value.

    >>> excerpt(None), excerpt("x0 + 1"), excerpt({"a": 1}), excerpt([0.5, 1.0])
    ('None', "'x0 + 1'", "dict of 1 entry: {'a': 1}", 'list of 2 entries: [0.5, 1.0]')
    >>> import numpy as np
    >>> excerpt(np.zeros((3, 2)))
    'float64 array [3, 2]: 0.0, 0.0, 0.0, 0.0, …'
    """
    try:
        return shortened(_words(value), longest)
    except Exception:  # noqa: BLE001 - a value of untrusted code may raise when it is looked at
        return shortened(type(value).__name__, longest)


def _words(value: Any) -> str:
    kind = type(value).__name__
    if value is None or isinstance(value, bool | int | float):
        return _Brief().repr(value)
    if isinstance(value, str):
        return repr(value[:1000])
    if isinstance(value, bytes):
        return counted(len(value), "byte")
    if hasattr(value, "columns") and hasattr(value, "shape"):
        names = ", ".join(map(str, list(value.columns)[: 4 * _FIRST]))
        return f"{kind} of {counted(len(value), 'row')} and {counted(len(value.columns), 'column')}: {names}"
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return _array(value, kind)
    if isinstance(value, Mapping | list | tuple | set | frozenset) and not value:
        return f"empty {kind}"
    if isinstance(value, Mapping):
        first = {name: value[name] for name, _ in zip(value, range(_FIRST), strict=False)}
        return f"{kind} of {counted(len(value), 'entry')}: {_Brief().repr(first)}"
    if isinstance(value, list | tuple | set | frozenset):
        return f"{kind} of {counted(len(value), 'entry')}: {_Brief().repr(value)}"
    if type(value).__module__.partition(".")[0] == "assay":
        return repr(value)  # ours are short
    return kind  # the text of other objects may name an address, and so differ from run to run


def _array(value: Any, kind: str) -> str:
    if not value.ndim:
        return f"{value.dtype} {value}"
    shape = ", ".join(map(str, value.shape))
    flat = (value if value.ndim < 2 else value[:_FIRST].reshape(-1))[: _FIRST + 1]
    first = ", ".join(_Brief().repr(entry) for entry in list(getattr(flat, "tolist", lambda: flat)())[:_FIRST])
    more = ", …" if len(flat) > _FIRST else ""
    name = "array" if kind == "ndarray" else kind
    return f"{value.dtype} {name} [{shape}]: {first}{more}"


class _Brief(reprlib.Repr):
    """The beginning of nested values; arrays and tables inside of them by their size."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlist = self.maxtuple = self.maxdict = self.maxset = _FIRST
        self.maxstring = self.maxother = 40
        self.maxlevel = 3

    def repr1(self, x: Any, level: int) -> str:
        if isinstance(x, float):
            return f"{x:.4g}" if x == x and abs(x) != float("inf") and x != round(x, 4) else repr(float(x))
        if hasattr(x, "shape"):
            return f"{type(x).__name__} {list(x.shape)}"
        return super().repr1(x, level)
