"""Columns as numbers: what a forest can read, fitted on the training part and applied to both."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
import pandas as pd

from assay.core.arrays import FloatArray
from assay.insight.metrics.association import centred_ranks

__all__ = [
    "MISSING",
    "OTHER",
    "EncodedColumn",
    "as_floats",
    "encode_column",
    "fill_numbers",
    "is_number",
    "merge_categories",
    "texts_of",
    "unused_name",
]


OTHER = "_other"
MISSING = "_missing"

_LARGEST = float(np.finfo(np.float32).max) / 4  # beyond that a forest, which reads float32, cannot follow


@dataclass(frozen=True, eq=False)
class EncodedColumn:
    """One column of numbers, in the training and in the test part; equal content, equal digest."""

    name: str
    train: FloatArray
    test: FloatArray
    note: str = field(default="", compare=False)  # what had to be done to it, for the record

    @cached_property
    def digest(self) -> bytes:
        """Of the numbers of both parts."""
        return blake2b(self.train.tobytes() + b"|" + self.test.tobytes(), digest_size=16).digest()

    @cached_property
    def ranks(self) -> FloatArray:
        """Centred ranks of the training part, for rank correlations."""
        return centred_ranks(self.train)

    @property
    def constant(self) -> bool:
        """Whether the training part holds a single value: then there is nothing to learn from it."""
        return not len(self.train) or bool(self.train.min() == self.train.max())


def is_number(values: pd.Series) -> bool:
    """Whether a column counts as numeric; truth values do."""
    return bool(pd.api.types.is_numeric_dtype(values.dtype) or pd.api.types.is_bool_dtype(values.dtype))


def encode_column(name: str, train: pd.Series, test: pd.Series, *, most_categories: int) -> tuple[EncodedColumn, ...]:
    """A numeric column as itself with its gaps filled; any other as one column per category."""
    if is_number(train) and is_number(test):
        return (fill_numbers(name, as_floats(train), as_floats(test)),)
    return _one_hot(name, texts_of(train), texts_of(test), most_categories)


def fill_numbers(name: str, train: FloatArray, test: FloatArray) -> EncodedColumn:
    """Infinities just beyond the finite values, missing values below them all; measured on the training part.

    A step of 1 that float32 cannot tell from the value itself is widened until it can.
    """
    finite = train[np.isfinite(train) & (np.abs(train) <= _LARGEST)]
    gaps = not (len(finite) == len(train) and np.isfinite(test).all() and (np.abs(test) <= _LARGEST).all())
    if not gaps:
        return EncodedColumn(name, train, test)
    if not len(finite):
        return EncodedColumn(name, np.zeros(len(train)), np.zeros(len(test)), "no finite value in train")
    low, high = float(finite.min()), float(finite.max())
    above = high + _step(high)
    below = low - _step(low)
    missing = below - _step(below)

    def filled(values: FloatArray) -> FloatArray:
        inside = np.where(values > _LARGEST, above, np.where(values < -_LARGEST, below, values))
        return np.where(np.isnan(inside), missing, inside)

    return EncodedColumn(name, filled(train), filled(test), "missing or infinite values filled")


def texts_of(values: pd.Series) -> pd.Series:
    """Values as texts, with None for what is missing; a whole number reads the same with and without its point."""
    if isinstance(values.dtype, pd.StringDtype):
        texts: Any = values.to_numpy(dtype=object, copy=True)
        texts[values.isna()] = None
        return pd.Series(texts, dtype=object)
    texts = [None if missing else _text(value) for value, missing in zip(values, values.isna(), strict=True)]
    return pd.Series(texts, dtype=object)


def merge_categories(train: pd.Series, most: int) -> tuple[list[str], bool]:
    """The categories that keep a name of their own, sorted, and whether rarer ones were merged."""
    counts = train.dropna().value_counts()
    if len(counts) <= most:
        return sorted(counts.index), False
    ranked = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    return sorted(str(name) for name, _ in ranked[: most - 1]), True


def unused_name(name: str, *columns: pd.Series) -> str:
    """A name for a class of its own: underscores are added while a column has a category that is called so.

    >>> unused_name(OTHER, pd.Series(["red", "_other"]))
    '_other_'
    """
    while any(column.isin([name]).any() for column in columns):
        name += "_"
    return name


def _one_hot(name: str, train: pd.Series, test: pd.Series, most: int) -> tuple[EncodedColumn, ...]:
    categories, merged = merge_categories(train, most)
    columns = [
        EncodedColumn(f"{name}={category}", _flags(train == category), _flags(test == category))
        for category in categories
    ]
    if merged:
        note = f"{train.nunique()} categories: the {len(categories)} most frequent kept, the others merged"
        rare, rare_test = ~(train.isin(categories) | train.isna()), ~(test.isin(categories) | test.isna())
        columns.append(
            EncodedColumn(f"{name}={unused_name(OTHER, train, test)}", _flags(rare), _flags(rare_test), note)
        )
    if train.isna().any() or not columns:
        columns.append(
            EncodedColumn(f"{name}={unused_name(MISSING, train, test)}", _flags(train.isna()), _flags(test.isna()))
        )
    return tuple(columns)


def _flags(values: pd.Series) -> FloatArray:
    return np.asarray(values, dtype=np.float64)


def as_floats(values: pd.Series) -> FloatArray:
    """Numbers as floats; nan where there is none."""
    return np.ascontiguousarray(pd.to_numeric(values, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan))


def _text(value: object) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def _step(value: float) -> float:
    return max(1.0, 2 * float(np.spacing(np.float32(abs(value)))))
