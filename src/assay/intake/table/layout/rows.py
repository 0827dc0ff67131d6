"""Where the table lies in a text: what stands before and after it, its header, its rows; all cells as texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from assay.core import InvalidInput
from assay.core.display import counted, shortened
from assay.intake import limits
from assay.intake.table.layout.parse import parse_body
from assay.intake.table.layout.separators import cut_lines, find_separator, kind_of, split_rows
from assay.intake.table.options import TableOptions
from assay.intake.table.values.words import MISSING, TOTALS

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Cells", "distinct_names", "read_cells", "repeated_names", "trim_rows"]

_HEAD = 200_000  # characters that the layout is found in
_COMMENT = re.compile(r"\s*(#|//|%|--|;;)")
_DECORATION = re.compile(r"[\s|+\-=:_*]*[-=_+*]{2,}[\s|+\-=:_*]*")
_UNIT_CELL = re.compile(r"[\[(]?[^\W\d][^\d]{0,11}[\])]?|[\[(]?[^\w\s]{1,3}[^\W\d]{0,4}[\])]?|[\[(].{0,14}[\])]|")
_TYPE_CELL = re.compile(
    r"(string|str|text|int|integer|float|double|number|numeric|date|datetime|bool|boolean|char|varchar)\w*",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Cells:
    """A table of texts: one column per name, in the order of the file."""

    frame: pd.DataFrame
    names: list[str]
    separator: str | None = None
    header: bool = True
    notes: list[str] = field(default_factory=list)
    first_line: int = 1  # of the body, to name places
    units: dict[int, str] = field(default_factory=dict)
    repeated: tuple[str, ...] = ()  # names that the header has more than once


_NO_TABLE = re.compile(r"\ufeff?\s*(?:(<!doctype html|<html)|[\[{]\s*[\[{\"])", re.IGNORECASE)


def read_cells(text: str, options: TableOptions, what: str) -> Cells:
    """The cells of a delimited text."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    notes: list[str] = []
    hint = re.match(r'\ufeff?"?sep=(.|\\t)"?[;,]*\n', text)
    if hint is not None:
        text = text[hint.end() :]
        sign = {"\\t": "\t"}.get(hint[1], hint[1])
        notes.append(f"The first line, {hint[0].strip()!r}, names the separator.")
        if options.separator is None:
            options = TableOptions(separator=sign, syntax=options.syntax)
    lines = _sample(text)
    if not any(line.strip() for line in lines):
        raise InvalidInput(f"{what}: the file is empty. Give a header line and at least one row.")
    if (match := _NO_TABLE.match(text)) is not None:
        kind = "a page of HTML, not a table: it may be an error page or a login" if match[1] else "JSON, not a table"
        raise InvalidInput(f"{what}: this is {kind}. Give CSV with a header line, Parquet or Excel.")
    cut = find_separator([line for line in lines if not line.startswith("#")] or lines, options, what)
    if cut.sign == "\x1f":
        text = cut_lines(text, cut)
        lines = _sample(text)
    rows = split_rows(lines, cut)
    width = _width([cells for _, cells in rows])
    start, skipped = _first_row(rows, width)
    if start >= len(rows):
        raise InvalidInput(f"{what}: no row of the table was found after {counted(len(rows), 'line')}.")
    body = [cells for _, cells in rows[start + 1 :] if len(cells) == width]
    header = rows[start][1]
    is_header = _is_header(header, body)
    if not is_header and skipped and len(skipped[-1][1]) == width and skipped[-1][1][0].startswith("#"):
        start, header, is_header = start - 1, [cell.lstrip("# ") for cell in skipped[-1][1]], True
        skipped = skipped[:-1]
    if skipped:
        first = shortened(cut.sign.join(skipped[0][1]).strip(cut.sign + " ").replace("\x1f", " "), 50)
        notes.append(f"{counted(len(skipped), 'line')} before the table skipped: {first!r}.")
    first_body = start + 1 if is_header else start
    units: dict[int, str] = {}
    if is_header:
        while first_body < len(rows) - 1 and _is_units(
            rows[first_body][1], [cells for _, cells in rows[first_body + 1 :]], width
        ):
            if not units:
                units = {place: cell for place, cell in enumerate(rows[first_body][1]) if cell}
            notes.append(f"A row of units or descriptions skipped: {shortened(', '.join(rows[first_body][1]), 50)!r}.")
            first_body += 1
        while first_body < len(rows) and _DECORATION.fullmatch(cut.sign.join(rows[first_body][1]).replace("\x1f", " ")):
            first_body += 1
    if first_body >= len(rows):
        raise InvalidInput(f"{what}: the table has no rows. Columns: {', '.join(header)}.")
    line = rows[first_body][0]
    offset = _offset(text, line)
    frame, more = parse_body(text[offset:], cut, width, what=what, first_line=line + 1 + (hint is not None))
    notes += more
    names = list(header) if is_header else [f"#{place + 1}" for place in range(width)]
    name = {"whitespace, two or more": "whitespace"}.get(
        cut.name, "whitespace" if cut.name.startswith("fixed:") else cut.name
    )
    cells = Cells(frame, names, name, is_header, notes, line + 1 + (hint is not None), units)
    _fit_width(cells, what)
    trim_rows(cells)
    if not len(cells.frame):
        raise InvalidInput(f"{what}: the table has no rows. Columns: {', '.join(cells.names)}.")
    cells.repeated = repeated_names(cells.names)
    cells.names = distinct_names(cells.names, cells.notes)
    return cells


