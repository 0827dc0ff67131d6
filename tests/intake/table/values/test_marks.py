"""Decimal marks and orders of dates that a table leaves open are those of a table that was read before."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.core import InvalidInput
from assay.intake.table.options import TableOptions
from assay.intake.table.read import read_user_table
from assay.intake.user_frame import read_user_frame

GERMAN = "Betrag;Tag;n\n2.492,97;31.01.2023;1\n811,50;03.02.2023;2\n"


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("separator", [";", ","])
def test_what_a_second_table_leaves_open_is_read_as_in_the_first(tmp_path: Path, separator: str) -> None:
    first = read_user_table(write(tmp_path / "train.csv", GERMAN))
    text = "Betrag;Tag;other\n2.500;03.04.2023;1.250\n8.700;05.06.2023;2.250\n".replace(";", separator)
    second = write(tmp_path / "query.csv", text)
    reading = read_user_table(second, like=first)
    assert reading.frame["Betrag"].tolist() == [2500, 8700]
    assert reading.frame["other"].tolist() == [1250, 2250]
    assert [time.month for time in reading.times("Tag")] == [4, 6]
    assert read_user_frame(second, TableOptions(), like=first).frame["Betrag"].tolist() == [2500, 8700]
    alone = read_user_table(second)
    assert (alone.frame["Betrag"].tolist(), alone["Tag"].ambiguous) == ([2.5, 8.7], True)


def test_a_second_table_that_tells_its_own_mark_is_read_by_it(tmp_path: Path) -> None:
    first = read_user_table(write(tmp_path / "train.csv", "a;b\n1;2,5\n2;3,75\n"))
    second = write(tmp_path / "query.csv", "a;c\n2.500;0.5\n8.700;0.75\n")
    assert read_user_table(second, like=first).frame["a"].tolist() == [2.5, 8.7]


@pytest.mark.parametrize(
    "text", ["Betrag;n\n2.50;1\n8.70;2\n", "Betrag;n;rate\n2.500;1;0.5\n8.700;2;0.75\n"], ids=["proven", "beside"]
)
def test_tables_whose_marks_contradict_each_other_are_refused(tmp_path: Path, text: str) -> None:
    first = read_user_table(write(tmp_path / "train.csv", GERMAN))
    wanted = r"query.csv: column 'Betrag': '2.50+' has a decimal point here, but in .*train.csv .* a decimal comma"
    with pytest.raises(InvalidInput, match=wanted):
        read_user_table(write(tmp_path / "query.csv", text), like=first)


def test_doubt_between_columns_of_one_file_is_a_warning(tmp_path: Path) -> None:
    rows = "57.094;1.96;7.680,5;b\n9.795;2.5;1.111,2;a\n"
    reading = read_user_table(write(tmp_path / "mixed.csv", f"a;b;c;d\n{rows}"))
    assert (reading.decimal, reading.frame["a"].tolist()) == (",", [57094, 9795])
    assert reading["a"].warning == (
        "'57.094' is read as 57094, but may be meant otherwise: the decimal mark is a comma in 'c' and a point in 'b'"
    )
    assert not reading["b"].warning
