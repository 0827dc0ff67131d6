"""What a new problem is, in short, and what its author should look at again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from assay.core import Json
from assay.insight.problem.task import InsightTask, InsightTruth
from assay.insight.problem.user_problem.keys import Keys
from assay.insight.problem.user_problem.material import Material
from assay.insight.problem.user_problem.moments import Moments
from assay.insight.problem.user_problem.split import Split
from assay.insight.search.kernels import keys_of
from assay.intake.table.reading import TableReading

__all__ = ["describe_problem", "warn_of_content", "worth_of_experts"]

_FEW_VALUES = 10  # whole numbers with so few different values may be classes
_GAIN = 0.01  # what experts' columns should add to a performance
_COVERED = 0.95  # what experts' columns should cover of themselves
_MOST = 0.5  # of the training rows


def describe_problem(
    material: Material, task: InsightTask, split: Split, moments: Moments, keys: Keys, truth: InsightTruth
) -> dict[str, Json]:
    """Target, tables, times, split and experts' columns, a line each."""
    when = "not declared"
    if moments.fixed is not None:
        when = f"{moments.fixed:%Y-%m-%d %H:%M} UTC for all rows".replace(" 00:00 UTC", "")
    elif moments.column is not None:
        when = f"column {moments.column!r}"
    tables = {f"table {name}": f"{keys.words.get(name, '')}; {words}" for name, words in moments.words.items()}
    return {
        "target": f"{material.target!r}, {task.problem_type}",
        "main table": f"{material.main}" + (f", identified by {keys.key!r}" if keys.key else ""),
        "prediction time": when,
        **tables,
        "split": f"{len(split.train)} rows train, {len(split.test)} test: {split.how}",
        "experts": "; ".join(truth.descriptions),
    }


def worth_of_experts(task: InsightTask, scores: Mapping[str, float]) -> tuple[str, list[str]]:
    """What the experts' columns add to the others, and warnings where that is nothing."""
    measure = "R²" if task.problem_type == "regression" else "AUC"
    names = ("inclusive_performance", "naive_performance", "coverage")
    reached, without, coverage = (scores[name] for name in names)
    words = f"{measure} {reached:.3f} with the other columns, which have {without:.3f} alone; coverage {coverage:.3f}"
    warnings = []
    if reached <= without + _GAIN:
        warnings.append(
            f"the experts' columns add nothing to the others ({measure} {reached:.3f} and {without:.3f}), so that "
            "finding them will hardly show"
        )
    if coverage < _COVERED:
        warnings.append(
            f"the experts' columns themselves reach a coverage of {coverage:.2f} only: the {len(task.train)} training "
            "rows are too few, or the test rows hold values that they lack"
        )
    return words, warnings


def warn_of_content(
    material: Material,
    task: InsightTask,
    truth: InsightTruth,
    readings: Mapping[str, TableReading],
    keys: Keys,
) -> list[str]:
    """Doubts about the target, about columns that reveal it, and about tables that cannot be joined."""
    warnings = []
    labels = task.train[material.target]
    if (
        task.problem_type == "regression"
        and material.kind is None
        and _whole(labels)
        and labels.nunique() <= _FEW_VALUES
    ):
        warnings.append(
            f"the target has {labels.nunique()} different whole numbers and is taken as a quantity; if they are "
            f"classes: {material.remedy('kind', 'multiclass')}"
        )
    copies = {f"column {name!r}": (name, task.train[name]) for name in task.base_columns}
    for table, columns in _joined_columns(task, readings, keys).items():
        for name, values in columns.items():
            if name != material.target:  # of which more is said below
                copies[f"column {name!r} of table {table!r}"] = (f"{table}.{name}", values)
    for what, (option, values) in copies.items():
        targets = labels.groupby(values.to_numpy(), observed=True).nunique()
        if 1 < len(targets) <= _FEW_VALUES and (targets == 1).all() and task.problem_type != "regression":
            warnings.append(
                f"{what} tells the target exactly: was it known at the time of prediction? To leave it out: "
                f"{material.remedy('ignore', option)}"
            )
    for name, reading in readings.items():
        if name != material.main and material.target in reading.frame.columns:
            warnings.append(
                f"table {name!r} has a column {material.target!r} too, which may betray the target. To leave it out: "
                f"{material.remedy('ignore', f'{name}.{material.target}')}"
            )
    unjoined = [name for name, words in keys.words.items() if words == "no key found"]
    warnings += [f"table {name!r} shares no key with another table" for name in unjoined]
    unknown = set(truth.test_target) - set(labels) if task.problem_type == "multiclass" else set()
    if unknown:
        warnings.append(f"{len(unknown)} classes occur in test rows only, such as {sorted(map(str, unknown))[0]}")
    return warnings


def _joined_columns(task: InsightTask, readings: Mapping[str, TableReading], keys: Keys) -> dict[str, pd.DataFrame]:
    """The columns of each table that has one row per key, for the training rows, where it has rows of most of them."""
    joined = {}
    for name, link in keys.links.items():
        frame = readings[name].frame
        index = pd.Index(keys_of(frame[link.other]))
        if link.column in task.base_columns and index.is_unique:
            places = index.get_indexer(pd.Index(keys_of(task.train[link.column])))
            if (places >= 0).mean() >= _MOST:
                rows = frame.drop(columns=link.other).iloc[places].reset_index(drop=True)
                joined[name] = rows.mask(pd.Series(places < 0), axis=0)
    return joined


def _whole(values: pd.Series[Any]) -> bool:
    return bool(np.equal(np.mod(values.to_numpy(dtype=np.float64), 1), 0).all())
