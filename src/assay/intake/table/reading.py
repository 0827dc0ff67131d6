"""A table as it was read, column by column: how each was read, and why."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core import InvalidInput, UnknownName
from assay.core.display import counted, object_html
from assay.intake.table.column_reading import ColumnReading, Role, Type
from assay.intake.table.options import TableOptions
from assay.intake.table.text import reading_text

if TYPE_CHECKING:
    import pandas as pd

    from assay.intake.table.values.numbers import Mark

__all__ = ["ColumnReading", "FeatureTable", "Role", "TableReading", "Type", "ambiguous_error"]

_NOT_LEARNED: tuple[Role, ...] = ("identifier", "time", "constant", "free-text", "case")
_SIGNS = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "pipe"}


class FeatureTable(NamedTuple):
    """Columns that are ready for a model.

    Parameters
    ----------
    frame : DataFrame
        The features: numbers, booleans, and categories as texts.
    label : Series or None
        The values to predict.
    notes : tuple of str
        What was left out, and why.
    """

    frame: pd.DataFrame
    label: pd.Series[Any] | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
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
    options : TableOptions, optional
        What the user said.
    written : mapping of str to Series, optional
        The cells of columns of booleans as the file writes them.
    marks : mapping of str to str, optional
        The decimal mark of columns of numbers, where their cells have one or group thousands.
    repeated : tuple of str, optional
        Names that the header has more than once; behind the first they are numbered.
    """

    source: str
    frame: pd.DataFrame
    columns: tuple[ColumnReading, ...]
    separator: str | None = None
    decimal: Mark | None = None
    encoding: str | None = None
    header: bool = True
    notes: tuple[str, ...] = ()
    options: TableOptions = field(default_factory=TableOptions)
    written: Mapping[str, pd.Series[Any]] = field(default_factory=dict)
    marks: Mapping[str, Mark] = field(default_factory=dict)
    repeated: tuple[str, ...] = ()

    def classes(self, name: str) -> pd.Series[Any]:
        """A column as classes: ``yes`` and ``no`` stay texts and 0 and 1 numbers, as the file writes them."""
        import pandas as pd

        cells = self.written.get(name)
        if cells is None or bool((cells.isna() & self.frame[name].notna()).any()):
            return self.frame[name]
        numbers = pd.to_numeric(cells, errors="coerce")
        return cells if bool(numbers.isna().any()) else numbers

    def __getitem__(self, name: str) -> ColumnReading:
        """How the column of this name was read."""
        for column in self.columns:
            if column.name == name:
                return column
        raise UnknownName("column", name, [column.name for column in self.columns])

    def find(self, role: str) -> tuple[ColumnReading, ...]:
        """All columns of a role, in their order."""
        return tuple(column for column in self.columns if column.role == role)

    def column(self, role: str) -> ColumnReading:
        """The column that plays a role; an InvalidInput that names the remedy where none does or several do."""
        matches = self.find(role)
        name = self.options.columns.get(role)
        if name is not None:
            return self[name]
        if len(matches) == 1:
            return matches[0]
        listed = ", ".join(column.name for column in self.columns)
        if not matches:
            example = self.options.remedy("columns", self.columns[0].name, role=role)
            raise InvalidInput(
                f"{self.source}: no column looks like the {role}. Name it, for example {example}. Columns: {listed}."
            )
        ways = " or ".join(self.options.remedy("columns", column.name, role=role) for column in matches)
        raise InvalidInput(f"{self.source}: {counted(len(matches), 'column')} look like the {role}. Say which: {ways}.")

    def times(self, name: str | None = None) -> pd.Series[Any]:
        """The moments of a time column, by default of the one that plays the role ``time``.

        They are in UTC where a zone is known. Raises InvalidInput where day and month cannot be told apart.
        """
        column = self.column("time") if name is None else self[name]
        values = self.frame[column.name]
        if values.dtype.kind == "M" or getattr(values.dtype, "tz", None) is not None:
            return values
        there = values.dropna()
        example = str(there.iloc[0]) if len(there) else ""
        if column.ambiguous:
            raise ambiguous_error(column, example, self.options, self.source)
        remedy = self.options.remedy("time_format", "%d.%m.%Y %H:%M")
        warning = f" ({column.warning})" if column.warning else ""
        raise InvalidInput(
            f"{self.source}: column {column.name!r} holds no times: {example!r}{warning}. "
            f"Name another column, or say how its times are written, for example {remedy}."
        )

    def features(
        self, *, label: str | None = None, ignore: Collection[str] = (), keep: Sequence[str] = ()
    ) -> FeatureTable:
        """The columns that a model may learn from.

        Identifiers, times, constants and free text are left out unless ``keep`` names them.

        Parameters
        ----------
        label : str, optional
            The column to predict; by default the one read as the label, if any.
        ignore : collection of str, optional
            Columns to leave out.
        keep : sequence of str, optional
            Columns to use however they were read.

        Returns
        -------
        FeatureTable
            Features, label, and notes on what was left out.
        """
        for name in (*ignore, *keep, *([label] if label is not None else [])):
            self[name]
        if label is None:
            labels = self.find("label")
            label = labels[0].name if len(labels) == 1 else None
        names, notes = [], []
        for column in self.columns:
            if column.name == label or column.name in ignore:
                continue
            if column.role in _NOT_LEARNED:
                if column.name not in keep:
                    notes.append(f"{column.name!r} left out: {column.role} ({column.why}).")
                    continue
                notes.append(
                    f"{column.name!r} is used as requested, although it looks like {column.role} ({column.why})."
                )
            names.append(column.name)
        target = self.frame[label] if label is not None else None
        return FeatureTable(self.frame[names].copy(), target, tuple(notes))

    def text(self, width: int = 80) -> str:
        """How every column was read, as a table for a terminal."""
        size = f"{self.source}: {self._size()}"
        return reading_text(size, self._writing(), self.columns, self.notes, width)

    def _size(self) -> str:
        return f"{counted(len(self.frame), 'row')}, {counted(len(self.columns), 'column')}"

    def _writing(self) -> dict[str, str]:
        """How the file is written."""
        facts = {
            "separator": _SIGNS.get(self.separator or "", self.separator),
            "decimal mark": {",": "comma", ".": "point"}.get(self.decimal or ""),
            "encoding": self.encoding,
            "header": None if self.header else "none",
        }
        return {name: value for name, value in facts.items() if value is not None}

    def to_json(self) -> dict[str, Any]:
        """Everything but the values, as JSON values."""
        from dataclasses import asdict

        return {
            "source": self.source, "rows": len(self.frame), "separator": self.separator, "decimal": self.decimal,
            "encoding": self.encoding, "header": self.header, "columns": [asdict(column) for column in self.columns],
            "notes": list(self.notes),
        }  # fmt: skip

    def __repr__(self) -> str:
        names = ", ".join(f"{column.name}: {column.role}" for column in self.columns[:4])
        more = ", ..." if len(self.columns) > 4 else ""
        return f"TableReading({self._size()}; {names}{more})"

    def _repr_html_(self) -> str:
        facts = {"rows": len(self.frame), "columns": len(self.columns), **self._writing()}
        return object_html(
            f"Table {self.source}", facts, columns=("column", "role", "type", "why", "missing", "warning"),
            rows=[(each.name, each.role, each.type, each.why, each.missing, each.warning) for each in self.columns],
            total=len(self.columns),
        )  # fmt: skip


def ambiguous_error(column: ColumnReading, value: str, options: TableOptions, what: str) -> InvalidInput:
    """Day and month that cannot be told apart, with both ways to say it."""
    orders = [order for order in (column.time_format or "").split(" or ") if "%" in order]
    if len(orders) < 2:
        return InvalidInput(
            f"{what}: column {column.name!r}: {value!r} and other rows prove different orders of day and month. "
            "Write all times alike, for example as 2023-01-31."
        )
    ways = " or ".join(options.remedy("time_format", order) for order in orders)
    return InvalidInput(
        f"{what}: column {column.name!r}: {value!r} may be read with either order of day and month. Say which: {ways}."
    )
