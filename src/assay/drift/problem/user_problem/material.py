"""What a user gives to make a drift problem of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from assay.core import Tags
from assay.drift.detection.drift import Drift
from assay.intake.table.options import TableOptions

__all__ = ["Cause", "Material"]


class Cause(NamedTuple):
    """What changed a process, as a user says it: when (a date, a case or a drift's id) and which documents tell it.

    Without documents it says that no document explains the drift.
    """

    when: str | date
    documents: tuple[str, ...]
    place: str  # where the user said so, for messages


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Material:
    """Everything a user said; what is left out is detected."""

    log: Any  # a file, an EventLog or a frame
    documents: Any  # a folder or a Corpus
    causes: tuple[Cause, ...] = ()
    causes_table: Any = None  # a file or a frame
    drifts: tuple[str | date | Drift, ...] = ()
    detections: Path | None = None
    within: float = 30.0
    process: str | None = None
    glossary: Path | Mapping[str, str] | None = None
    id: str | None = None
    tags: Tags = field(default_factory=dict)
    options: TableOptions = field(default_factory=TableOptions)

    def remedy(self, option: str, value: str, *, role: str = "") -> str:
        """How the user would say it."""
        wording = self.options.remedy(option, value, role=role)
        return wording.replace(repr(value), value) if option == "within" else wording  # a number
