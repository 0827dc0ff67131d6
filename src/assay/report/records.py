"""The records of results as a sequence that is short to look at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

from assay.core import Record
from assay.report.wording import shown

__all__ = ["Records"]


class Records(Sequence[Record]):
    """Records in the order of the plans; very many of them are read when they are asked for."""

    def __init__(self, entries: Sequence[Record], *, keep: object = None) -> None:
        self._entries = entries
        self._keep = keep  # a temporary folder lives as long as its records

    @overload
    def __getitem__(self, place: int) -> Record: ...
    @overload
    def __getitem__(self, place: slice) -> Records: ...
    def __getitem__(self, place: int | slice) -> Record | Records:
        return Records(self._entries[place], keep=self._keep) if isinstance(place, slice) else self._entries[place]

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Record]:
        return iter(self._entries)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        if not self:
            return "Records(0)"
        first = self[0]
        return shown(f"Records({len(self)}: records[0] is {first.problem} / {first.subject} / seed {first.seed})")
