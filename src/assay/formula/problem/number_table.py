"""A table of one's own as numbers: inputs and a target, under names that formulas can hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core import InvalidInput, UnknownName
from assay.formula.equivalence.sampling import Domain
from assay.formula.expression.expression import Expression
from assay.formula.expression.program import FloatArray, table_values
from assay.formula.problem.task import bounds_of
from assay.formula.problem.user_table import formula_names, rows_inside
from assay.intake.new_problem import as_reading, further_reading, number_columns
from assay.intake.table.options import TableOptions
from assay.intake.table.reading import TableReading

__all__ = ["FEWEST", "NumberTable", "read_numbers"]

FEWEST = 2  # rows


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberTable:
    """The rows of a table as numbers, inputs first, and how further tables like it are read."""

    rows: FloatArray
    columns: tuple[str, ...]  # as the table calls them, the target last
    renamed: Mapping[str, str]
    options: TableOptions
    readings: list[TableReading]

    @property
    def source(self) -> str:
        """How messages call the table."""
        return self.readings[0].source

    @property
    def variables(self) -> tuple[str, ...]:
        """The inputs as formulas call them."""
        return tuple(self.renamed[name] for name in self.columns[:-1])

    def read_more(self, table: Any) -> FloatArray:
        """The rows of a further table with the same columns."""
        reading = further_reading(table, self.options, like=self.readings[0])
        self.readings.append(reading)
        rows = number_columns(reading, self.columns, self.options, target=self.columns[-1])
        if len(rows) < FEWEST:
            raise InvalidInput(f"{reading.source}: {len(rows)} rows are too few; give at least {FEWEST}.")
        return rows

    def split_by_box(self, box: Domain) -> tuple[FloatArray, FloatArray | None]:
        """Rows inside, and rows outside where there is a box."""
        for name in box:
            if name not in self.columns[:-1]:
                raise InvalidInput(f"{self.source}, box: {UnknownName('input column', name, self.columns[:-1])}")
        inside = rows_inside(self.rows, self.columns, box, where=self.source, options=self.options)
        return self.rows[inside], self.rows[~inside] if box else None

    def bounds(self, rows: FloatArray) -> Domain:
        """The range of every variable, a little wider where it has one value only."""
        return {name: bounds_of(values) for name, values in zip(self.variables, rows[:, :-1].T, strict=True)}

    def with_target(self, rows: FloatArray, tree: Expression) -> FloatArray:
        """The rows with the values of the formula as their target."""
        return np.column_stack([rows[:, :-1], table_values(tree, self.variables, rows[:, :-1])])


def read_numbers(table: Any, target: str, options: TableOptions) -> NumberTable:
    """All columns as numbers, the target last."""
    reading = as_reading(table, options, label=target, option="target")
    columns = (*(column.name for column in reading.columns if column.name != target), target)
    if len(columns) == 1:
        raise InvalidInput(f"{reading.source}: no column is left besides the target {target!r}.")
    renamed = dict(zip(columns, formula_names(columns), strict=True))
    rows = number_columns(reading, columns, options, target=target)
    return NumberTable(rows=rows, columns=columns, renamed=renamed, options=options, readings=[reading])
