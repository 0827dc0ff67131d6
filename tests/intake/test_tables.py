from pathlib import Path

import pandas as pd
import pytest

from assay.core import InvalidInput
from assay.intake.table.options import TableOptions
from assay.intake.table.read import read_user_table
from assay.intake.tables import read_checked_csv, read_table, write_table
from assay.intake.user_frame import read_user_frame


def test_a_table_is_what_pandas_reads_by_default(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("n,x,flag,word,gap\n1,0.1,True,a,1\n2,1e-3,False,NA,\n")
    pd.testing.assert_frame_equal(read_checked_csv(path), pd.read_csv(path))


def test_parquet_is_known_by_its_ending_in_capitals_too(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [1, 2], "y": ["a", "b"]})
    frame.to_parquet(tmp_path / "T.PARQUET")
    pd.testing.assert_frame_equal(read_table(tmp_path / "T.PARQUET"), frame)
    reading = read_user_table(tmp_path / "T.PARQUET")
    assert [column.name for column in reading.columns] == ["x", "y"]
    assert read_user_frame(tmp_path / "T.PARQUET", TableOptions()).frame["x"].tolist() == [1, 2]


def test_a_column_of_mixed_content_has_one_type_however_long(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "1,2\n" * 400_000 + "a,3\n")
    values = read_checked_csv(path)["x"]
    assert {type(value) for value in values} == {str}


def test_a_table_comes_back_as_it_was_written(tmp_path: Path) -> None:
    frame = pd.DataFrame({"n": [1, 2], "x": [0.25, -1.5], "t": ["a,b", 'say "é"\nagain'], "b": [True, False]})
    write_table(tmp_path / "deep" / "t.csv", frame)
    pd.testing.assert_frame_equal(read_checked_csv(tmp_path / "deep" / "t.csv"), frame)
    assert b"\r" not in (tmp_path / "deep" / "t.csv").read_bytes()


def test_what_passes_the_scan_but_not_the_parser_is_named_too(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1\n1,2,3\n")
    with pytest.raises(InvalidInput, match=r"t.csv: cannot be read as a table \(.*\). Give CSV with a header line"):
        read_checked_csv(path, scanned=True)
