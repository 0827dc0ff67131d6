"""Running a written function on its own task to get its values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd

from assay.insight.answer.functions import FeatureFunction
from assay.insight.problem.task import InsightTask
from assay.sandbox.guest.call import plan_call

__all__ = ["Values", "compute_values", "run_function"]


class Values(NamedTuple):
    """What a function gives for the rows of both parts."""

    train: list[float]
    test: list[float]


def run_function(function: FeatureFunction, task: InsightTask) -> Values | None:
    """Values of a function that this package wrote; None when it fails or gives something that is no finite number."""
    base = list(task.base_columns)
    try:
        parts = compute_values(function, task.train[base], task.test[base], train=task.train, tables=task.tables)
    except Exception:  # noqa: BLE001 - a function that fails on odd data is left out, the others stay
        return None
    return Values(*parts) if all(math.isfinite(value) for part in parts for value in part) else None


def compute_values(
    function: FeatureFunction, *parts: pd.DataFrame, train: pd.DataFrame, tables: Mapping[str, pd.DataFrame]
) -> list[list[float]]:
    """What a function that this package wrote gives for the rows of each part, in this process."""
    names: dict[str, Any] = {"__name__": "feature_function"}
    exec(compile(function.code, f"<{function.name}>", "exec"), names)
    call = names[function.name]
    plan = plan_call(call, [*map(str, parts[0].columns)])
    sources = {"train": train, "auxiliary": tables}
    rest = [sources[source] for source in plan.positional[1:]]
    return [[float(call(row, *rest)) for row in _rows(part)] for part in parts]


def _rows(part: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows as the sandbox shows them: of numbers alone all have one type."""
    values = part.to_numpy()
    return [dict(zip(part.columns, row, strict=True)) for row in values.tolist()]
