from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from assay.cases.problem.reading import omitted_columns, read_table, split_label
from assay.core import InvalidInput, UnknownName
from assay.intake.table.read import read_user_table


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame({"id": [1, 2], "x": [0.5, None], "kind": ["a", "b"], "y": ["no", "yes"]})


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_csv_and_parquet_give_the_same_table(frame: pd.DataFrame, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    frame.to_csv(path, index=False) if name.endswith("csv") else frame.to_parquet(path)
    table = split_label(read_table(path), "y", path=path, ignore=["id"])
    assert list(table.features.columns) == ["x", "kind"]
    assert table.labels is not None
    assert table.labels.tolist() == ["no", "yes"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"a,b\n", "the table has no rows"),
        (b"\xff\xfe\x00\x81,b\n1,2\n", "cannot be read as utf-16"),
        (b'a,b\n1,"2\n', "cannot be read as a table"),
        (b"a,b\n1,2\n1,2,3,4,5,6\n1,2\n", "line 3 has 6 cells, the table has 2 columns"),
    ],
)
def test_an_unreadable_file_is_named_with_its_fault(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=message):
        read_table(path)


def test_a_broken_parquet_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "t.parquet").write_bytes(b"PAR1 but not really")
    with pytest.raises(InvalidInput, match="cannot be read as a table"):
        read_table(tmp_path / "t.parquet")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="absent.csv: file not found"):
        read_table(tmp_path / "absent.csv")


def test_an_unknown_column_gets_a_suggestion(frame: pd.DataFrame) -> None:
    with pytest.raises(InvalidInput, match="No label column named 'yy'. Did you mean 'y'"):
        split_label(frame, "yy", path=Path("t.csv"))
    with pytest.raises(InvalidInput, match="No column named 'idd'. Did you mean 'id'"):
        split_label(frame, "y", path=Path("t.csv"), ignore=["idd"])


def test_a_missing_label_is_counted(frame: pd.DataFrame) -> None:
    with pytest.raises(InvalidInput, match="'x' is empty in 1 row, the first is row 2. Fill or remove them"):
        split_label(frame, "x", path=Path("t.csv"))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([i / 7 for i in range(60)], r"t.csv: 'y' has 60 different numbers in 60 rows \(such as 0.14.*\): no classes"),
        (list(range(100, 160)), "'y' has 60 different numbers in 60 rows .*Name a column of classes, or cut"),
        ([f"name {i}" for i in range(60)], r"has 60 different values in 60 rows \(such as name 0\): no classes"),
        ([0.5, 1.5] * 30, r"has 2 different numbers in 60 rows \(such as 0.5\): no classes"),
        (["no"] * 60, "'y' is 'no' in all 60 rows: there is one class only. Give rows of at least two classes"),
    ],
)
def test_labels_that_are_no_classes_get_one_clear_line(values: list[object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        split_label(pd.DataFrame({"x": range(60), "y": values}), "y", path=Path("t.csv"))


def test_few_rows_may_have_a_class_each() -> None:
    assert split_label(pd.DataFrame({"x": [1, 2], "y": [0.0, 1.0]}), "y", path=Path("t.csv")).labels is not None


def test_european_files_give_the_values_of_plain_ones(tmp_path: Path) -> None:
    table = pd.DataFrame({"x": [1.5, 2.25, -3.0], "name": ["Grün", "Weiß", None], "ok": ["ja", "nein", "ja"]})
    table.to_csv(tmp_path / "plain.csv", index=False)
    (tmp_path / "eu.csv").write_bytes(table.to_csv(index=False, sep=";", decimal=",").encode("cp1252"))
    pd.testing.assert_frame_equal(read_table(tmp_path / "eu.csv"), read_table(tmp_path / "plain.csv"))
    pd.testing.assert_frame_equal(read_table(tmp_path / "plain.csv"), pd.read_csv(tmp_path / "plain.csv"))
    table.to_excel(tmp_path / "t.xlsx", index=False)
    assert read_table(tmp_path / "t.xlsx")["x"].tolist() == [1.5, 2.25, -3.0]


def test_identifiers_dates_and_constants_are_no_features_unless_kept() -> None:
    days = pd.date_range("2024-01-01", periods=30).strftime("%d.%m.%Y")
    frame = pd.DataFrame(
        {"id": range(1, 31), "day": days, "one": "x", "year": [2001, 2002] * 15, "x": [0.5, 1.5, 2.0] * 10}
    )
    reading = read_user_table(frame)
    assert list(omitted_columns(reading)) == ["id", "day", "one"]
    assert omitted_columns(reading)["day"].startswith("date: times such as '01.01.2024'")
    assert list(omitted_columns(reading, keep=["day"])) == ["id", "one"]
    with pytest.raises(UnknownName, match="No column named 'dya'. Did you mean 'day'"):
        omitted_columns(reading, keep=["dya"])


def test_a_table_needs_a_feature() -> None:
    with pytest.raises(InvalidInput, match="no feature column besides 'y'"):
        split_label(pd.DataFrame({"y": [1]}), "y", path=Path("t.csv"))


def test_queries_may_come_without_labels(frame: pd.DataFrame) -> None:
    assert split_label(frame[["x"]], "y", path=Path("q.csv"), required=False).labels is None
