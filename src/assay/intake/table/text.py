"""The reading of a table as text: nothing is cut; what does not fit beside each other is stacked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.core.display import visible, wrapped
from assay.intake.table.column_reading import ColumnReading

__all__ = ["reading_text"]

_LEAST = 24  # characters for the reasons, else they are stacked


def reading_text(
    size: str, writing: Mapping[str, str], columns: Sequence[ColumnReading], notes: Sequence[str], width: int
) -> str:
    """A head line with the size of the table and how it is written, one row per column, then notes."""
    head = visible(size)
    further = ", ".join(f"{name} {value}" for name, value in writing.items())
    lines = _wrapped(head + (f"; {further}" if further else ""), width)
    rows = [(visible(column.name), column.role, _type(column), _reason(column)) for column in columns]
    titles = ("column", "role", "type", "why")
    widths = [max(len(row[place]) for row in (titles, *rows)) for place in range(3)]
    rest = width - sum(widths) - 6
    lines.append("")
    if rest >= _LEAST:
        lines += _row(titles, widths, rest)
        for row in rows:
            lines += _row(row, widths, rest)
    else:
        for name, role, kind, why in rows:
            lines += _wrapped(name, width) + _wrapped(f"{role}, {kind}: {why}", width, indent="    ")
    warnings = [(column.name, column.warning) for column in columns if column.warning]
    if warnings:
        lines.append("")
        for name, warning in warnings:
            lines += _wrapped(f"warning: {visible(name)}: {visible(warning)}", width, later="  ")
    if notes:
        lines.append("")
        for note in notes:
            lines += _wrapped(f"note: {visible(note)}", width, later="  ")
    return "\n".join(lines)


def _type(column: ColumnReading) -> str:
    return column.type if not column.ambiguous else "text"


def _reason(column: ColumnReading) -> str:
    parts = [visible(column.why)]
    if column.time_format is not None and column.time_format not in column.why and "native" not in column.time_format:
        parts.append(visible(column.time_format))
    if column.timezone is not None:
        parts.append("zones differ" if column.timezone == "mixed" else f"zone {column.timezone}")
    if column.missing:
        parts.append(f"{column.missing} missing")
    return "; ".join(part for part in parts if part)


def _row(cells: tuple[str, str, str, str], widths: list[int], rest: int) -> list[str]:
    fixed = "  ".join(cell.ljust(size) for cell, size in zip(cells[:3], widths, strict=True))
    reasons = _wrapped(cells[3], rest) or [""]
    blank = " " * len(fixed)
    return [f"{fixed}  {reasons[0]}".rstrip(), *(f"{blank}  {line}" for line in reasons[1:])]


def _wrapped(text: str, width: int, *, indent: str = "", later: str | None = None) -> list[str]:
    return wrapped(text, max(width, 20), first=indent, rest=indent if later is None else later)
