"""A user's tables: reading them, and choosing the main one, which has one row per prediction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from assay.core import InvalidInput
from assay.core.errors import suggest
from assay.insight.problem.user_problem.material import Material
from assay.intake.new_problem import as_reading, with_labels
from assay.intake.table.reading import TableReading

__all__ = ["as_in_file", "choose_main", "labelled_readings", "read_tables"]


def read_tables(material: Material) -> dict[str, TableReading]:
    """Every table, without the columns to be ignored; a time format must fit one of them at least."""
    options = replace(material.options, ignore=(), columns={})
    readings: dict[str, TableReading] = {}
    unfit: dict[str, InvalidInput] = {}
    for name, source in material.tables.items():
        try:
            readings[name] = as_reading(source, options)
        except InvalidInput as error:
            if options.time_format is None:
                raise
            readings[name], unfit[name] = as_reading(source, replace(options, time_format=None)), error
    if len(unfit) == len(readings):
        raise next(iter(unfit.values()))
    known = [column.name for reading in readings.values() for column in reading.columns]
    for entry in dict.fromkeys([*material.ignore, *material.options.ignore]):
        table, dot, column = entry.partition(".")
        ignored = column if dot and table in readings else entry
        having = [
            name
            for name, reading in readings.items()
            if ignored in reading.frame.columns and (ignored == entry or name == table)
        ]
        if not having:
            raise InvalidInput(f"{options.remedy('ignore', entry)}: no such column. {suggest(ignored, known)}")
        if ignored == material.target and (ignored == entry or table == material.main):
            raise InvalidInput(f"{options.remedy('ignore', entry)}: this is the target, which cannot be left out.")
        readings |= {name: as_reading(readings[name], replace(options, ignore=(ignored,))) for name in having}
    return readings


def choose_main(material: Material, readings: Mapping[str, TableReading]) -> Material:
    """The material with its main table: the one that is named, the only one, or the only one with the target."""
    for name in material.table_times:
        if name not in readings:
            raise InvalidInput(f"{material.remedy('table_times', '...', role=name)}: {_no_table(name, readings)}")
    if material.main is None:
        having = [name for name, reading in readings.items() if material.target in reading.frame.columns]
        if len(having) > 1:
            raise InvalidInput(
                f"the target {material.target!r} is a column of {' and '.join(having)}: say which of them has one row "
                f"per prediction: {material.remedy('main', having[0])}."
            )
        if not having:
            every = {str(column): name for name, reading in readings.items() for column in reading.frame.columns}
            raise InvalidInput(
                f"{material.remedy('target', material.target)}: no table has such a column. "
                f"{suggest(material.target, list(every))}"
            )
        return replace(material, main=having[0])
    if material.main not in readings:
        raise InvalidInput(f"{material.remedy('main', material.main)}: {_no_table(material.main, readings)}")
    columns = [str(column) for column in readings[material.main].frame.columns]
    if material.target not in columns:
        raise InvalidInput(
            f"{material.remedy('target', material.target)}: not a column of {material.main!r}. "
            f"{suggest(material.target, columns)}"
        )
    return material


def _no_table(name: str, readings: Mapping[str, TableReading]) -> str:
    return f"no table of that name. {suggest(name, list(readings))}"


def as_in_file(reading: TableReading) -> pd.DataFrame:
    """The frame with truth values as the file writes them, so that functions see yes and no where the user does."""
    words = {name: reading.classes(name) for name in reading.written if name in reading.frame.columns}
    return reading.frame.assign(**words).reset_index(drop=True)


def labelled_readings(material: Material, readings: Mapping[str, TableReading]) -> tuple[TableReading, ...]:
    """The readings with the one label that there is: the target."""
    return tuple(
        with_labels(reading, (material.target,) if name == material.main else ()) for name, reading in readings.items()
    )
