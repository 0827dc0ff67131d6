"""What is known of the training cases beside their features: shown with them, never compared."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from assay.core import InvalidInput, Json, plain

__all__ = ["Metadata", "read_metadata"]

Metadata: TypeAlias = Mapping[str, tuple[Json, ...]]


def read_metadata(metadata: Any, *, cases: int) -> Metadata:
    """Columns of plain JSON values, one entry per case, from a data frame, a mapping of columns or a list of mappings.

    Missing values become None, dates their ISO texts; a mapping in a list that lacks a name has None there.

    >>> read_metadata([{"site": "A"}, {"site": "B", "year": 2020}], cases=2)
    {'site': ('A', 'B'), 'year': (None, 2020)}
    """
    if metadata is None:
        return {}
    columns: dict[str, Sequence[Any]]
    if hasattr(metadata, "columns") and hasattr(metadata, "iloc"):
        columns = {str(name): metadata.iloc[:, place].tolist() for place, name in enumerate(metadata.columns)}
        if len(columns) < len(metadata.columns):
            raise InvalidInput("metadata: two columns have the same name; names must differ.")
    elif isinstance(metadata, Mapping):
        columns = {str(name): _column(name, column) for name, column in metadata.items()}
    elif (
        isinstance(metadata, Sequence)
        and not isinstance(metadata, str)
        and all(isinstance(row, Mapping) for row in metadata)
    ):
        names = dict.fromkeys(str(name) for row in metadata for name in row)
        rows = [{str(name): value for name, value in row.items()} for row in metadata]
        columns = {name: [row.get(name) for row in rows] for name in names}
        if len(metadata) != cases:
            raise InvalidInput(f"metadata: {len(metadata)} entries were given for {cases} cases; give one per case.")
    else:
        kind = type(metadata).__name__
        raise InvalidInput(f"metadata: give a data frame, a mapping of columns or a list of mappings, not a {kind}.")
    for name, column in columns.items():
        if len(column) != cases:
            count = len(column)
            raise InvalidInput(f"metadata: column {name!r} has {count} entries for {cases} cases; give one per case.")
    return {name: tuple(_json(value, name) for value in column) for name, column in columns.items()}


def _column(name: object, column: Any) -> Sequence[Any]:
    if isinstance(column, str) or not hasattr(column, "__len__"):
        raise InvalidInput(f"metadata: column {str(name)!r} must be a list with one entry per case, got {column!r}.")
    return column.tolist() if hasattr(column, "tolist") else list(column)


def _json(value: Any, name: str) -> Json:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    try:
        return plain(value)
    except TypeError:
        kind = type(value).__name__
        remedy = "Give numbers, texts, dates, lists or mappings."
        raise InvalidInput(f"metadata: column {name!r} holds a {kind}. {remedy}") from None
