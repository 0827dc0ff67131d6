from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from assay.core import InvalidInput
from assay.intake.columns import read_columns, read_header, write_columns


@given(values=arrays(np.float64, (3, 2), elements=st.floats(allow_nan=False, allow_infinity=False)))
def test_numbers_come_back_as_they_were(values: np.ndarray, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("table") / "t.csv"
    write_columns(path, ["a", "b, or c"], values)
    assert np.array_equal(read_columns(path, ["a", "b, or c"]), values)
    assert np.array_equal(read_columns(path, ["b, or c"]), values[:, 1:])


def test_names_are_read_without_a_byte_order_mark_and_spaces(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"\xef\xbb\xbfa, b\n1,2\n")
    assert read_header(path) == ("a", "b")
    assert read_columns(path, ["b", "a"]).tolist() == [[2.0, 1.0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n3,x\n", r"column 'b' must hold numbers, found 'x' in row 2\. Encode or remove it"),
        ("a,b\n1,\n", r"column 'b' must hold numbers, found '' in row 1"),
        ("a,b\n", "no rows"),
        ("", "needs a header line"),
        ("a,,b\n1,2,3\n", "needs a header line that names every column"),
        ("a,b,b\n1,2,3\n", "column 'b' occurs twice"),
        ("a,b\n1,2\n3\n", "cannot be read as a table"),
        ("a,b\n1,nan\n2,inf\n", "column 'b' has no finite number in 2 rows, the first in row 1"),
        ("a,bb\n1,2\n", "No column named 'b'. Did you mean 'bb'"),
    ],
)
def test_what_cannot_be_used_is_named_with_its_place(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(InvalidInput, match=message):
        read_columns(path, ["a", "b"])


def test_missing_and_undecodable_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="file not found"):
        read_columns(tmp_path / "none.csv", ["a"])
    (tmp_path / "t.csv").write_bytes(b"a\xff,b\n1,2\n")
    with pytest.raises(InvalidInput, match="UTF-8"):
        read_columns(tmp_path / "t.csv", ["a"])


def test_a_table_with_too_few_names_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="1 columns are named"):
        write_columns(tmp_path / "t.csv", ["a"], np.zeros((2, 2)))
