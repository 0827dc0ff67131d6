"""Tables from and to files, as data frames: CSV or Parquet, with errors that name the file and the remedy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core import InvalidInput
from assay.core.files.folders import demand_file
from assay.core.files.text import demand_size
from assay.intake import limits
from assay.intake.csv_lines import write_frame
from assay.intake.csv_scan import scan_csv

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["demand_decoded", "is_parquet", "read_checked_csv", "read_table", "write_table"]


def is_parquet(path: Path) -> bool:
    """Whether a file's ending says that it is Parquet."""
    return path.suffix.lower() in (".parquet", ".pq")


def read_table(path: Path, **csv_options: Any) -> pd.DataFrame:
    """A Parquet file by its ending, else a CSV file as pandas reads it with these options."""
    import pandas as pd

    demand_file(path)
    try:
        if is_parquet(path):
            demand_decoded(path)
        frame: pd.DataFrame = pd.read_parquet(path) if is_parquet(path) else pd.read_csv(path, **csv_options)
        return frame
    except (InvalidInput, MemoryError):
        raise
    except Exception as error:  # pandas and Arrow raise classes of many kinds for damaged files
        reason = str(error).strip().partition("\n")[0]
        remedy = "Give CSV with a header line, or Parquet."
        raise InvalidInput(f"{path}: cannot be read as a table ({reason}). {remedy}") from error


def demand_decoded(path: Path, limit: int = limits.LARGEST_TABLE) -> None:
    """Refuse a Parquet file whose values are too large together, before they are decoded.

    A value that repeats is written once. So values are counted, and texts measured as they are written: each text
    once, and how often it stands where.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        # of the columns themselves nothing is asked here: Arrow ends the process over some damaged descriptions
        groups = [file.metadata.row_group(number) for number in range(file.metadata.num_row_groups)]
        size = sum(max(8 * group.num_rows * group.num_columns, group.total_byte_size) for group in groups)
        demand_size(size, limit, what=f"{path}, its values")
        kinds = (pa.string(), pa.binary(), pa.large_string(), pa.large_binary())
        texts = [field.name for field in file.schema_arrow if field.type in kinds or pa.types.is_dictionary(field.type)]
    if not texts:
        return
    with pq.ParquetFile(path, read_dictionary=texts) as file:
        for batch in file.iter_batches(columns=texts):
            for column in batch.columns:
                if pa.types.is_dictionary(column.type) and column.dictionary.type in kinds:
                    lengths = pc.binary_length(column.dictionary).take(column.indices)
                    size += pc.sum(lengths.cast(pa.int64())).as_py() or 0
            demand_size(size, limit, what=f"{path}, its texts")


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
        write_frame(stream, frame)
