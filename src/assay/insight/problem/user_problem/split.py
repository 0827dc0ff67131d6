"""Which rows train and which test."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from assay.core import InvalidInput
from assay.core.arrays import IntArray
from assay.core.errors import suggest
from assay.insight.problem.user_problem.material import Material

__all__ = ["Split", "split_rows"]

_FEWEST = 5  # rows of each part


class Split(NamedTuple):
    """The rows of both parts, in the order of the table, how they were chosen, and the column that said so, if any."""

    train: IntArray
    test: IntArray
    how: str
    column: str | None = None


def split_rows(material: Material, main: pd.DataFrame, times: pd.Series[Any] | None, *, classes: bool) -> Split:
    """By time where prediction times differ, else at random, or as a column of the main table says."""
    if not 0.0 < material.holdout < 1.0:
        raise InvalidInput(f"the share of the test rows must lie between 0 and 1, got {material.holdout:g}.")
    differ = times is not None and times.nunique() > 1
    split = material.split or ("time" if differ else "random")
    if split == "time":
        if times is None or not differ:
            raise InvalidInput(
                "a split by time needs rows with different prediction times: "
                f"{material.remedy('time', 'COLUMN')}, or {material.remedy('split', 'random')}."
            )
        chosen, how = _by_time(times, material)
    elif split == "random":
        labels = main[material.target] if classes else pd.Series(np.zeros(len(main)))
        chosen = _at_random(labels, material)
        how = f"at random, seed {material.seed}" + (", stratified by class" if classes else "")
    elif split in main.columns:
        chosen, how = _by_column(main[split], material), f"as column {split!r} says"
    else:
        raise InvalidInput(
            f"{material.remedy('split', split)}: neither 'time' nor 'random' nor a column of {material.main!r}. "
            f"{suggest(split, ['time', 'random', *map(str, main.columns)])}"
        )
    train, test = np.flatnonzero(~chosen), np.flatnonzero(chosen)
    if min(len(train), len(test)) < _FEWEST:
        raise InvalidInput(
            f"{len(train)} training rows and {len(test)} test rows are too few: each part needs at least {_FEWEST}."
        )
    return Split(train, test, how, None if split in ("time", "random") else split)


def _by_time(times: pd.Series[Any], material: Material) -> tuple[npt.NDArray[np.bool_], str]:
    """The latest rows test; rows of one moment stay together."""
    moments = times.to_numpy()
    distinct, counts = np.unique(moments, return_counts=True)
    after = 1.0 - np.cumsum(counts)[:-1] / len(moments)  # the share of rows later than each moment but the last
    first = distinct[int(np.abs(after - material.holdout).argmin()) + 1]
    shown = f"{pd.Timestamp(first):%Y-%m-%d %H:%M}".removesuffix(" 00:00") if times.dtype.kind == "M" else f"{first:g}"
    return np.asarray(moments >= first), f"by time: rows predicted from {shown} on test"


def _at_random(labels: pd.Series[Any], material: Material) -> npt.NDArray[np.bool_]:
    rng = np.random.default_rng(material.seed)
    chosen = np.zeros(len(labels), dtype=np.bool_)
    for _, members in sorted(labels.reset_index(drop=True).groupby(labels.to_numpy()), key=lambda pair: str(pair[0])):
        rows = members.index.to_numpy()
        chosen[rng.permutation(rows)[: round(len(rows) * material.holdout)]] = True
    return chosen


def _by_column(values: pd.Series[Any], material: Material) -> npt.NDArray[np.bool_]:
    words = values.astype(str).str.strip().str.lower()
    if set(words) != {"train", "test"}:
        others = ", ".join(map(repr, sorted(set(words))[:5]))
        raise InvalidInput(
            f"{material.remedy('split', str(values.name))}: the column must hold 'train' and 'test', found {others}."
        )
    return np.asarray(words == "test")
