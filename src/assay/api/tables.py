"""Tables that users bring."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from assay.intake.table.options import TableOptions
from assay.intake.table.read import read_user_table
from assay.intake.table.reading import TableReading

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_table"]


def read_table(
    source: str | Path | pd.DataFrame,
    *,
    columns: Mapping[str, str] | None = None,
    ignore: Collection[str] = (),
    time_format: str | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    timezone: str | None = None,
) -> TableReading:
    """Read a table and say how each column was read.

    Whatever is left out is detected; what is given wins.

    Parameters
    ----------
    source : str, Path or frame
        A delimited text file, packed by gzip or not, a Parquet or Excel file, or a pandas or polars frame.
    columns : mapping of str to str, optional
        The column that plays a role, by role: ``{"label": "species"}``.
    ignore : collection of str, optional
        Columns to leave out.
    time_format : str, optional
        How times are written, as ``strptime`` has it: ``%d.%m.%Y %H:%M``.
    separator : str, optional
        What stands between two cells.
    encoding : str, optional
        The encoding of the text.
    timezone : str, optional
        The time zone of times that name none, as an IANA name.

    Returns
    -------
    TableReading
        The values, and how each column was read.

    Raises
    ------
    InvalidInput
        The file is no table, or what is said of it does not fit.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"id": range(6), "height": [1.7, 1.8, 1.6, 1.9, 1.7, 1.8], "plays": list("yynnyn")})
    >>> print(read_table(frame).text())
    frame: 6 rows, 3 columns
    <BLANKLINE>
    column  role            type     why
    id      identifier      integer  counts the rows from 0 to 5
    height  feature-number  float    1.6 to 1.9
    plays   label           boolean  guessed by its place at the end; yes or no: 'y',
                                     'n'
    """
    options = TableOptions(
        columns=dict(columns or {}),
        ignore=(ignore,) if isinstance(ignore, str) else tuple(ignore),
        time_format=time_format,
        separator=separator,
        encoding=encoding,
        timezone=timezone,
    )
    return read_user_table(source, options)
