"""Tables from and to files, as data frames: CSV or Parquet, with errors that name the file and the remedy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core import InvalidInput
from assay.core.files.folders import demand_file
from assay.intake.csv_scan import scan_csv

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["is_parquet", "read_checked_csv", "read_table", "write_table"]


def is_parquet(path: Path) -> bool:
    """Whether a file's ending says that it is Parquet."""
    return path.suffix in (".parquet", ".pq")


def read_table(path: Path, **csv_options: Any) -> pd.DataFrame:
    """A Parquet file by its ending, else a CSV file as pandas reads it with these options."""
    import pandas as pd

    demand_file(path)
    try:
        return pd.read_parquet(path) if is_parquet(path) else pd.read_csv(path, **csv_options)
    except MemoryError:
        raise
    except Exception as error:  # pandas and Arrow raise classes of many kinds for damaged files
        reason = str(error).strip().partition("\n")[0]
        remedy = "Give CSV with a header line, or Parquet."
        raise InvalidInput(f"{path}: cannot be read as a table ({reason}). {remedy}") from error


def read_checked_csv(path: Path, *, scanned: bool = False) -> pd.DataFrame:
    """A CSV file that was scanned before it is parsed; ``scanned`` says that it has been already."""
    if not scanned:
        scan_csv(path)
    # in one piece: read in pieces, a column of mixed content gets mixed types
    return read_table(path, low_memory=False)


def write_table(path: Path, frame: pd.DataFrame) -> None:
    """A CSV file that reads back as the same table, the same bytes on every platform."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as stream:
        frame.to_csv(stream, index=False, lineterminator="\n")
