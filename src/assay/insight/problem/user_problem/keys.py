"""The columns by which tables are joined, and a check that no row of the main table is repeated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from assay.core import InvalidInput
from assay.core.errors import suggest
from assay.insight.problem.user_problem.material import Material
from assay.insight.search.kernels import keys_of
from assay.insight.search.links import Link, find_links
from assay.insight.search.typed_tables import SELF, TableData, read_typed
from assay.intake.table.reading import TableReading

__all__ = ["Keys", "demand_different_rows", "find_keys"]

_LOOKED_AT = 20_000  # rows of a table


class Keys(NamedTuple):
    """The column of the main table that identifies its rows, if any; how each table is joined, also in words."""

    key: str | None
    words: dict[str, str]
    links: dict[str, Link]  # of the tables that are joined to the main one


def find_keys(material: Material, readings: Mapping[str, TableReading]) -> Keys:
    """Columns of equal names or values; a table that shares a name but no value with the main table is refused."""
    assert material.main is not None
    main = readings[material.main]
    frames = {name: reading.frame.head(_LOOKED_AT) for name, reading in readings.items() if name != material.main}
    primary = main.frame.drop(columns=material.target)
    data = TableData(primary, frames)
    typed = {name: read_typed(name, data.frames[name], data=data) for name in (SELF, *frames)}
    words: dict[str, str] = {}
    reached: dict[str, Link] = {}
    for name in frames:
        _demand_shared_values(material, readings, name)
        links = find_links(data, typed[SELF], typed[name])
        if links:
            reached[name] = links[0]
            words[name] = f"{material.main}.{links[0].column} = {name}.{links[0].other}"
    for name in frames:
        if name in reached:
            continue
        over = [link for other in reached for link in find_links(data, typed[other], typed[name]) if link.named]
        words[name] = f"{over[0].left}.{over[0].column} = {name}.{over[0].other}" if over else "no key found"
    return Keys(_row_key(material, main, reached), words, reached)


def _demand_shared_values(material: Material, readings: Mapping[str, TableReading], name: str) -> None:
    """Columns of one name without a common value are written differently: 17 in one table, C-017 in the other."""
    assert material.main is not None
    main, other = readings[material.main], readings[name]
    keys = {column.name for column in main.columns if column.role in ("identifier", "case")}
    for column in other.columns:
        if column.name not in keys:
            continue
        mine, theirs = main.frame[column.name].dropna(), other.frame[column.name].dropna()
        if len(mine) and len(theirs) and not {*keys_of(mine)} & {*keys_of(theirs)}:
            raise InvalidInput(
                f"{other.source}: no value of the key {column.name!r} is one of {material.main!r} "
                f"({str(theirs.iloc[0])!r} here, {str(mine.iloc[0])!r} there). Write them alike, or leave the column "
                f"out: {material.remedy('ignore', f'{name}.{column.name}')}."
            )


def _row_key(material: Material, main: TableReading, links: Mapping[str, Link]) -> str | None:
    if material.key is not None:
        names = [column.name for column in main.columns]
        if material.key not in names:
            raise InvalidInput(
                f"{material.remedy('key', material.key)}: no such column in {material.main!r}. "
                f"{suggest(material.key, names)}"
            )
        return material.key
    linked = [link.column for link in links.values() if link.named]
    identifiers = [column.name for column in main.columns if column.role == "identifier"]
    return next(iter([name for name in linked if name in identifiers] or identifiers or linked), None)


def demand_different_rows(
    material: Material, source: str, frame: pd.DataFrame, key: str | None, time: str | None
) -> None:
    """No row is repeated, and a key that the user names occurs once at each prediction time."""
    same = frame.duplicated(keep=False).to_numpy()
    if key is not None and same.any():
        first = int(same.argmax())
        row = frame.iloc[first]
        second = next(at for at in range(first + 1, len(frame)) if frame.iloc[at].equals(row))
        raise InvalidInput(
            f"{source}: rows {first + 1} and {second + 1} are the same ({key} {row[key]!s}); "
            f"{int(frame.duplicated().sum())} rows are repetitions. Remove them: one row per prediction."
        )
    if material.key is None:
        return
    by = [material.key] if time is None or time == material.key else [material.key, time]
    twice = frame.duplicated(subset=by)
    if twice.any():
        value = frame.loc[twice, material.key].iloc[0]
        at = "" if len(by) == 1 else f" at one prediction time ({frame.loc[twice, by[1]].iloc[0]!s})"
        raise InvalidInput(
            f"{source}: the key {material.key!r} holds {value!s} in several rows{at}. One row per prediction: remove "
            f"the others, or name the column that tells them apart: {material.remedy('key', 'COLUMN')}."
        )
