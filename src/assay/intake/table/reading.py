"""A table as it was read, column by column: what each was taken for, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ColumnReading", "Role", "TableReading", "Type"]

Role = Literal[
    "label", "feature-number", "feature-category", "boolean", "free-text", "identifier", "constant", "time",
    "case", "activity", "resource",
]  # fmt: skip
Type = Literal["integer", "float", "boolean", "text", "datetime"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnReading:
    """What one column was taken for.

    Parameters
    ----------
    name : str
        Its name in the header.
    role : str
        The part it plays.
    type : str
        The type of its values.
    why : str
        The reason in a few words, with a value where one tells.
    missing : int, default 0
        How many cells are empty or say that nothing is there.
    time_format : str, optional
        How its times are written: as ``strptime`` has it, ``epoch-seconds``, ``epoch-milliseconds``,
        ``excel-serial`` or ``native timestamp``.
    timezone : str, optional
        The time zone that its times name.
    ambiguous : bool, default False
        Whether day and month cannot be told apart; such times are left as texts.
    warning : str, default ""
        What the user should know before it is used.
    """

    name: str
    role: Role
    type: Type
    why: str
    missing: int = 0
    time_format: str | None = None
    timezone: str | None = None
    ambiguous: bool = False
    warning: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableReading:
    """A table with what is known of it.

    Parameters
    ----------
    source : str
        The file, or ``frame``.
    frame : DataFrame
        The values with the types that were found: numbers, booleans, texts, times in UTC where a zone is known.
    columns : tuple of ColumnReading
        One per column, in their order.
    separator, decimal, encoding : str or None
        How the file is written; None where that does not apply.
    header : bool, default True
        Whether the file names its columns; otherwise they are called ``#1``, ``#2``, ...
    notes : tuple of str, optional
        What was passed over or repaired, one sentence each.
    """

    source: str
    frame: pd.DataFrame
    columns: tuple[ColumnReading, ...]
    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    header: bool = True
    notes: tuple[str, ...] = ()
