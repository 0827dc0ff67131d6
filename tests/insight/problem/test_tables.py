import pickle
import shutil
from pathlib import Path

import pandas as pd
import pytest

from assay.core import InvalidInput
from assay.insight.problem.tables import Tables


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("train", "orders", "items"):
        (tmp_path / f"{name}.csv").write_text(f"{name}_id,x\n1,2\n")
    (tmp_path / "notes.txt").write_text("no table")
    return tmp_path


def tables(folder: Path) -> Tables:
    return Tables.of_folder(folder, apart=frozenset({"train.csv"}))


def test_a_folder_gives_its_csv_files_by_name(folder: Path) -> None:
    found = tables(folder)
    assert list(found) == ["items.csv", "orders.csv"]
    assert len(found) == 2
    assert "orders.csv" in found
    assert "train.csv" not in found
    assert repr(found) == "Tables(items.csv, orders.csv)"
    assert found["orders.csv"].columns.tolist() == ["orders_id", "x"]
    with pytest.raises(KeyError):
        found["train.csv"]


def test_a_table_is_read_when_first_asked_for_and_kept(folder: Path) -> None:
    found = tables(folder)
    (folder / "orders.csv").write_text("changed,x\n1,2\n")
    first = found["orders.csv"]
    assert first.columns[0] == "changed"
    (folder / "orders.csv").unlink()
    assert found["orders.csv"] is first


def test_a_broken_table_is_found_before_it_is_asked_for(folder: Path) -> None:
    (folder / "items.csv").write_text("a,b\n1\n")
    with pytest.raises(InvalidInput, match=r"items.csv: line 2 has 1 cells"):
        tables(folder)


def test_pickled_tables_need_no_folder(folder: Path) -> None:
    expected = {name: pd.read_csv(folder / name) for name in ("items.csv", "orders.csv")}
    data = pickle.dumps(tables(folder))
    shutil.rmtree(folder)
    again = pickle.loads(data)
    assert list(again) == list(expected)
    for name, frame in expected.items():
        pd.testing.assert_frame_equal(again[name], frame)
