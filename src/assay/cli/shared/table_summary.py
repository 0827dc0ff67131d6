"""How the columns of a user's table were read, in a few lines on standard error."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.shared.output import echo_wrapped
from assay.core.display import counted, shell_word

if TYPE_CHECKING:
    from assay.intake.table.reading import TableReading

__all__ = ["tell_columns"]

_SHOWN = 12  # names of a kind
_ROLES: Mapping[str, str] = {
    "identifier": "identifiers",
    "constant": "constants",
    "free-text": "texts",
    "time": "times",
    "feature-category": "categories",
}
_TYPES: Mapping[str, str] = {
    "integer": "numbers",
    "float": "numbers",
    "boolean": "yes or no",
    "text": "categories",
    "datetime": "times",
}


def tell_columns(
    reading: TableReading,
    *,
    target: str,
    role: str = "label",
    left_out: Mapping[str, str] | None = None,
    ignored: Collection[str] = (),
) -> None:
    """Say how a table was read: its target, its columns by kind, what was left out and why, what was skipped."""
    groups: dict[str, list[str]] = {}
    for column in reading.columns:
        if column.name != target and column.name not in (left_out or {}) and column.name not in ignored:
            groups.setdefault(_ROLES.get(column.role) or _TYPES[column.type], []).append(column.name)
    parts = [f"{role} {target}", *(f"{kind}: {_listed(names)}" for kind, names in groups.items())]
    click.echo(f"{Path(reading.source).name}, {counted(len(reading.frame), 'row')}: {'; '.join(parts)}", err=True)
    for name, reason in (left_out or {}).items():
        click.echo(f"Left out: {name} ({reason}). Use it with --keep {shell_word(name)}.", err=True)
    for note in reading.notes:
        if not note.startswith("Left out as requested"):
            echo_wrapped(f"Note: {note}", err=True)


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
