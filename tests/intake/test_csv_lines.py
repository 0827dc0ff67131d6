"""Cells with line breaks of every kind come back from what is written, on every Python."""

import csv
import io
from pathlib import Path

import pandas as pd
import pytest

from assay.intake.csv_lines import csv_text, frame_text, write_frame
from assay.intake.table.layout.frames import sheet_text
from assay.intake.tables import read_checked_csv, write_table

CELLS = ("a\rb", "\r", "c\r\n", "\r\nd", "e\n", '"\r"', "f,\r", "plain")


def read_rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def test_rows_end_with_a_line_feed_and_cells_keep_their_breaks() -> None:
    text = csv_text([CELLS, tuple(reversed(CELLS))])
    assert read_rows(text) == [list(CELLS), list(reversed(CELLS))]
    assert csv_text([("a", 1), ("b", None)]) == "a,1\nb,\n"


@pytest.mark.parametrize("cell", CELLS)
def test_frames_come_back_with_such_cells(tmp_path: Path, cell: str) -> None:
    frame = pd.DataFrame({f"x{cell}": [cell, "next"], "y": ["1st", cell]})
    assert read_rows(frame_text(frame)) == [list(frame.columns), *frame.to_numpy().tolist()]
    write_table(tmp_path / "t.csv", frame)
    assert (tmp_path / "t.csv").read_bytes() == frame_text(frame).encode()
    pd.testing.assert_frame_equal(read_checked_csv(tmp_path / "t.csv"), frame)


def test_a_stream_stays_open_for_what_comes_next() -> None:
    stream = io.StringIO(newline="")
    write_frame(stream, pd.DataFrame({"x": [1]}))
    stream.write("2\n")
    assert stream.getvalue() == "x\n1\n2\n"


def test_cells_of_a_sheet_keep_carriage_returns(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (("x", "y"), ("a\rb", "c\nd")):
        sheet.append(row)
    book.save(tmp_path / "t.xlsx")
    text, _ = sheet_text(tmp_path / "t.xlsx")
    read = openpyxl.load_workbook(tmp_path / "t.xlsx").active
    assert read_rows(text) == [[cell.value for cell in row] for row in read.iter_rows()]
