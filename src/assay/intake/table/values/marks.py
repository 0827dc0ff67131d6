"""Which decimal mark and order of dates a column has: its own, that of a table read before, or that of the file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.core import InvalidInput
from assay.core.display import shortened
from assay.intake.table.values.column import Column
from assay.intake.table.values.find import find_values
from assay.intake.table.values.numbers import Mark, find_decimal, mark_of

if TYPE_CHECKING:
    from assay.intake.table.reading import TableReading

__all__ = ["read_by_marks"]

_WORDS = {",": "comma", ".": "point"}
_ORDERS = ("dmy", "mdy")  # that may be mistaken for each other


def read_by_marks(columns: Sequence[Column], like: TableReading | None, what: str) -> None:
    """Find what the columns hold; what a column leaves open is read as in ``like``, a table that was read before.

    A column that contradicts the one of its name there is refused, and doubt within one file becomes a warning.
    """
    texts = [column for column in columns if not column.native]
    known = {} if like is None else like.marks
    decimal = find_decimal([column.numbers for column in texts])
    news = find_decimal([column.numbers for column in texts if column.name not in known])
    for column in texts:
        mark = known.get(column.name)
        find_values(column, mark or decimal or (like.decimal if like is not None else None), _order(column.name, like))
        if column.numbers is None or mark_of(column.numbers) is None:
            continue
        own = mark_of(column.numbers) if column.numbers.certain else news
        if like is not None and mark is not None and own is not None and own != mark:
            raise InvalidInput(
                f"{what}: column {column.name!r}: {_marked(column)!r} has a decimal {_WORDS[own]} here, "
                f"but in {like.source} the column has a decimal {_WORDS[mark]}. Write the numbers of both files alike."
            )
        if mark is None and not column.numbers.certain:
            _warn_of_doubt(column, texts)


def _order(name: str, like: TableReading | None) -> str | None:
    """The order of day, month and year that the table read before has: in this column, else in all that have one."""
    orders: dict[str, str] = {}
    for column in () if like is None else like.columns:
        order = "".join(re.findall("%([dmYy])", column.time_format or "")).lower()
        if order in _ORDERS and not column.ambiguous:
            orders[column.name] = order
    return orders.get(name) or (next(iter(orders.values())) if len({*orders.values()}) == 1 else None)


def _warn_of_doubt(column: Column, texts: Sequence[Column]) -> None:
    """A column that does not tell its mark, in a file whose other columns have different ones."""
    assert column.numbers is not None
    witness: dict[Mark, Column] = {}
    for other in texts:
        mark = None if other.numbers is None or not other.numbers.certain else mark_of(other.numbers)
        if mark is not None:
            witness.setdefault(mark, other)
    if len(witness) < 2:
        return
    level = next(level for level, text in enumerate(column.levels) if re.search("[.,]", text))
    number = column.numbers.values[level].item()
    proofs = " and ".join(f"a {_WORDS[mark]} in {other.name!r}" for mark, other in sorted(witness.items()))
    column.warnings.append(
        f"{_marked(column)!r} is read as {number}, but may be meant otherwise: the decimal mark is {proofs}"
    )


def _marked(column: Column) -> str:
    """A text with a mark."""
    return shortened(next((text for text in column.levels if re.search("[.,]", text)), column.levels[0]), 40)
