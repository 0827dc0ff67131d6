"""Arrays and tables: small ones in the source, others as files beside it."""

from __future__ import annotations

import io
import sys
from typing import Any, Final

from assay.harness.callables.unavailable import Use
from assay.harness.callables.writing import Writer

__all__ = ["emit_array", "emit_table"]

_MOST: Final = 100  # entries of an array that stand in the source


def emit_array(writer: Writer, value: Any, use: Use, hint: str) -> str | None:
    """A numpy array, or one of its numbers."""
    numpy: Any = sys.modules.get("numpy")
    if numpy is None or not (type(value) is numpy.ndarray or (isinstance(value, numpy.generic) and value.shape == ())):
        return None
    array = numpy.asarray(value)
    if array.dtype.hasobject and array.dtype.kind != "O":
        return None  # rows with objects in them are restored part by part instead
    writer.add_import("import numpy as _numpy")
    if array.dtype.kind == "O":
        entries = f"[{', '.join(writer.emit(entry, use.inner('[...]')) for entry in array.ravel().tolist())}]"
        expression = f"_numpy.fromiter({entries}, dtype=object, count={array.size}).reshape({array.shape})"
    elif array.dtype.kind in "biuf" and array.dtype.itemsize <= 8 and array.size <= _MOST and array.dtype.isnative:
        expression = f"_numpy.array({writer.emit(array.tolist(), use)}, dtype={array.dtype.name!r})"
        expression += f".reshape({array.shape})" if 0 in array.shape else ""
    else:
        stream = io.BytesIO()
        numpy.save(stream, array, allow_pickle=False)
        expression = f"_numpy.load({writer.add_data(stream.getvalue(), '.npy')}, allow_pickle=False)"
    return writer.assign(value, hint, f"{expression}{'[()]' if isinstance(value, numpy.generic) else ''}")


def emit_table(writer: Writer, value: Any, use: Use, hint: str) -> str | None:
    """A pandas table or column, where Parquet gives back what it was given."""
    pandas: Any = sys.modules.get("pandas")
    if pandas is None or type(value) not in (pandas.DataFrame, pandas.Series):
        return None
    column = isinstance(value, pandas.Series)
    frame = value.to_frame("values") if column else value
    stream = io.BytesIO()
    try:
        frame.to_parquet(stream)
        pandas.testing.assert_frame_equal(pandas.read_parquet(io.BytesIO(stream.getvalue())), frame)
    except (ValueError, TypeError, AssertionError, NotImplementedError, OverflowError):
        return None  # restored part by part instead
    writer.add_import("import pandas as _pandas")
    expression = f"_pandas.read_parquet({writer.add_data(stream.getvalue(), '.parquet')})"
    if column:
        expression += f'["values"].rename({writer.emit(value.name, use)})'
    return writer.assign(value, hint, expression)
