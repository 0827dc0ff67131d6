"""Sequences with a short repr: the records of results, and a base class for other lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Self, TypeVar, overload

from assay.core import Record
from assay.report.wording import shown

__all__ = ["Entries", "Records"]

EntryT = TypeVar("EntryT")


class Entries(Sequence[EntryT]):
    """A sequence whose parts are of its own kind."""

    def __init__(self, entries: Iterable[EntryT]) -> None:
        self._entries: Sequence[EntryT] = tuple(entries)

    @overload
    def __getitem__(self, place: int) -> EntryT: ...
    @overload
    def __getitem__(self, place: slice) -> Self: ...
    def __getitem__(self, place: int | slice) -> EntryT | Self:
        return self._part(self._entries[place]) if isinstance(place, slice) else self._entries[place]

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[EntryT]:
        return iter(self._entries)

    def _part(self, entries: Sequence[EntryT]) -> Self:
        return type(self)(entries)


class Records(Entries[Record]):
    """Records in the order of the plans; very many of them are read when they are asked for."""

    def __init__(self, entries: Sequence[Record], *, keep: object = None) -> None:
        self._entries = entries
        self._keep = keep  # a temporary folder lives as long as its records

    def _part(self, entries: Sequence[Record]) -> Self:
        return type(self)(entries, keep=self._keep)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        if not self:
            return "Records(0)"
        first = self[0]
        return shown(f"Records({len(self)}: records[0] is {first.problem} / {first.subject} / seed {first.seed})")
