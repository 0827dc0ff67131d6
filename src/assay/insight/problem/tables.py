"""Auxiliary tables by file name, read on first access."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pandas as pd

from assay.intake.csv_scan import scan_csv
from assay.intake.tables import read_checked_csv

__all__ = ["Tables"]


class Tables(Mapping[str, pd.DataFrame]):
    """Tables that are scanned at once and parsed when needed; pickled, they carry their content and need no files."""

    def __init__(self, frames: Mapping[str, pd.DataFrame], paths: Mapping[str, Path] | None = None) -> None:
        self._frames = dict(frames)
        self._paths = dict(paths or {})

    @classmethod
    def of_folder(cls, folder: Path, *, apart: frozenset[str]) -> Tables:
        """The CSV files of a folder except those named; an unreadable file raises InvalidInput now, not on access."""
        paths = {path.name: path for path in sorted(folder.glob("*.csv")) if path.name not in apart}
        for path in paths.values():
            scan_csv(path)
        return cls({}, paths)

    def __getitem__(self, name: str) -> pd.DataFrame:
        if name not in self._frames:
            self._frames[name] = read_checked_csv(self._paths[name], scanned=True)
        return self._frames[name]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*self._frames, *self._paths}))

    def __len__(self) -> int:
        return len({*self._frames, *self._paths})

    def __contains__(self, name: object) -> bool:
        return name in self._frames or name in self._paths

    def __repr__(self) -> str:
        return f"Tables({', '.join(self)})"

    def __reduce__(self) -> tuple[type[Tables], tuple[dict[str, pd.DataFrame]]]:
        return Tables, ({name: self[name] for name in self},)
