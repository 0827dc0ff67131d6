"""Read and write event logs in every format: XES, CSV, Parquet, OCEL and pandas frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.core import InvalidInput
from assay.core.files.folders import demand_file
from assay.drift.logs.event_log import Duplicates, EventLog, Order
from assay.intake.table.options import TableOptions

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["from_frame", "read_log", "read_log_file", "write_log"]

_TEXTS = (".csv", ".tsv", ".txt")
_TABLES = (".parquet", ".pq", ".xlsx", ".xlsm", ".xls", ".ods")


def read_log(
    path: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    attributes: Sequence[str] = (),
    timezone: str | None = None,
    order: Order = "start",
    duplicates: Duplicates = "apart",
    ignore: Sequence[str] = (),
    time_format: str | None = None,
    separator: str | None = None,
    encoding: str | None = None,
) -> EventLog:
    r"""Read an event log from ``.xes``, ``.xes.gz``, ``.csv``, ``.csv.gz``, ``.parquet`` or ``.xlsx``.

    An object-centric log, OCEL 2.0 as ``.json``, ``.xml`` or ``.sqlite``, is flattened: ``columns={"case": "Order"}``
    makes every object of the type Order a case, with the events in which it takes part.

    What is left out is detected in a sample of the file and then holds for all of it; ``notes`` of the log say what was
    found. A source that mixes times with and without a zone is refused until ``timezone`` says what the bare ones mean;
    so are dates whose day and month cannot be told apart, until ``time_format`` says how they are written.

    Parameters
    ----------
    path : str or Path
        The file.
    columns : mapping of str to str, optional
        Maps ``case``, ``activity``, ``time`` and ``resource`` to the source's own names where they are not recognised.
    attributes : sequence of str, optional
        Further columns to keep.
    timezone : str, optional
        What times without a zone mean, and in which zone days are told: by default UTC, and the offsets of the times.
    order : {"start", "end", "event", "file"}, default "start"
        Whether cases are ordered by their first, last or middle event, or as in the file.
    duplicates : {"apart", "merge", "error"}, default "apart"
        What happens to traces of a XES file that bear one name: they stay cases of their own and are numbered
        (``order 7``, ``order 7 (2)``), are joined into one case, or are refused.
    ignore : sequence of str, optional
        Columns of a table that play no part.
    time_format : str, optional
        How a table's times are written, as ``strptime`` has it (``%d.%m.%Y %H:%M``), or ``epoch-seconds``,
        ``epoch-milliseconds``, ``excel-serial``.
    separator : str, optional
        What stands between two cells of a text.
    encoding : str, optional
        The encoding of a text.

    Returns
    -------
    EventLog
        The log.

    Raises
    ------
    InvalidInput
        The file cannot be read; the message names the place and the remedy.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "permits.csv")
    ...     _ = path.write_text("case,activity,time\n7,apply,2020-03-01 09:00\n7,grant,2020-03-02 10:30\n")
    ...     read_log(path, columns={"case": "case", "activity": "activity", "time": "time"})
    EventLog('permits': 1 case, 2 events, 2 activities, 2020-03-01 to 2020-03-02)
    """
    options = TableOptions(
        columns=columns or {},
        ignore=tuple(ignore),
        time_format=time_format,
        separator=separator,
        encoding=encoding,
        timezone=timezone,
    )
    return read_log_file(path, options=options, attributes=attributes, order=order, duplicates=duplicates)


def read_log_file(
    path: str | Path,
    *,
    options: TableOptions,
    attributes: Sequence[str] = (),
    order: Order = "start",
    duplicates: Duplicates = "apart",
) -> EventLog:
    """Read an event log as :func:`read_log` does, with what the user says of its table as one value."""
    source = Path(path)
    suffix = "".join(source.suffixes[-2:] if source.suffix.lower() == ".gz" else source.suffixes[-1:]).lower()
    if source.is_dir():
        demand_file(source, remedy="Give the event log itself.")
    if not source.is_file():
        raise InvalidInput(f"{source}: file not found. Give an event log as .xes, .xes.gz, .csv, .parquet or .xlsx.")
    if suffix in (".xes", ".xes.gz"):
        from assay.drift.logs.xes import read_xes  # pandas takes memory that this reader does without

        for option in ("time_format", "separator", "encoding", "ignore"):
            if value := getattr(options, option):
                wording = options.remedy(option, value if isinstance(value, str) else value[0])
                raise InvalidInput(f"{source}: XES files say how they are written themselves. Leave {wording} out.")
        return read_xes(source, options=options, attributes=attributes, order=order, duplicates=duplicates)
    if suffix.removesuffix(".gz") in _TEXTS or suffix in _TABLES:
        from assay.drift.logs.tables import read_table

        return read_table(source, options=options, attributes=attributes, order=order)
    from assay.drift.logs.ocel import OCEL_SUFFIXES, is_ocel, read_ocel

    if is_ocel(source):
        return read_ocel(source, options=options, order=order)
    raise InvalidInput(
        f"{source}: {suffix or 'no ending'} is not a log format. "
        f"Known: .xes, .xes.gz, .csv, .tsv, .txt, .parquet, .xlsx; object-centric: {', '.join(OCEL_SUFFIXES)}."
    )


def from_frame(
    frame: pd.DataFrame,
    *,
    name: str = "log",
    columns: Mapping[str, str] | None = None,
    attributes: Sequence[str] = (),
    timezone: str | None = None,
    order: Order = "start",
    ignore: Sequence[str] = (),
    time_format: str | None = None,
) -> EventLog:
    """Make an event log of a pandas frame.

    Parameters
    ----------
    frame : DataFrame
        One row per event.
    name : str, default "log"
        The process.
    columns : mapping of str to str, optional
        Maps ``case``, ``activity``, ``time`` and ``resource`` to the frame's own names where they are not recognised.
    attributes : sequence of str, optional
        Further columns to keep.
    timezone : str, optional
        What times without a zone mean, and in which zone days are told: by default UTC, and the offsets of the times.
    order : {"start", "end", "event", "file"}, default "start"
        Whether cases are ordered by their first, last or middle event, or as in the frame.
    ignore : sequence of str, optional
        Columns that play no part.
    time_format : str, optional
        How times that are texts or numbers are written, as in :func:`read_log`.

    Returns
    -------
    EventLog
        The log.

    Raises
    ------
    InvalidInput
        A column is missing, or a value is no time.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"case": ["a", "a", "b"], "activity": ["apply", "grant", "apply"]})
    >>> frame["time"] = pd.to_datetime(["2020-03-01", "2020-03-02", "2020-03-03"], utc=True)
    >>> from_frame(frame, name="permits", columns={"case": "case", "activity": "activity", "time": "time"})
    EventLog('permits': 2 cases, 3 events, 2 activities, 2020-03-01 to 2020-03-03)
    """
    from assay.drift.logs.tables import log_of_frame

    options = TableOptions(columns=columns or {}, ignore=tuple(ignore), time_format=time_format, timezone=timezone)
    return log_of_frame(frame, name=name, options=options, attributes=attributes, order=order)


def write_log(log: EventLog, path: str | Path) -> None:
    """Write an event log as ``.xes``, ``.xes.gz``, ``.csv`` or ``.parquet``; the same log gives the same bytes.

    Parameters
    ----------
    log : EventLog
        The log.
    path : str or Path
        The file; its suffix says the format.

    Raises
    ------
    InvalidInput
        The suffix is of no known format.

    Examples
    --------
    >>> import tempfile
    >>> from assay.drift import simulate
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "log.xes.gz")
    ...     write_log(simulate(seed=1, cases=200).log, path)
    ...     read_log(path).events
    2953
    """
    target = Path(path)
    if target.name.lower().endswith((".xes", ".xes.gz")):
        from assay.drift.logs.xes_writing import write_xes

        write_xes(log, target)
    else:
        from assay.drift.logs.tables import write_table

        write_table(log, target)
