"""The tables of one run, loaded and not yet seen by untrusted code.

A holder has those that several runs share, and each guest loads what only its own run has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

from assay.sandbox.guest.rows import RowSource
from assay.sandbox.transfer import load_table

__all__ = ["LoadedTables", "NamedTables"]


@dataclass(frozen=True, slots=True)
class LoadedTables:
    """The tables of one run as data frames, before untrusted code has seen them."""

    frame: pd.DataFrame
    rows: RowSource
    train: pd.DataFrame | None = None
    auxiliary: Mapping[str, pd.DataFrame] = field(default_factory=dict)

    @property
    def columns(self) -> Mapping[str, int]:
        """The places of the columns of a row."""
        return self.rows.positions


class NamedTables:
    """Tables by name: ``rows``, ``train`` and, with a slash before them, auxiliary ones."""

    def __init__(self, names: Sequence[str], descriptors: Sequence[int]) -> None:
        self._frames = {name: load_table(place) for name, place in zip(names, descriptors, strict=True)}
        self._rows = RowSource(self._frames["rows"]) if "rows" in self._frames else None

    def complete(self, names: Sequence[str], descriptors: Sequence[int], auxiliary: Sequence[str]) -> LoadedTables:
        """All tables of one run, with those that it alone has; auxiliary ones in the order given."""
        added = NamedTables(names, descriptors)
        frames = {**self._frames, **added._frames}
        rows = self._rows if added._rows is None else added._rows
        assert rows is not None
        return LoadedTables(frames["rows"], rows, frames.get("train"), {name: frames[f"/{name}"] for name in auxiliary})
