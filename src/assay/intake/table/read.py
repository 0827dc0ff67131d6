"""The one reader of tables that users bring: what is said wins, everything else is detected and told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from assay.core import AssayError, InvalidInput
from assay.core.display import counted, shortened
from assay.core.files.folders import user_path
from assay.intake.table.options import TableOptions
from assay.intake.table.reading import ColumnReading, Role, TableReading

if TYPE_CHECKING:
    from assay.intake.table.layout.rows import Cells
    from assay.intake.table.values.column import Column

__all__ = ["read_user_table"]

_DEFAULT = TableOptions()


def read_user_table(
    source: Any,
    options: TableOptions = _DEFAULT,
    *,
    roles: Collection[str] = (),
    name: str | None = None,
    like: TableReading | None = None,
) -> TableReading:
    """Read a table and say how each column was read.

    Parameters
    ----------
    source : str, Path or frame
        A delimited text file, packed by gzip or not, a Parquet or Excel file, or a pandas or polars frame.
    options : TableOptions
        What the user says; it wins over detection.
    roles : collection of str
        Roles beyond the usual ones that ``options.columns`` may name.
    name : str, optional
        How messages call the table; by default its path, or ``frame``.
    like : TableReading, optional
        A table that was read before: numbers and dates that this one alone leaves open are read as there.
    """
    from assay.intake.table import overrides

    overrides.check_options(options, roles)
    is_path = isinstance(source, str | Path)
    what = name or (str(source) if is_path else "frame")
    try:
        return _read(user_path(source) if is_path else source, options, what, like)
    except (AssayError, MemoryError):
        raise
    except Exception as error:  # whatever a damaged file makes a library raise
        raise InvalidInput(f"{what}: cannot be read as a table ({shortened(error, 200)}).") from error


def _read(source: Any, options: TableOptions, what: str, like: TableReading | None) -> TableReading:
    from assay.intake.table.event_roles import find_event_roles
    from assay.intake.table.label import find_label
    from assay.intake.table.overrides import apply_time_format, apply_timezone, named_columns, take_as_time
    from assay.intake.table.roles import find_roles
    from assay.intake.table.values.coded_times import find_coded_times
    from assay.intake.table.values.marks import read_by_marks
    from assay.intake.table.values.numbers import read_numbers

    columns, cells, encoding = _columns(source, options, what)
    if like is not None:
        _demand_order(cells, like, what)
    named = named_columns(columns, options, what)
    columns = [column for column in columns if column.name not in options.ignore]
    for column in columns:
        if not column.native:
            column.numbers = read_numbers(column.levels)
    read_by_marks(columns, like, what)
    apply_time_format(columns, named.get("time"), options, what)
    find_coded_times(columns, header=cells.header)
    if "time" in named:
        take_as_time(named["time"], options, what)
    apply_timezone(columns, options)
    find_roles(columns, header=cells.header)
    for role, column in named.items():
        column.role = role
        column.why = f"named by you; {column.why}" if column.why else "named by you"
    roles = {
        role: column for role, column in named.items() if role in ("case", "activity", "resource", "time", "label")
    }
    is_log = "label" not in named and find_event_roles(columns, roles)
    if not is_log and not {"label", "case", "activity"} & set(named):
        free = [column for column in columns if column not in named.values()]
        label = find_label(free, header=cells.header)
        if label is not None:
            label.role = "label"
    return _reading(columns, cells, encoding, options, what)


def _demand_order(cells: Cells, like: TableReading, what: str) -> None:
    """Columns of one name are told apart by their places, which must then be the same in both tables."""
    repeated = sorted({*cells.repeated, *like.repeated})
    before = [column.name for column in like.columns if column.name in cells.names]
    if repeated and before != [name for name in cells.names if name in before]:
        raise InvalidInput(
            f"{what}: several columns are called {' or '.join(map(repr, repeated))}, and the columns stand in another "
            f"order than in {like.source}, so that nothing tells which is which. Give them different names in both."
        )


def _columns(source: Any, options: TableOptions, what: str) -> tuple[list[Column], Cells, str | None]:
    from assay.intake.table.layout.frames import frame_of, sheet_text
    from assay.intake.table.layout.rows import Cells, distinct_names, read_cells, repeated_names
    from assay.intake.table.layout.source import read_source
    from assay.intake.table.values.column import native_column, text_column
    from assay.intake.tables import is_parquet, read_table

    encoding: str | None = None
    if isinstance(source, Path):
        suffix = source.suffix.lower()
        if not is_parquet(source):
            if suffix in (".xlsx", ".xlsm", ".xls"):
                text, notes = sheet_text(source)
                cells = read_cells(text, TableOptions(separator=",", syntax=options.syntax), what)
                cells.separator, cells.notes = None, notes + cells.notes
            else:
                decoded = read_source(source, options)
                encoding = decoded.encoding
                cells = read_cells(decoded.text, options, what)
                cells.notes += [decoded.note] if decoded.note else []
            frame = cells.frame
            return (
                [text_column(name, place, frame.iloc[:, place]) for place, name in enumerate(cells.names)],
                cells,
                encoding,
            )
        source = read_table(source)
    frame = frame_of(source)
    if not len(frame) or not frame.shape[1]:
        raise InvalidInput(
            f"{what}: the table has {counted(len(frame), 'row')} and {counted(frame.shape[1], 'column')}."
        )
    notes = []
    labels: list[Any] = frame.columns.to_list()
    flat = [" ".join(map(str, name)) if isinstance(name, tuple) else str(name) for name in labels]
    names = distinct_names(flat, notes)
    cells = Cells(frame, names, None, True, notes, repeated=repeated_names(flat))
    return [native_column(name, place, frame.iloc[:, place]) for place, name in enumerate(names)], cells, encoding


def _reading(
    columns: list[Column], cells: Cells, encoding: str | None, options: TableOptions, what: str
) -> TableReading:
    import pandas as pd

    from assay.intake.table.values.numbers import Mark, mark_of

    frame = pd.DataFrame(
        {column.name: column.values if column.values is not None else column.texts() for column in columns}
    )
    marks: dict[str, Mark] = {}
    for column in columns:
        mark = None if column.numbers is None else mark_of(column.numbers)
        if mark is not None:
            marks[column.name] = mark
    usual = next((mark for mark, _ in Counter(marks.values()).most_common(1)), None)
    readings = tuple(
        ColumnReading(
            name=column.name, role=cast(Role, column.role), type=column.type, why=column.why, missing=column.missing,
            time_format=column.time_format, timezone=column.timezone, ambiguous=column.ambiguous,
            warning=_warning(column),
        )
        for column in columns
    )  # fmt: skip
    notes = list(cells.notes)
    if options.ignore:
        notes.append(f"Left out as requested: {', '.join(options.ignore)}.")
    return TableReading(
        source=what, frame=frame, columns=readings, separator=cells.separator,
        decimal=usual if cells.separator is not None else None,
        encoding=encoding, header=cells.header, notes=tuple(notes), options=options,
        written={column.name: column.texts() for column in columns if column.kind == "boolean" and not column.native},
        marks=marks, repeated=cells.repeated,
    )  # fmt: skip


def _warning(column: Column) -> str:
    warnings = list(column.warnings)
    if column.role == "feature-category" and column.distinct > 50 and column.share > 0.5:
        warnings.append(
            f"{counted(column.distinct, 'value')} for {counted(column.rows, 'row')}: too many to learn from"
        )
    return "; ".join(warnings)
