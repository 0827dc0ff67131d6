"""How one column was read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["ColumnReading", "Role", "Type"]

Role = Literal[
    "label", "feature-number", "feature-category", "boolean", "free-text", "identifier", "constant", "time",
    "case", "activity", "resource",
]  # fmt: skip
Type = Literal["integer", "float", "boolean", "text", "datetime"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnReading:
    """How one column was read.

    Parameters
    ----------
    name : str
        Its name in the header.
    role : str
        The part it plays.
    type : str
        The type of its values as they are written; times that are written as numbers keep the type of the number.
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
