"""Tables as numbers, by what the training rows hold: gaps filled, categories one-hot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.cases.neighbors.checks import FloatArray, LabelArray, listed
from assay.core import InvalidInput

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["TableEncoding", "fit_table_encoding"]


class _Column(NamedTuple):
    name: Any
    middle: float  # stands for a missing number
    categories: tuple[str, ...] | None  # None: numbers


@dataclass(frozen=True, slots=True)
class TableEncoding:
    """How the columns of a table become numbers, made by :func:`fit_table_encoding`."""

    columns: tuple[_Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the numbers: a column's, or ``column=category``."""
        names: list[str] = []
        for name, _, categories in self.columns:
            names += [str(name)] if categories is None else [f"{name}={category}" for category in categories]
        return tuple(names)

    def numbers(self, table: pd.DataFrame, *, what: str) -> FloatArray:
        """The rows of a table with the same columns, in any order; a category that training never saw is all zero."""
        import pandas as pd

        encoded: list[FloatArray] = []
        for name, middle, categories in self.columns:
            if name not in table.columns:
                raise InvalidInput(f"{what}: column {str(name)!r} is missing. Columns: {listed(table.columns)}.")
            column = table[name]
            if categories is not None:
                texts = _texts(column)
                encoded += [(texts == category).astype(np.float64) for category in categories]
                continue
            if not pd.api.types.is_numeric_dtype(column):
                raise InvalidInput(f"{what}: column {str(name)!r} holds {column.dtype}, in train it holds numbers.")
            values = column.to_numpy(dtype=np.float64, na_value=np.nan)
            encoded.append(np.where(np.isnan(values), middle, values))
        return np.column_stack(encoded)


def fit_table_encoding(table: pd.DataFrame) -> TableEncoding:
    """Numbers and booleans stay, gaps get the median; other columns one-hot, in which missing is a category."""
    import pandas as pd

    columns = []
    for name in table.columns:
        if pd.api.types.is_numeric_dtype(table[name]):
            values = table[name].to_numpy(dtype=np.float64, na_value=np.nan)
            there = values[~np.isnan(values)]
            columns.append(_Column(name, float(np.median(there)) if len(there) else 0.0, None))
        else:
            columns.append(_Column(name, 0.0, tuple(np.unique(_texts(table[name])).tolist())))
    return TableEncoding(tuple(columns))


def _texts(column: Any) -> LabelArray:
    absent = column.isna().to_numpy()
    return np.where(absent, "(missing)", column.astype(str).to_numpy(dtype=np.str_))
