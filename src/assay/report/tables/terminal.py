"""Tables that fit a terminal without cutting names or numbers: wide ones are split or stacked."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING, TypeAlias

from assay.report.display import padded, places
from assay.report.wording import shown

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

__all__ = ["Column", "Row", "TerminalTable", "print_whole", "wrapped"]

_GAP = "  "
Row: TypeAlias = tuple[str, ...] | str  # a text alone is a heading over the rows below it


@dataclass(frozen=True, slots=True)
class Column:
    """A heading; a key names its row and is repeated in every part of a table that is too wide.

    Keys are texts at the left unless they are numbers. Headings of numbers stand word below word where they are to be
    ``broken``.
    """

    title: str
    key: bool = False
    number: bool = True
    broken: bool = True

    @property
    def lines(self) -> list[str]:
        """The heading, from top to bottom."""
        return shown(self.title).split(" ") if self.number and self.broken else [shown(self.title)]


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalTable:
    """Columns and rows; every cell is written whole, whatever the width.

    Too wide for one table, the numbers are shared out over several below each other. Keys that take more than half of
    the width stand on lines of their own, above the numbers. ``otherwise`` is another arrangement for that case.
    """

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    title: str = ""
    caption: str = ""
    otherwise: TerminalTable | None = field(default=None, repr=False)

    def text(self, width: int) -> str:
        """The table with its title above and its caption below."""
        if self.otherwise is not None and self._width(range(len(self.columns))) > width:
            return self.otherwise.text(width)
        parts = ["\n".join(["", *wrapped(self.title, width)])] if self.title else []
        parts += ["\n".join(part) for part in self._parts(width)]
        parts += ["\n".join(wrapped(self.caption, width))] if self.caption else []
        return "\n".join(parts)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.segment import Segment

        yield Segment(self.text(options.max_width) + "\n")

    def _width(self, chosen: Sequence[int]) -> int:
        return sum(self._widths(chosen)) + len(_GAP) * (len(chosen) - 1)

    def _widths(self, chosen: Sequence[int]) -> list[int]:
        cells = [row for row in self.rows if not isinstance(row, str)]
        return [
            max(*map(places, self.columns[at].lines), 0, *(places(shown(row[at])) for row in cells if at < len(row)))
            for at in chosen
        ]

    def _parts(self, width: int) -> Iterator[list[str]]:
        """The lines of each table that this one becomes."""
        everything = list(range(len(self.columns)))
        if self._width(everything) <= width:
            yield self._side_by_side(everything)
            return
        keys = [at for at in everything if self.columns[at].key]
        others = [at for at in everything if at not in keys]
        room = width - self._width(keys) - len(_GAP)
        beside, stacked = self._blocks(others, room), self._blocks(others, width - len(_GAP))
        fits = 2 * self._width(keys) <= width and max(self._widths(others), default=0) <= room
        is_beside = fits and len(beside) <= 2 * len(stacked)
        for number, block in enumerate(beside if is_beside else stacked):
            lines = self._side_by_side([*keys, *block]) if is_beside else self._stacked(keys, block, width)
            yield ["", *lines] if number else lines

    def _blocks(self, chosen: Sequence[int], room: int) -> list[list[int]]:
        """Columns in their order, as many together as there is room for."""
        blocks: list[list[int]] = [[]]
        for at in chosen:
            if blocks[-1] and self._width([*blocks[-1], at]) > room:
                blocks.append([])
            blocks[-1].append(at)
        return blocks

    def _side_by_side(self, chosen: Sequence[int]) -> list[str]:
        widths = self._widths(chosen)
        headings = zip_longest(*(self.columns[at].lines for at in chosen), fillvalue="")
        lines = [self._line(heading, chosen, widths) for heading in headings]
        lines.append("─" * max(self._width(chosen), 1))
        for number, row in enumerate(self.rows):
            if isinstance(row, str):
                lines += [*([""] if number else []), shown(row)]
            else:
                lines.append(self._line([row[at] if at < len(row) else "" for at in chosen], chosen, widths))
        return lines

    def _stacked(self, keys: Sequence[int], block: Sequence[int], width: int) -> list[str]:
        """Keys above, numbers below them."""
        widths = self._widths(block)
        headings = zip_longest(*(self.columns[at].lines for at in block), fillvalue="")
        lines = [_GAP + self._line(heading, block, widths) for heading in headings]
        lines.append("─" * width)
        for number, row in enumerate(self.rows):
            if isinstance(row, str):
                lines += [*([""] if number else []), shown(row)]
                continue
            named = [(self.columns[at], shown(row[at])) for at in keys if at < len(row)]
            if sum(not column.number for column, _ in named) == 1:
                lines.append(_GAP.join(cell for _, cell in named))
            else:
                lines += [f"{column.title}: {cell}" for column, cell in named]
            numbers = [row[at] if at < len(row) else "" for at in block]
            if any(numbers):
                lines.append(_GAP + self._line(numbers, block, widths))
        return lines

    def _line(self, cells: Sequence[str], chosen: Sequence[int], widths: Sequence[int]) -> str:
        parts = zip(cells, chosen, widths, strict=True)
        return _GAP.join(padded(shown(cell), width, self.columns[at].number) for cell, at, width in parts).rstrip()


def wrapped(text: str, width: int) -> list[str]:
    """Lines of whole words, an indent kept and deepened; a word that is longer than a line has one of its own."""
    lines = shown(text, lines=True).split("\n")
    return [
        part for line in lines for part in textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)
    ]


def print_whole(*parts: object) -> None:
    """Print tables and texts as wide as the terminal; into a pipe 80 columns wide, or as COLUMNS says."""
    from rich.console import Console

    console = Console()
    for part in parts:
        whole = "\n".join(wrapped(part, console.width)) if isinstance(part, str) else part
        console.print(whole, crop=False, highlight=False, markup=False, soft_wrap=isinstance(part, str))
