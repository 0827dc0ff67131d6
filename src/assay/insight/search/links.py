"""Which columns of two tables mean the same things, by their names and by the values they share."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from assay.insight.search.typed_tables import SELF, Column, Ref, TableData, TypedTable, describe

__all__ = ["Link", "find_links", "reach_out"]

_LINKABLE = ("key", "category", "text", "date", "number")
_ID = re.compile(r"(^|_|[a-z])(id|key|code|uuid|number|no)$", re.IGNORECASE)
_LONGEST_LIST = 200
_MOST_REACHED = 60  # columns of other tables that one table sees


@dataclass(frozen=True, slots=True)
class Link:
    """A column of one table whose values are found in a column of another; ``unique``: each in one row only."""

    left: str
    column: str
    right: str
    other: str
    unique: bool
    overlap: float
    named: bool
    listed: bool = False  # a short list by kind: what its first row says of a kind can be looked up

    @property
    def identifies(self) -> bool:
        """Whether a value leads to one row."""
        return self.unique or self.listed


def find_links(data: TableData, left: TypedTable, right: TypedTable) -> list[Link]:
    """All that may be joined, the surest first."""
    links: list[Link] = []
    for a in left.columns:
        for b in right.columns:
            link = _link(data, left, a, right, b)
            if link is not None:
                links.append(link)
    sure = [link for link in links if link.named and not _dated(left, link)]
    if sure:  # values of numbered keys and dates agree by chance; where names tell, they decide
        others = [link for link in links if not link.named and _spelled(left, link.column) and not _dated(left, link)]
    elif left.name == SELF:
        others = [link for link in links if link not in sure]
    else:
        others = [link for link in links if _spelled(left, link.column) and not _dated(left, link)]
    return sorted(sure, key=lambda link: -link.overlap) + sorted(others, key=lambda link: -link.overlap)[:3]


def _dated(table: TypedTable, link: Link) -> bool:
    return any(column.kind == "date" and column.ref.column == link.column for column in table.columns)


def reach_out(
    data: TableData, table: TypedTable, others: Sequence[TypedTable], links: Sequence[Link], *, hops: int = 1
) -> None:
    """Give a table the columns of others that its keys identify; with two hops, what those reach as well."""
    reached: set[tuple[str, str]] = set()
    for named in (True, False):  # what names tell before what only values suggest
        front = [
            (Ref(link.column), link)
            for link in links
            if link.left == table.name and link.identifies and link.right != SELF and link.named == named
            and (named or link.right not in {name for name, _ in reached})
        ]  # fmt: skip
        for hop in range(hops if named else 1):
            steps = [link for link in links if link.unique and link.named] if hop + 1 < hops and named else []
            front = _reach(data, table, {other.name: other for other in others}, front, steps, reached)


def _reach(
    data: TableData,
    table: TypedTable,
    others: Mapping[str, TypedTable],
    front: Sequence[tuple[Ref, Link]],
    steps: Sequence[Link],
    reached: set[tuple[str, str]],
) -> list[tuple[Ref, Link]]:
    """One hop; returns the keys and links of the next."""
    following: list[tuple[Ref, Link]] = []
    for key, link in front:
        other = others.get(link.right)
        if other is None or (link.right, link.other) in reached or len(table.columns) > _MOST_REACHED:
            continue
        reached.add((link.right, link.other))
        for column in list(other.columns):
            if column.ref.key is not None or column.ref.column == link.other:
                continue
            ref = Ref(column.ref.column, key, link.right, link.other)
            table.columns.append(describe(data, table.name, ref, column.kind))
            following += [
                (ref, step)
                for step in steps
                if step.left == link.right and step.column == column.ref.column and step.right not in (SELF, table.name)
            ]
    return following


def _spelled(table: TypedTable, column: str) -> bool:
    values: pd.Series[Any] = table.frame[column]
    return not pd.api.types.is_numeric_dtype(values.dtype)


def _name(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def _link(data: TableData, left: TypedTable, a: Column, right: TypedTable, b: Column) -> Link | None:
    if a.ref.key is not None or b.ref.key is not None or a.kind not in _LINKABLE or b.kind not in _LINKABLE:
        return None
    x, y = _name(a.ref.column), _name(b.ref.column)
    same = x == y
    ids = bool(_ID.search(a.ref.column)) and bool(_ID.search(b.ref.column))
    near = not same and min(len(x), len(y)) >= 4 and (x.endswith(y) or y.endswith(x))
    own = y in ("id", "key", "code") and x.startswith(_name(right.words).rstrip("s")[:5])
    counted = "number" in (a.kind, b.kind) and not (ids and (same or near))
    if counted and not (same and a.whole and b.whole and min(a.distinct, b.distinct) > 2):
        return None
    if (a.kind == "date") != (b.kind == "date"):
        return None
    if a.distinct < 2 or b.distinct < 2:
        return None
    mine, theirs = data.key_set(left.name, a.ref), data.key_set(right.name, b.ref)
    overlap = len(mine & theirs) / max(min(len(mine), len(theirs)), 1)
    spelled = _spelled(left, a.ref.column) and _spelled(right, b.ref.column)
    least = 0.02 if same else 0.3 if near or own else 0.6 if spelled else 0.9
    if a.kind == "date":
        least = 0.3
    if counted:
        least = 0.5
    if overlap < least or (not (same or near or own) and not (spelled or ids)):
        return None
    if not (same or near or own) and not spelled and (len(mine) < 20 or not ids):
        return None
    unique = len(theirs) >= 0.999 * right.frame[b.ref.column].notna().sum()
    named = (same or near or own) and not (counted and not unique)  # equal names of plain numbers say little
    short = len(right.frame) <= min(_LONGEST_LIST, len(left.frame) // 5)
    listed = short and same and (a.kind, b.kind) == ("category", "category") and overlap > 0.5
    return Link(left.name, a.ref.column, right.name, b.ref.column, unique, overlap, named, listed)