def repeated_names(names: Sequence[str]) -> tuple[str, ...]:
    """The names that occur more than once."""
    plain = Counter(" ".join(name.split()) for name in names)
    return tuple(name for name, count in plain.items() if name and count > 1)


def distinct_names(names: Sequence[str], notes: list[str]) -> list[str]:
    """Distinct names; a column without a name is called after its place."""
    header, distinct, changed = set(names), [], []
    seen: set[str] = set()
    for place, name in enumerate(names):
        own = usual = " ".join(name.split()) or f"#{place + 1}"
        number = 2
        while own in seen or (number > 2 and own in header):
            own, number = f"{usual} ({number})", number + 1
        if own != usual:
            changed.append(f"{name!r} in place {place + 1} is called {own!r}")
        seen.add(own)
        distinct.append(own)
    if changed:
        notes.append("Column names that occur more than once: " + "; ".join(changed) + ".")
    return distinct


def trim_rows(cells: Cells) -> None:
    """Leave out rows without any value, comments, and totals at the end."""
    frame = cells.frame
    marked = frame.iloc[:, 0].str.startswith("#")
    if marked.any() and marked.mean() < 0.2:
        whole = frame[~marked].iloc[:200]
        numbered = [place for place in frame if _kind(whole[place].tolist()) in ("number", "time")]
        comments = [
            row
            for row in frame.index[marked]
            if any(kind_of(str(frame.at[row, place])) == "text" for place in numbered)
        ]
        if comments:
            cells.notes.append(f"{counted(len(comments), 'comment line')} among the rows skipped.")
            frame = frame.drop(index=comments).reset_index(drop=True)
    empty = (frame == "").all(axis=1)
    if empty.any():
        cells.notes.append(f"{counted(int(empty.sum()), 'empty row')} skipped.")
        frame = frame[~empty].reset_index(drop=True)
    tail = [list(row) for row in frame.iloc[-min(4, max(1, len(frame) // 3)) :].itertuples(index=False)]
    body = [list(row) for row in frame.iloc[: min(len(frame) - len(tail), 200)].itertuples(index=False)]
    kinds = [_kind([row[place] for row in body]) for place in range(frame.shape[1])]
    dropped = 0
    while tail and body and _is_footer(tail[-1], body, kinds):
        cells.notes.append(
            f"The last row skipped, which is a total or a note: {shortened(', '.join(filter(None, tail[-1])), 50)!r}."
        )
        tail.pop()
        dropped += 1
    cells.frame = frame.iloc[: len(frame) - dropped].reset_index(drop=True)


def _sample(text: str) -> list[str]:
    size = _HEAD
    while size < len(text) and size < 3 * limits.LONGEST_ROW and text.count("\n", 0, size) < 20:
        size *= 4
    lines = text[:size].split("\n")
    if len(text) > size and len(lines) > 1:
        lines.pop()  # it may be cut
    return lines[:2000]


def _width(rows: Sequence[list[str]]) -> int:
    """How many cells most rows have; what stands before and after the table is mostly narrower."""
    usual = Counter(len(cells) for cells in rows if any(cells))
    return max(usual, key=lambda width: (usual[width], width), default=0)


def _first_row(rows: Sequence[tuple[int, list[str]]], width: int) -> tuple[int, list[tuple[int, list[str]]]]:
    """The first row of the table, and what stands before it."""
    skipped: list[tuple[int, list[str]]] = []
    body = [cells for _, cells in rows if len(cells) == width]
    kinds = [_kind([cells[place] for cells in body]) for place in range(width)]
    for place, (start, cells) in enumerate(rows):
        filled = [cell for cell in cells if cell]
        if not filled or _DECORATION.fullmatch("".join(cells)):
            continue
        data = len(cells) == width and sum(
            kind_of(cell) == kind != "text" for cell, kind in zip(cells, kinds, strict=True) if cell
        )
        fits = _ends_empty(body, len(cells)) or (
            len(cells) in (width, width - 1, width + 1) and len(filled) >= max(min(2, width), 0.6 * (width - 1))
        )
        named = width == 2 and len(cells) == 2 and not cells[0] and bool(cells[1])
        if (_COMMENT.match(cells[0]) and not data) or not (fits or named or (data and data >= 2)):
            skipped.append((start, cells))
            continue
        return place, skipped
    return len(rows), skipped


def _ends_empty(body: Sequence[list[str]], width: int) -> bool:
    """Whether rows hold nothing behind so many cells."""
    return (
        width > 1 and bool(body) and not any(cell for cells in body for cell in cells[width:]) and width < len(body[0])
    )


def _kind(cells: Sequence[str]) -> str:
    """What most cells of a column look like, those without a value aside."""
    kinds = Counter(kind for kind in map(kind_of, cells) if kind != "empty")
    return kinds.most_common(1)[0][0] if kinds else "empty"


def _is_header(first: Sequence[str], body: Sequence[list[str]]) -> bool:
    """Whether the first row names columns: texts over numbers and times, or texts that do not occur again below."""
    if not body:
        return not any(kind_of(cell) in ("number", "time") for cell in first)
    kinds = [_kind([cells[place] for cells in body]) for place in range(len(body[0]))]
    shift = len(kinds) - len(first)  # R leaves the name of the row names out
    pairs = [
        (cell, kinds[place + max(shift, 0)]) for place, cell in enumerate(first) if place + max(shift, 0) < len(kinds)
    ]
    kinds_above = [kind_of(cell) for cell, _ in pairs]
    numbers = [
        cell
        for (cell, below), kind in zip(pairs, kinds_above, strict=True)
        if kind == below and kind != "text" and cell
    ]
    if numbers:
        years = [int(cell) for cell in numbers if cell.isdecimal()]
        steps = {after - before for before, after in pairwise(years)}
        return len(years) == len(numbers) > 1 and len(steps) == 1 and 0 not in steps and "text" in kinds_above
    if any(kind in ("number", "time") for _, kind in pairs):
        return "text" in kinds_above
    if shift == 0:
        columns = [{cells[place] for cells in body} for place in range(len(first))]
        if any(cell and cell in values for cell, values in zip(first, columns, strict=True)):
            return False
    return True


def _is_units(cells: Sequence[str], below: Sequence[list[str]], width: int) -> bool:
    """A row below the header in which columns of numbers have no number."""
    if len(cells) != width:
        return False
    kinds = [_kind([row[place] for row in below[:200] if len(row) == width]) for place in range(width)]
    over = [cell for cell, kind in zip(cells, kinds, strict=True) if kind in ("number", "time")]
    if not over or any(kind_of(cell) in ("number", "time") for cell in over):
        return False
    entries = [
        cell
        for cell in over
        if cell and (_UNIT_CELL.fullmatch(cell) or _TYPE_CELL.fullmatch(cell) or cell.lower() not in MISSING)
    ]
    values = [cell for cell in entries if cell.lower() not in MISSING]
    return len(entries) == len([cell for cell in over if cell]) and len(values) >= max(1, len(over) / 2)


def _is_footer(cells: Sequence[str], body: Sequence[list[str]], kinds: Sequence[str]) -> bool:
    filled = [cell for cell in cells if cell]
    usual = sum(sum(map(bool, row)) for row in body) / len(body)
    wrong = sum(kind_of(cell) == "text" and kind in ("number", "time") for cell, kind in zip(cells, kinds, strict=True))
    if not filled:
        return True
    total = any(TOTALS.match(cell) for cell in filled if kind_of(cell) == "text")
    body_cells = {cell for row in body for cell in row}
    if total and not any(TOTALS.match(cell) and cell in body_cells for cell in filled):
        return len(filled) < usual or wrong > 0 or TOTALS.match(cells[0]) is not None
    return len(cells) > 2 and len(filled) == 1 and kind_of(filled[0]) == "text" and usual > 2


def _offset(text: str, line: int) -> int:
    place = 0
    for _ in range(line):
        place = text.find("\n", place) + 1
    return place


def _fit_width(cells: Cells, what: str) -> None:
    """Make header and rows equally wide: separators at line ends, and row names that the header leaves out."""
    import pandas as pd

    frame, names = cells.frame, cells.names
    while len(names) > frame.shape[1] and not names[-1]:
        names.pop()
    width = frame.shape[1]
    if len(names) > width:
        raise InvalidInput(
            f"{what}: the header names {counted(len(names), 'column')}, the rows have {counted(width, 'cell')}: "
            f"{shortened(', '.join(names), 80)}. Give every row one cell per column."
        )
    while frame.shape[1] > 1 and (frame.iloc[:, -1] == "").all() and not any(names[frame.shape[1] - 1 :]):
        frame = frame.iloc[:, :-1]
        del names[frame.shape[1] :]
    if frame.shape[1] < width:
        cells.notes.append("Every line ends with a separator; the empty column after it was left out.")
    if frame.shape[1] > 2 and names and not names[0] and (frame.iloc[:, 0] == "").all():
        frame = frame.iloc[:, 1:]
        del names[0]
    if len(names) == frame.shape[1] - 1:
        names.insert(0, "")
        cells.notes.append(
            "The header has one name fewer than the rows have cells: the first column is read as row names."
        )
    names += [""] * (frame.shape[1] - len(names))
    frame.columns = pd.RangeIndex(frame.shape[1])
    cells.frame, cells.names = frame, names
