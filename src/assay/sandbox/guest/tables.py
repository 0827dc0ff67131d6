"""The tables of one run, loaded and not yet seen by anybody's code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd

from assay.sandbox.guest.rows import RowSource

__all__ = ["LoadedTables"]


@dataclass(frozen=True, slots=True)
class LoadedTables:
    """The tables of one run as data frames; nobody's code has seen them yet."""

    frame: pd.DataFrame
    rows: RowSource
    train: pd.DataFrame | None = None
    auxiliary: Mapping[str, pd.DataFrame] = field(default_factory=dict)

    @property
    def columns(self) -> Mapping[str, int]:
        """The places of the columns of a row."""
        return self.rows.positions
