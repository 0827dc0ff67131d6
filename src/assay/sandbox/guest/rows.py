"""A light row: what ``DataFrame.apply(axis=1)`` hands to a function, without building a Series per row.

The common reads (``row['x']``, ``row.get``, ``row.x``, ``in``, iteration, ``items``, ``to_dict``, ``len``) are
answered from one list of values. Everything else, and everything after the first write, goes to a real Series made on
demand: the light row is a Series that has not been built yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["Row", "RowSource"]

_ON_THE_CLASS = frozenset(dir(pd.Series))
_MISSING = object()


class RowSource:
    """The rows of one table; values have the type that ``apply`` would give, so mixed numbers are floats."""

    __slots__ = ("_boxed", "_frame", "_native", "columns", "frame_values", "labels", "light", "positions")

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame
        self.columns = frame.columns
        self.labels = frame.index
        self.positions = {name: place for place, name in enumerate(frame.columns)}
        self.frame_values = frame.to_numpy()
        kind = self.frame_values.dtype.kind
        row_type = frame.iloc[0].dtype if len(frame) else self.frame_values.dtype
        plain = all(isinstance(name, str) for name in frame.columns) and frame.columns.is_unique and len(frame.columns)
        # rows of other pandas types hold values of their own
        supported = isinstance(row_type, np.dtype | pd.StringDtype)
        self.light = bool(plain) and supported and kind in "iufbO"
        self._boxed = kind == "O"
        self._native = isinstance(row_type, np.dtype)

    def __len__(self) -> int:
        return len(self._frame)

    def __iter__(self) -> Iterator[Any]:
        if not self.light:
            for place in range(len(self)):
                yield self.series(place)
            return
        rows = self.frame_values.tolist()
        for place, (values, label) in enumerate(zip(rows, self.labels, strict=True)):
            yield Row(self, place, values, label)

    def series(self, place: int) -> Any:
        """The real row."""
        if not self._native:
            return self._frame.iloc[place].copy()
        values = self.frame_values[place].copy()
        return pd.Series(values, index=self.columns, name=self.labels[place], dtype=values.dtype)

    def scalar(self, place: int, position: int, native: object) -> Any:
        """What ``series[column]`` gives: the object itself, or the array's own scalar."""
        return native if self._boxed else self.frame_values[place, position]


class Row:
    """One row; see the module's text. It says it is a Series, and becomes one when it must."""

    __slots__ = ("_assay_label", "_assay_place", "_assay_series", "_assay_source", "_assay_values")

    def __init__(self, source: RowSource, place: int, values: list[Any], label: Any) -> None:
        self._assay_source = source
        self._assay_place = place
        self._assay_values = values
        self._assay_label = label
        self._assay_series: pd.Series[Any] | None = None

    @property  # type: ignore[misc] # mypy wants it writable
    def __class__(self) -> Any:  # isinstance(row, pd.Series) holds
        return pd.Series

    def _assay_real(self) -> Any:
        series = self._assay_series
        if series is None:
            series = self._assay_series = self._assay_source.series(self._assay_place)
        return series

    def _assay_find(self, key: object) -> Any:
        if self._assay_series is None and type(key) is str:
            position = self._assay_source.positions.get(key)
            if position is not None:
                return self._assay_source.scalar(self._assay_place, position, self._assay_values[position])
        return _MISSING

    def __hash__(self) -> int:
        return hash(self._assay_real())  # which says that it has none

    def __getitem__(self, key: Any) -> Any:
        value = self._assay_find(key)
        return self._assay_real()[key] if value is _MISSING else value

    def get(self, key: Any, default: Any = None) -> Any:
        """As of a Series."""
        value = self._assay_find(key)
        if value is not _MISSING:
            return value
        if self._assay_series is None and type(key) is str:
            return default
        return self._assay_real().get(key, default)

    def __getattr__(self, name: str) -> Any:
        if name not in _ON_THE_CLASS:
            value = self._assay_find(name)
            if value is not _MISSING:
                return value
        return getattr(self._assay_real(), name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in Row.__slots__:
            object.__setattr__(self, name, value)
        else:
            setattr(self._assay_real(), name, value)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._assay_real()[key] = value

    def __contains__(self, key: object) -> bool:
        if self._assay_series is None and type(key) is str:
            return key in self._assay_source.positions
        return key in self._assay_real()

    def __len__(self) -> int:
        return len(self._assay_values) if self._assay_series is None else len(self._assay_series)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._assay_values if self._assay_series is None else self._assay_series)

    def items(self) -> Any:
        """Pairs of column and value."""
        return zip(self.keys(), self, strict=True)

    def keys(self) -> Any:
        """The columns."""
        return self._assay_source.columns if self._assay_series is None else self._assay_series.index

    index = property(keys)

    @property
    def name(self) -> Any:
        """The row's label in the table's index."""
        return self._assay_label if self._assay_series is None else self._assay_series.name

    def to_dict(self, *args: Any, **options: Any) -> Any:
        """Values by column."""
        if self._assay_series is not None or args or options:
            return self._assay_real().to_dict(*args, **options)
        return dict(zip(self._assay_source.positions, self._assay_values, strict=True))


def _delegate(name: str) -> Callable[..., Any]:
    def method(self: Row, *args: Any, **options: Any) -> Any:
        return getattr(self._assay_real(), name)(*args, **options)

    method.__name__ = name
    return method


# operators are looked up on the type, so each is given to the class; what Row defines itself stays
_KEPT = "__new__ __init__ __getattribute__ __del__ __dict__ __weakref__ __slots__ __doc__ __init_subclass__"
_KEPT += " __subclasshook__ __class_getitem__ __setstate__"
for _name in sorted({*dir(pd.Series)} - {*vars(Row), *_KEPT.split()}):
    if _name.startswith("__") and _name.endswith("__") and callable(getattr(pd.Series, _name)):
        setattr(Row, _name, _delegate(_name))
