"""A question to a real database at given times, and columns that look back from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

__all__ = ["DatabaseTask", "look_back"]

_HOW: dict[str, Callable[[npt.NDArray[Any]], float]] = {
    "count": lambda values: float(len(values)),
    "sum": lambda values: float(np.nansum(values)),
    "mean": lambda values: float(np.nanmean(values)) if np.isfinite(values).any() else np.nan,
    "max": lambda values: float(np.nanmax(values)) if np.isfinite(values).any() else np.nan,
    "last": lambda values: float(values[-1]),
    "before last": lambda values: float(values[-2]) if len(values) > 1 else np.nan,
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DatabaseTask:
    """Rows with their target and times, the other tables, and the experts' columns of the same rows."""

    name: str
    question: str
    kind: Literal["binary", "regression"]
    rows: pd.DataFrame
    target: pd.Series[Any]
    late: npt.NDArray[np.bool_]  # the test rows: later than all others
    tables: dict[str, pd.DataFrame]
    time: str  # the column of rows that says when a prediction is made
    table_times: dict[str, str | None]
    keys: dict[str, tuple[str, ...]]  # for each table the columns that rows have as well
    clusters: npt.NDArray[Any]  # what rows have in common: resampled together
    experts: pd.DataFrame
    memory: dict[str, float] = field(default_factory=dict)  # days before a row that a coarse key may be joined over


def look_back(
    rows: pd.DataFrame,
    table: pd.DataFrame,
    key: str,
    value: str | None = None,
    *,
    how: str,
    times: tuple[str, str],
    days: float | None = None,
) -> npt.NDArray[np.float64]:
    """What a table says of the same key up to the row's time, or in so many days before it.

    ``times`` are the columns of rows and of the table. Counts and sums of nothing are 0, others are missing.
    """
    codes, names = pd.factorize(table[key])
    when = table[times[1]].to_numpy("datetime64[ns]")
    order = np.lexsort((when, codes))
    order = order[~np.isnat(when[order])]
    when, values = when[order], table[value or key].to_numpy()[order]
    bounds = np.searchsorted(codes[order], np.arange(len(names) + 1))
    looked_up = np.full(len(rows), 0.0 if how in ("count", "sum") else np.nan)
    moments = rows[times[0]].to_numpy("datetime64[ns]")
    for place, (owner, moment) in enumerate(zip(pd.Index(names).get_indexer(rows[key]), moments, strict=True)):
        if owner < 0:
            continue
        low, end = bounds[owner], bounds[owner + 1]
        high = low + np.searchsorted(when[low:end], moment, side="right")
        if days is not None:
            since = moment - np.timedelta64(int(days * 86400), "s")
            low = low + np.searchsorted(when[low:end], since, side="right")
        if high > low:
            looked_up[place] = _HOW[how](values[low:high] if how == "count" else values[low:high].astype(np.float64))
    return looked_up
