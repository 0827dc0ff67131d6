"""Tables as the published implementation prepares them before every fit, and the correlations it takes of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from assay.core.arrays import FloatArray
from assay.insight.fits.encoding import EncodedColumn, as_floats, is_number
from assay.insight.metrics.association import centred_correlation
from assay.insight.published.floats import as_once_parsed

__all__ = ["Column", "Correlations", "capped_rows", "correlations", "filled", "prepare", "prepare_one", "raw_column"]

ROW_CAP = 5000
_SAMPLE_SEED = 42
_CATEGORIES = 10  # a text column must have fewer
_CORRELATION_ROWS = 15_000  # above that the correlation looks at a sample


@dataclass(frozen=True, eq=False)
class Column:
    """One raw column in both parts."""

    name: str
    train: pd.Series
    test: pd.Series

    @cached_property
    def constant(self) -> tuple[bool, bool]:
        """In the training and in the test part."""
        return self.train.nunique() <= 1, self.test.nunique() <= 1


def raw_column(name: str, train: pd.Series, test: pd.Series) -> Column:
    """A column with the numbers that the published scores were computed on."""
    return Column(name, _once_parsed(train), _once_parsed(test))


def _once_parsed(values: pd.Series) -> pd.Series:
    return pd.Series(as_once_parsed(values.to_numpy())) if values.dtype == np.float64 else values


def capped_rows(count: int) -> npt.NDArray[np.int64]:
    """The rows that are looked at: all, or a fixed sample in its old order."""
    if count <= ROW_CAP:
        return np.arange(count)
    return np.sort(pd.RangeIndex(count).to_series().sample(ROW_CAP, random_state=_SAMPLE_SEED).to_numpy())


def prepare_one(part: Column) -> tuple[EncodedColumn, ...]:
    """A numeric column as itself, a text column of few categories as one column each, any other not at all."""
    if is_number(part.train):
        return (EncodedColumn(part.name, filled(part.train), filled(part.test)),)
    if not 0 < part.train.nunique() < _CATEGORIES:
        return ()
    both = pd.concat([part.train, part.test], ignore_index=True).astype(object)
    levels = sorted(both.dropna().unique(), key=str)
    count = len(part.train)
    columns = []
    for level in levels:
        flags = np.asarray(both == level, dtype=np.float64)
        columns.append(EncodedColumn(f"{part.name}_{level}", flags[:count].copy(), flags[count:].copy()))
    return tuple(columns)


def prepare(
    columns: Sequence[Column], encode: Callable[[Column], tuple[EncodedColumn, ...]] = prepare_one
) -> list[EncodedColumn]:
    """Numeric columns first, then the categories of the others."""
    return [part for column in sorted(columns, key=lambda each: not is_number(each.train)) for part in encode(column)]


def filled(values: pd.Series) -> FloatArray:
    """Infinities just beyond the finite values of the same part, missing values 0."""
    numbers = as_floats(values)
    finite = numbers[np.isfinite(numbers)]
    if np.isinf(numbers).any():
        high, low = (float(finite.max()) + 1, float(finite.min()) - 1) if len(finite) else (0.0, 0.0)
        numbers = np.where(numbers == np.inf, high, np.where(numbers == -np.inf, low, numbers))
    return np.ascontiguousarray(np.where(np.isnan(numbers), 0.0, numbers))


class Correlations(NamedTuple):
    """Absolute rank correlations of the ground-truth columns, a row each."""

    coverers: tuple[str, ...]
    table: FloatArray  # with every prepared column, base columns included
    weights: FloatArray  # with the target


def correlations(columns: Sequence[Column], experts: Sequence[EncodedColumn], target: Column) -> Correlations:
    """Of the training rows; above 15,000 of them, of a sample."""
    count = len(target.train)
    rows = np.arange(count) if count <= _CORRELATION_ROWS else capped_rows(count)
    sampled = [_of_rows(column, rows) for column in prepare(columns)]
    sampled_experts = [_of_rows(expert, rows) for expert in experts]
    label = EncodedColumn(target.name, filled(target.train)[rows], np.empty(0))
    table = np.array([[_correlation(expert, column) for column in sampled] for expert in sampled_experts])
    return Correlations(
        tuple(column.name for column in sampled),
        table.reshape(len(sampled_experts), len(sampled)),
        np.array([_correlation(expert, label) for expert in sampled_experts]),
    )


def _of_rows(column: EncodedColumn, rows: npt.NDArray[np.int64]) -> EncodedColumn:
    return EncodedColumn(column.name, column.train[rows], np.empty(0))


def _correlation(first: EncodedColumn, second: EncodedColumn) -> float:
    if first.constant and second.constant:
        return 1.0
    value = centred_correlation(first.ranks, second.ranks)
    return 0.0 if math.isnan(value) else abs(value)
