"""Any value of an answer or of examination's notes as something that a page can show: texts, lists, tables, trees."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from assay.core import AnyTrack
from assay.core.display import counted
from assay.report.page.addresses import unlike
from assay.report.wording import format_number, shown

__all__ = ["Node", "answer_tree", "shortened", "tree"]

MOST_ROWS = 200  # of a table or a list
MOST_COLUMNS = 24
ALIGNED = 5  # entries from which lists of one length stand beside each other
INLINE = 40  # entries of a list in a line
NESTED = 12  # of a list inside a table or a list
LONGEST = 20_000  # characters of one text
_DEEPEST = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One of: a line, a text of several lines, a table, or named parts; with a note where something is left out."""

    line: str = ""
    text: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    parts: tuple[tuple[str, Node], ...] = ()
    note: str = ""


def answer_tree(track: AnyTrack, payload: bytes) -> Node:
    """A stored answer: its JSON where it is JSON, else what the track decodes; never more than data."""
    try:
        return tree(json.loads(payload))
    except (ValueError, RecursionError):
        pass
    try:
        return tree(track.decode(payload))
    except Exception as error:  # noqa: BLE001 - whatever a track's reader raises, the rest must still be shown
        return Node(line=f"{counted(len(payload), 'byte')} that cannot be read: {type(error).__name__}: {error}")


def tree(value: Any, depth: int = 0) -> Node:
    """A value as a page shows it; what is too long or too deep is cut, and the note says so.

    >>> tree({"a": [1, 2.5], "b": [{"x": 1}, {"x": None}]}).parts[0][1].line
    '1, 2.500'
    >>> tree([{"x": 1}, {"x": None}]).rows
    (('1',), ('none',))
    """
    if hasattr(value, "iloc") and hasattr(value, "columns"):
        return _frame(value)
    if hasattr(value, "tolist"):
        value = value.tolist()
    if is_dataclass(value) and not isinstance(value, type):
        value = {entry.name: getattr(value, entry.name) for entry in fields(value)}
    if depth > _DEEPEST:
        return Node(line="…", note="deeper than is shown here")
    if isinstance(value, Mapping):
        entries = list(_side_by_side(value).items())[:MOST_ROWS]
        parts = tuple((shown(str(name)), tree(entry, depth + 1)) for name, entry in entries)
        return Node(parts=parts, note=_omission(len(value))) if parts else Node(line="none")
    if isinstance(value, list | tuple):
        return _list(list(value), depth)
    if isinstance(value, set | frozenset):
        return _list(sorted(value, key=repr), depth)
    return _scalar(value)


def shortened(node: Node, most: int) -> Node:
    """The same with at most so many rows in each of its tables.

    >>> shortened(tree([{"x": 1}, {"x": 2}, {"x": 3}]), 2).note
    'the first 2 of 3 entries'
    """
    parts = tuple((name, shortened(part, most)) for name, part in node.parts)
    if len(node.rows) <= most:
        return replace(node, parts=parts)
    whole = node.note.partition(" of ")[2] or f"{len(node.rows)} entries"
    return replace(node, parts=parts, rows=node.rows[:most], note=f"the first {most} of {whole}")


def _side_by_side(value: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Lists of one length, for example a score and the neighbours of every query, become the rows of one table."""
    by_size: dict[int, list[str]] = {}
    for name, entry in value.items():
        if (size := _size(entry)) >= ALIGNED and not _is_rich(_plain(entry)[0]):
            by_size.setdefault(size, []).append(name)
    names = max(by_size.values(), key=len, default=[])
    if not 2 <= len(names) < MOST_COLUMNS:
        return value
    rows = [
        {"": place, **dict(zip(map(str, names), row, strict=True))}
        for place, row in enumerate(zip(*(_plain(value[name]) for name in names), strict=True))
    ]
    others = {name: entry for name, entry in value.items() if name not in names}
    return {**others, unlike("each", others): rows}


def _size(value: Any) -> int:
    is_array = hasattr(value, "tolist") and getattr(value, "ndim", 0) > 0
    return len(value) if is_array or isinstance(value, list | tuple) else 0


def _is_rich(value: Any) -> bool:
    """Whether a value has named parts, which no line can hold."""
    if isinstance(value, list | tuple):
        return any(map(_is_rich, value[:3]))
    return isinstance(value, Mapping) or is_dataclass(value)


def _plain(value: Any) -> Sequence[Any]:
    return value.tolist() if hasattr(value, "tolist") else value  # type: ignore[no-any-return]


def _list(values: list[Any], depth: int) -> Node:
    entries, note = values[:MOST_ROWS], _omission(len(values))
    if not values:
        return Node(line="none")
    if all(isinstance(entry, Mapping) for entry in entries):
        names = list(dict.fromkeys(str(name) for entry in entries for name in entry))
        if len(names) <= MOST_COLUMNS and not any(_is_rich(part) for entry in entries for part in entry.values()):
            rows = tuple(
                tuple(_inline(entry[name]) if name in entry else "" for name in names)
                for entry in ({str(name): part for name, part in entry.items()} for entry in entries)
            )
            return Node(columns=tuple(map(shown, names)), rows=rows, note=note)
    if any(_is_rich(entry) or (isinstance(entry, str) and ("\n" in entry or len(entry) > 80)) for entry in entries):
        return Node(
            parts=tuple((str(place), tree(entry, depth + 1)) for place, entry in enumerate(entries, start=1)), note=note
        )
    line = ", ".join(map(_inline, values[:INLINE]))
    return Node(line=line, note=_omission(len(values), INLINE))


def _frame(frame: Any) -> Node:
    part = frame.iloc[:MOST_ROWS, :MOST_COLUMNS]
    return Node(
        columns=tuple(shown(str(name)) for name in part.columns),
        rows=tuple(tuple(_inline(entry) for entry in row) for row in part.itertuples(index=False)),
        note=", ".join(filter(None, [_omission(len(frame)), _omission(frame.shape[1], MOST_COLUMNS, "columns")])),
    )


def _scalar(value: Any) -> Node:
    if isinstance(value, str):
        text = shown(value, lines=True)
        note = _omission(len(text), LONGEST, "characters")
        text = text[:LONGEST]
        return Node(text=text, note=note) if "\n" in text or len(text) > 80 else Node(line=text or "empty", note=note)
    return Node(line=_inline(value))


def _inline(value: Any) -> str:
    if hasattr(value, "tolist"):
        value = value.tolist()
    if value is None or isinstance(value, bool):
        return {True: "yes", False: "no", None: "none"}[value]
    if isinstance(value, float):
        return format_number(value)
    if isinstance(value, Mapping):
        return ", ".join(f"{shown(str(name))}: {_inline(entry)}" for name, entry in value.items())[:LONGEST] or "none"
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        parts = [_inline(entry) for entry in value[:NESTED]]
        more = f", … {len(value)} in all" if len(value) > NESTED else ""
        return f"[{', '.join(parts)}{more}]"
    return shown(str(value), lines=True)[:LONGEST]


def _omission(size: int, most: int = MOST_ROWS, what: str = "entries") -> str:
    return f"the first {most} of {size} {what}" if size > most else ""
