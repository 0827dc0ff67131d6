"""What a user says about a table; the rest is detected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from assay.core.display import shell_word

__all__ = ["TableOptions"]

Syntax = Literal["flags", "arguments"]
_FLAGS = {
    "columns": "--column", "separator": "--sep", "time_format": "--time-format", "table_times": "--table-time",
    "target_time": "--target-time", "expert_columns": "--expert-column",
    "meanings": "--meaning", "causes": "--cause", "drifts": "--drift",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOptions:
    """What a user says of a table.

    Parameters
    ----------
    columns : mapping of str to str, optional
        The column that plays a role, by role: ``{"label": "species"}``.
    ignore : tuple of str, optional
        Columns to leave out.
    time_format : str, optional
        How times are written, as ``strptime`` has it: ``%d.%m.%Y %H:%M``.
    separator : str, optional
        What stands between two cells.
    encoding : str, optional
        The encoding of the text.
    timezone : str, optional
        The time zone of times that name none, as an IANA name.
    syntax : {"flags", "arguments"}, default "arguments"
        How remedies are written: as flags of a command, or as arguments of a function.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    ignore: tuple[str, ...] = ()
    time_format: str | None = None
    separator: str | None = None
    encoding: str | None = None
    timezone: str | None = None
    syntax: Syntax = "arguments"

    def remedy(self, option: str, value: str, *, role: str = "") -> str:
        """How the user would give an option here.

        >>> TableOptions(syntax="flags").remedy("columns", "Vorgang", role="case")
        '--column case=Vorgang'
        >>> TableOptions().remedy("columns", "Vorgang", role="case")
        "columns={'case': 'Vorgang'}"
        >>> TableOptions(syntax="flags").remedy("time_format", "%d.%m.%Y")
        '--time-format %d.%m.%Y'
        """
        if self.syntax == "arguments":
            return f"{option}={{{role!r}: {value!r}}}" if role else f"{option}={value!r}"
        text = f"{role}={value}" if role else value
        return f"{_FLAGS.get(option, f'--{option}')} {shell_word(text)}"
