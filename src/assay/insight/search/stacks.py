"""Two tables as one: rows of the same kind that are kept in two places, such as past claims and those at hand."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pandas as pd

from assay.insight.search.kernels import KERNELS
from assay.insight.search.links import Link
from assay.insight.search.typed_tables import SELF, Ref, Stack, TableData, TypedTable, read_typed, words_of

__all__ = ["Stacked", "stack_tables"]

_MOST_STACKS = 2
_MOST_ROWS = 200_000
_LEAST_SHARED = 1.2  # rows of a key in either table, on average: else one of them describes the key

Stacked = tuple[TypedTable, str]  # the table, and the key that both have


def stack_tables(
    data: TableData, tables: Sequence[TypedTable], links: Sequence[Link], *, itself: bool
) -> list[Stacked]:
    """Tables that have a key and something else in common, as one; the primary one only where its rows may count."""
    stacks: list[Stacked] = []
    for a, b in itertools.combinations(tables, 2):
        if (a.name == SELF and not itself) or len(a.frame) + len(b.frame) > _MOST_ROWS:
            continue
        for key in _keys(a, b, links):
            columns = _common(a, b)
            if key not in columns or len(columns) < 2 or not all(_repeated(data, table, key) for table in (a, b)):
                continue
            dates = (a.clock.column, b.clock.column) if a.clock and b.clock else ()
            used = tuple(name for name in columns if name != "date")
            stack = Stack(a.name, b.name, used, dates)
            frame: pd.DataFrame = KERNELS["stacked"](a.frame, b.frame, [*used], dates)
            name = f"{words_of(a.name) if a.name else 'rows'} and {words_of(b.name)}"
            data.frames[name] = frame
            table = read_typed(name, frame, data=data)
            table.clock, table.stack = (Ref("date") if dates else None), stack
            stacks.append((table, key))
            break
    return stacks[:_MOST_STACKS]


def _keys(a: TypedTable, b: TypedTable, links: Sequence[Link]) -> list[str]:
    """Keys of the primary table that lead to both under one name."""
    mine = {link.column for link in links if link.left == SELF and link.right == b.name and link.column == link.other}
    if a.name != SELF:
        mine &= {k.column for k in links if k.left == SELF and k.right == a.name and k.column == k.other}
    sizes = {column.ref.column: column.distinct for column in b.columns if column.kind == "key"}
    return sorted(mine & sizes.keys(), key=lambda name: (-sizes[name], name))


def _common(a: TypedTable, b: TypedTable) -> list[str]:
    """Columns of one name and kind."""
    kinds = {column.ref.column: column.kind for column in a.columns if column.ref.key is None}
    return [
        column.ref.column
        for column in b.columns
        if column.ref.key is None and column.kind != "date" and kinds.get(column.ref.column) == column.kind
    ]


def _repeated(data: TableData, table: TypedTable, key: str) -> bool:
    return len(table.frame) >= _LEAST_SHARED * max(len(data.key_set(table.name, Ref(key))), 1)
