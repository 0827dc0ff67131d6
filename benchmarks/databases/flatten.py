"""One flat table for methods that know a single one: each row with the latest known line of every table."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchmarks.databases.task import DatabaseTask

__all__ = ["coded", "flat_table"]

_MOST_LEVELS = 100


def flat_table(task: DatabaseTask) -> pd.DataFrame:
    """What a row says itself, what unchanging tables say of its keys, and the latest line of the others by each key."""
    rows = task.rows.reset_index(drop=True)
    parts = [rows.drop(columns=task.time)]
    for name, table in task.tables.items():
        time = task.table_times[name]
        for key in task.keys[name]:
            mine = rows[[key, task.time]].assign(place=range(len(rows))).astype({key: object})
            rest = table.drop(columns=[column for column in task.keys[name] if column != key]).astype({key: object})
            if time is None:
                joined = mine.merge(rest.drop_duplicates(key), on=key, how="left")
            else:
                lines = rest.dropna(subset=[key, time]).sort_values(time)
                moments = {task.time: mine[task.time].astype("datetime64[ns]")}
                lines = lines.assign(**{time: lines[time].astype("datetime64[ns]"), "when": lines[time]})
                joined = pd.merge_asof(
                    mine.assign(**moments).sort_values(task.time), lines, left_on=task.time, right_on=time, by=key
                )
                age = (joined[task.time] - joined["when"]).dt.total_seconds() / 86400
                joined = joined.assign(days_ago=age).drop(columns=["when", time], errors="ignore")
            joined = joined.sort_values("place", ignore_index=True)
            values = joined.drop(columns=[key, task.time, "place"], errors="ignore")
            parts.append(values.add_prefix(f"{name}_{key}_"))
    return pd.concat(parts, axis=1)


def coded(frame: pd.DataFrame, late: npt.NDArray[np.bool_]) -> pd.DataFrame:
    """Numbers as they are, categories by their frequency in training rows; keys, dates and constants are left out."""
    columns: dict[str, pd.Series[float]] = {}
    for name in frame.columns:
        values = frame[name]
        if pd.api.types.is_numeric_dtype(values):
            column = values.astype(float)
        elif pd.api.types.is_datetime64_any_dtype(values):
            continue
        else:
            levels = values[~late].value_counts()
            if len(levels) > _MOST_LEVELS:
                continue
            column = values.map({level: float(place) for place, level in enumerate(levels.index)}).astype(float)
        if column[~late].nunique(dropna=False) > 1:
            columns[str(name)] = column.replace([np.inf, -np.inf], np.nan)
    return pd.DataFrame(columns, index=frame.index).reset_index(drop=True)
