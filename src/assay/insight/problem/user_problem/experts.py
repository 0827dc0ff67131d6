"""The experts' columns, from a table or from feature functions, and checks of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from assay.core import InvalidInput, Problem
from assay.core.errors import suggest
from assay.insight.answer.alignment import differs
from assay.insight.answer.answer import words_of
from assay.insight.answer.functions import FeatureFunction
from assay.insight.columns.compute import compute_columns
from assay.insight.columns.sandbox_pool import shared_sandbox
from assay.insight.problem.task import InsightTask
from assay.insight.problem.user_problem.material import Material
from assay.insight.problem.user_problem.tables import as_in_file
from assay.insight.search.kernels import keys_of
from assay.intake.table.reading import TableReading

__all__ = ["computed_experts", "demand_expert_columns", "meaning_of", "table_experts"]


def table_experts(material: Material, main: pd.DataFrame, reading: TableReading, key: str | None) -> pd.DataFrame:
    """The experts' columns of a table, one row for each row of the main table: found by key, else by order."""
    table, where = as_in_file(reading), reading.source
    shared = [str(name) for name in table.columns if name in main.columns]
    own = [str(name) for name in table.columns if name not in main.columns]
    if not own:
        raise InvalidInput(
            f"{where}: every column is one of {material.main!r} already. The experts' columns need names of their own; "
            f"for columns of the main table: {material.remedy('expert_columns', shared[0])}."
        )
    keys = [name for name in dict.fromkeys([key, *shared]) if name in shared and name != material.target]
    by = next((name for name in keys if main[name].is_unique), None)
    if by is not None:
        return _joined(table, main, by, own, where)
    if len(table) != len(main):
        unique = [str(name) for name in main.columns if main[name].is_unique]
        remedy = f"Add the key {unique[0]!r}, or" if unique else "There is no key to find them by:"
        raise InvalidInput(
            f"{where}: has {len(table)} rows, {material.main!r} has {len(main)}. {remedy} give one row for each, in "
            "the same order."
        )
    for name in shared:
        unequal = differs(table[name], main[name])
        if unequal.any():
            raise InvalidInput(
                f"{where}: row {int(unequal.argmax()) + 1} is not that of {material.main!r}: column {name!r} differs. "
                "Give the rows in the same order, or add a key."
            )
    return table[own].reset_index(drop=True)


def _joined(table: pd.DataFrame, main: pd.DataFrame, by: str, own: list[str], where: str) -> pd.DataFrame:
    keys = pd.Series(keys_of(table[by]))
    if keys.duplicated().any():
        raise InvalidInput(
            f"{where}: key {by!r}: {keys[keys.duplicated()].iloc[0]!r} occurs in several rows. Keep one."
        )
    places = pd.Series(np.arange(len(table)), index=keys).reindex(keys_of(main[by]))
    if places.isna().any():
        first = str(main[by].iloc[int(places.isna().to_numpy().argmax())])
        raise InvalidInput(
            f"{where}: no row for {int(places.isna().sum())} of {len(main)} values of {by!r}, the first is {first!r}. "
            "Every row of the main table needs one."
        )
    return table[own].iloc[places.to_numpy(dtype=np.int64)].reset_index(drop=True)


def computed_experts(
    task: InsightTask, functions: Sequence[FeatureFunction], *, where: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The columns that the experts' functions compute, in the sandbox and under the declared times."""
    with shared_sandbox("strong") as sandbox:
        # the truth does not enter the sandbox, and there is none yet
        problem: Problem[InsightTask, Any] = Problem(id=task.name, digest="", task=task, truth=None)
        computed = compute_columns(problem, functions, sandbox=sandbox)
    rows = len(task.train) + len(task.test)
    for column in computed.columns:
        if column.train is None or column.test is None or column.rows_failed:
            failed = f"fails in {column.rows_failed} of {rows} rows" if column.rows_failed else "fails"
            hint = (
                " The target is not there when a row is predicted."
                if repr(task.target_column) in column.message
                else ""
            )
            tables = f" Tables: {', '.join(map(repr, task.tables))}." if "aux" in column.message else ""
            reason = column.message.strip().splitlines()[-1].rstrip(".")
            raise InvalidInput(
                f"{where}: function {column.name!r} {failed}: {reason}.{hint}{tables} "
                f"Columns of a row: {', '.join(task.base_columns)}."
            )
    train = pd.DataFrame({column.name: column.train for column in computed.columns})
    test = pd.DataFrame({column.name: column.test for column in computed.columns})
    return train, test


def demand_expert_columns(
    material: Material, experts: pd.DataFrame, target: pd.Series[Any], base: Sequence[str]
) -> None:
    """Experts' columns have names of their own, vary, and are not the target itself."""
    for name in experts.columns:
        values = experts[name]
        if name in base or name == material.target:
            raise InvalidInput(f"expert column {name!r}: {material.main!r} has a column of that name. Rename one.")
        if values.nunique() < 2:
            raise InvalidInput(f"expert column {name!r} holds one value in all rows: it can explain nothing.")
        if not differs(values.reset_index(drop=True), target.reset_index(drop=True)).any():
            raise InvalidInput(f"expert column {name!r} is the target itself. Give what explains it.")
    for name in material.meanings:
        if name not in experts.columns:
            raise InvalidInput(
                f"{material.remedy('meanings', '...', role=name)}: no expert column of that name. "
                f"{suggest(name, list(map(str, experts.columns)))}"
            )


def meaning_of(name: str, material: Material, docstrings: Mapping[str, str]) -> str:
    """The experts' words for a column."""
    return material.meanings.get(name) or docstrings.get(name) or words_of(name)
