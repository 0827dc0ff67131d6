"""The body of a delimited text as columns of texts; a row that does not fit is named with its line."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

from assay.core import InvalidInput
from assay.core.display import counted, shortened
from assay.intake import limits
from assay.intake.table.layout.separators import Cut

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["parse_body"]

_BLOCK = 4 * limits.LONGEST_ROW + 1024  # bytes; a character has up to four
_SKIPPED = re.compile(r"\s*(#|//|%%|[-=+|:_* ]{3,}$|\(\d+ (rows?|zeilen?|records?)[^)]*\)\s*$)", re.IGNORECASE)


def parse_body(text: str, cut: Cut, width: int, *, what: str, first_line: int) -> tuple[pd.DataFrame, list[str]]:
    """All rows, every cell a text without blanks around it; and notes on what was left out."""
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv

    wrong: list[tuple[int, int, str]] = []

    def skip(row: Any) -> str:
        if not _SKIPPED.match(row.text):
            wrong.append((row.number or 0, row.actual_columns, row.text))
        else:
            comments.append(row.text)
        return "skip"

    comments: list[str] = []
    names = [str(place) for place in range(width)]
    try:
        table = csv.read_csv(
            io.BytesIO(text.encode("utf-8", "replace")),
            read_options=csv.ReadOptions(column_names=names, block_size=_BLOCK, use_threads=False),
            parse_options=csv.ParseOptions(
                delimiter=cut.sign, quote_char=cut.quote, newlines_in_values=True, invalid_row_handler=skip
            ),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
            ),
        )
    except pa.ArrowException as error:
        reason = shortened(error, 160)
        if "straddl" in str(error) or "block" in str(error):
            raise InvalidInput(
                f"{what}: a row is longer than the {limits.LONGEST_ROW} characters allowed. Shorten it, or check that "
                "every quotation mark is closed."
            ) from None
        if "Empty CSV" in str(error):
            raise InvalidInput(f"{what}: the table has no rows.") from None
        raise InvalidInput(f"{what}: cannot be read as a table ({reason}).") from None
    notes = _judge(wrong, table.num_rows, width, what=what, first_line=first_line)
    if comments:
        notes.append(
            f"{counted(len(comments), 'comment line')} among the rows skipped: {shortened(comments[0], 50)!r}."
        )
    columns = {}
    for place in range(width):
        column = table.column(place)
        longest = pc.max(pc.utf8_length(column)).as_py() or 0
        if longest > limits.LONGEST_CELL:
            raise InvalidInput(
                f"{what}: a cell in column number {place + 1} is longer than the {limits.LONGEST_CELL} characters "
                "allowed. Shorten it, or check that every quotation mark is closed."
            )
        columns[place] = pd.Series(pd.array(pc.utf8_trim_whitespace(column), dtype="str"))
    frame = pd.DataFrame(columns)
    _demand_closed(frame, text, cut, what)
    return frame, notes


def _judge(wrong: list[tuple[int, int, str]], rows: int, width: int, *, what: str, first_line: int) -> list[str]:
    """Rows of another width are refused, at the end of the file they are notes below the table."""
    total = rows + len(wrong)
    at_end = 0
    while at_end < len(wrong) and wrong[-1 - at_end][0] >= total - at_end and at_end < 20:
        at_end += 1
    middle = wrong[: len(wrong) - at_end]
    if middle:
        number, cells, text = middle[0]
        raise InvalidInput(
            f"{what}: line {number + first_line - 1} has {counted(cells, 'cell')}, the table has "
            f"{counted(width, 'column')}: {shortened(text, 60)!r}. "
            "Give every row one cell per column, or quote cells that hold the separator."
        )
    if not at_end:
        return []
    return [f"{counted(at_end, 'line')} below the table skipped: {shortened(wrong[-at_end][2], 50)!r}."]


def _demand_closed(frame: pd.DataFrame, text: str, cut: Cut, what: str) -> None:
    """Only the last row can have an open quotation mark: it reaches to the end of the file."""
    if text.count(cut.quote) % 2 and len(frame):
        for cell in frame.iloc[-1]:
            if "\n" in cell:
                raise InvalidInput(
                    f"{what}: the file ends inside quotation marks. Close those before {shortened(cell, 60)!r}."
                )
