"""Tables from files: a label, features, and nothing silently dropped."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core import InvalidInput, UnknownName
from assay.intake import tables

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["LabelledTable", "read_table", "split_label"]


class LabelledTable(NamedTuple):
    """Features and, where the file has the column, labels."""

    features: pd.DataFrame
    labels: pd.Series[Any] | None


def read_table(path: Path) -> pd.DataFrame:
    """A CSV or Parquet file with at least one row."""
    table = tables.read_table(path)
    if table.empty:
        raise InvalidInput(f"{path}: the table has no rows.")
    return table


def split_label(
    table: pd.DataFrame, label: str, *, path: Path, ignore: Sequence[str] = (), required: bool = True
) -> LabelledTable:
    """Separate the label column from the features; ``ignore`` names columns that are neither."""
    known = [str(name) for name in table.columns]
    for name in ignore:
        if name not in known:
            raise InvalidInput(f"{path}: {UnknownName('column', name, known)}")
    if label not in known:
        if required:
            raise InvalidInput(f"{path}: {UnknownName('label column', label, known)}")
        return LabelledTable(table.drop(columns=list(ignore)), None)
    labels = table[label]
    if labels.isna().any():
        raise InvalidInput(f"{path}: {int(labels.isna().sum())} rows have no {label!r}. Fill or remove them.")
    features = table.drop(columns=[label, *ignore])
    if not len(features.columns):
        raise InvalidInput(f"{path}: there is no feature column beside {label!r}.")
    return LabelledTable(features, labels)
