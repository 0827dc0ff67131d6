from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from assay.cases.problem.reading import read_table, split_label
from assay.core import InvalidInput


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame({"id": [1, 2], "x": [0.5, None], "kind": ["a", "b"], "y": ["no", "yes"]})


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_csv_and_parquet_give_the_same_table(frame: pd.DataFrame, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    frame.to_csv(path, index=False) if name.endswith("csv") else frame.to_parquet(path)
    found = split_label(read_table(path), "y", path=path, ignore=["id"])
    assert list(found.features.columns) == ["x", "kind"]
    assert found.labels is not None
    assert found.labels.tolist() == ["no", "yes"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "cannot be read as a table"),
        (b"a,b\n", "the table has no rows"),
        (b"\xff\xfe\x00\x81,b\n1,2\n", "cannot be read as a table"),
        (b'a,b\n1,"2\n', "cannot be read as a table"),
        (b"a,b\n1,2,3,4\n1,2,3,4,5,6\n", "cannot be read as a table"),
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
    with pytest.raises(InvalidInput, match="1 rows have no 'x'. Fill or remove them"):
        split_label(frame, "x", path=Path("t.csv"))


def test_a_table_needs_a_feature() -> None:
    with pytest.raises(InvalidInput, match="no feature column beside 'y'"):
        split_label(pd.DataFrame({"y": [1]}), "y", path=Path("t.csv"))


def test_queries_may_come_without_labels(frame: pd.DataFrame) -> None:
    assert split_label(frame[["x"]], "y", path=Path("q.csv"), required=False).labels is None
