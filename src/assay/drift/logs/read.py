"""Read and write event logs in every format: XES, CSV, Parquet and pandas frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from assay.core import InvalidInput
from assay.drift.logs.event_log import EventLog, Order

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["from_frame", "read_log", "write_log"]


def read_log(
    path: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    attributes: Sequence[str] = (),
    timezone: str | None = None,
    order: Order = "start",
    duplicates: Literal["error", "merge"] = "error",
) -> EventLog:
    """Read ``.xes``, ``.xes.gz``, ``.csv``, ``.csv.gz`` or ``.parquet``.

    ``columns`` maps ``case``, ``activity``, ``time`` and ``resource`` to the source's own names where they differ from
    the usual ones. Times without a zone are read as UTC unless ``timezone`` names one; a source that mixes times with
    and without a zone is refused until ``timezone`` says what the bare ones mean. ``attributes`` are further columns to
    keep. ``duplicates`` says what happens to two traces of a XES file that bear one name.
    """
    source = Path(path)
    suffix = "".join(source.suffixes[-2:] if source.suffix == ".gz" else source.suffixes[-1:]).lower()
    if not source.is_file():
        raise InvalidInput(f"{source}: file not found. Give an event log as .xes, .xes.gz, .csv or .parquet.")
    if suffix in (".xes", ".xes.gz"):
        from assay.drift.logs.xes import read_xes  # pandas takes memory that this reader does without

        return read_xes(
            source, columns=columns, attributes=attributes, timezone=timezone, order=order, duplicates=duplicates
        )
    if suffix in (".csv", ".csv.gz", ".parquet"):
        from assay.drift.logs.tables import read_table

        return read_table(source, columns=columns, attributes=attributes, timezone=timezone, order=order)
    raise InvalidInput(f"{source}: {suffix or 'no ending'} is not a log format. Known: .xes, .xes.gz, .csv, .parquet.")


def from_frame(
    frame: pd.DataFrame,
    *,
    name: str = "log",
    columns: Mapping[str, str] | None = None,
    attributes: Sequence[str] = (),
    timezone: str | None = None,
    order: Order = "start",
) -> EventLog:
    """Make a log of a pandas frame; the options are those of ``read_log``."""
    from assay.drift.logs.tables import log_of_frame

    return log_of_frame(frame, name=name, columns=columns, attributes=attributes, timezone=timezone, order=order)


def write_log(log: EventLog, path: str | Path) -> None:
    """Write ``.xes``, ``.xes.gz``, ``.csv`` or ``.parquet``, the same bytes for the same log."""
    target = Path(path)
    if target.name.lower().endswith((".xes", ".xes.gz")):
        from assay.drift.logs.xes import write_xes

        write_xes(log, target)
    else:
        from assay.drift.logs.tables import write_table

        write_table(log, target)
