import csv
import random
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core import InvalidInput
from assay.intake import csv_scan, limits
from assay.intake.csv_scan import scan_csv

CELLS = st.text(alphabet='ab 1,"\n;é', max_size=6)


def table_file(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "orders.csv"
    path.write_bytes(content)
    return path


def test_the_header_comes_back_with_names_for_the_nameless(tmp_path: Path) -> None:
    path = table_file(tmp_path, b",a,b c\n1,2,3\n")
    assert scan_csv(path) == ("Unnamed: 0", "a", "b c")
    assert tuple(pd.read_csv(path).columns) == scan_csv(path)


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_a_byte_order_mark_and_any_line_end_are_fine(tmp_path: Path, mark: bytes, newline: bytes) -> None:
    content = mark + newline.join([b'"k",v', b'1,"two', b'lines"', b"", b"2,x", b""])
    path = table_file(tmp_path, content)
    assert scan_csv(path) == ("k", "v") == tuple(pd.read_csv(path).columns)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"orders.csv: the file is empty. Give a header line and at least one row"),
        (b"\n\n", r"orders.csv: the file is empty"),
        (b"a,b\n", r"orders.csv: the table has no rows. Columns: a, b"),
        (b"a,b,a\n1,2,3\n", r"orders.csv: column 'a' occurs 2 times in the header"),
        (b",Unnamed: 0\n1,2\n", r"orders.csv: column 'Unnamed: 0' occurs 2 times"),
        (b"a,b\n1,2\n1,2,3\n", r"orders.csv: line 3 has 3 cells, the header has 2 columns"),
        (b"a,b\n1\n", r"orders.csv: line 2 has 1 cells, the header has 2 columns"),
        (b'a,b\n1,"x\ny"\n1\n', r"orders.csv: line 4 has 1 cells"),
        (b'a,b\n1,"never closed\n2,3\n', r"orders.csv: the file ends inside quotation marks.*begins with '1,"),
        (b"a,b\n1,\xe9\n", r"orders.csv: not UTF-8 text \(.* at byte 6\). Save the table as UTF-8"),
        (b"a,b\n1,\xc3", r"orders.csv: not UTF-8 text \(unexpected end of data at byte 6\)"),
        ("a,b\n1,2\n".encode("utf-16"), r"orders.csv: not UTF-8 text"),
        ("a,b\n1,2\n".encode("utf-16-le"), r"orders.csv: a NUL at byte 1: this is not a text file"),
    ],
)
def test_what_is_wrong_is_said_with_the_file_and_the_place(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        scan_csv(table_file(tmp_path, content))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"none.csv: file not found"):
        scan_csv(tmp_path / "none.csv")


def test_a_bad_byte_is_counted_from_the_start_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_scan, "_CHUNK", 7)  # chunks end inside of characters
    good = "k,é\nß,ü\nöö,ää\n".encode() * 5
    assert scan_csv(table_file(tmp_path, good)) == ("k", "é")
    with pytest.raises(InvalidInput, match=rf"at byte {len(good) + 1}\)"):
        scan_csv(table_file(tmp_path, good + b"x\xff,1\n"))


def test_a_cell_of_the_largest_size_passes_and_a_longer_one_names_its_column(tmp_path: Path) -> None:
    longest = b"x" * limits.LONGEST_CELL
    assert scan_csv(table_file(tmp_path, b"a,note\n1," + longest + b"\n")) == ("a", "note")
    with pytest.raises(InvalidInput, match=r"a cell in column 'note' is longer than the 1000000 characters allowed"):
        scan_csv(table_file(tmp_path, b"a,note\n1," + longest + b"x\n"))
    with pytest.raises(InvalidInput, match=r"a cell in column 'note' is longer"):
        scan_csv(table_file(tmp_path, b'a,note\n1,"' + b"short line\n" * 200_000 + b'"\n'))
    with pytest.raises(InvalidInput, match=r"a cell in column number 1 is longer"):
        scan_csv(table_file(tmp_path, b"x" * 2_000_000))


def test_a_cell_of_a_hundred_megabytes_fails_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "huge.csv"
    with path.open("wb") as stream:
        stream.write(b"a,note,b\n1,")
        for _ in range(100):
            stream.write(b"y" * 1_000_000)
        stream.write(b",2\n")
    tracemalloc.start()
    try:
        with pytest.raises(InvalidInput, match=r"huge.csv: a cell in column 'note' is longer"):
            scan_csv(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 60_000_000, peak


def test_a_row_of_many_large_cells_and_a_file_beyond_the_cap_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "LONGEST_ROW", 50)
    with pytest.raises(InvalidInput, match=r"orders.csv: a row is longer than the 50 characters allowed"):
        scan_csv(table_file(tmp_path, b"a,b,c,d,e,f\n" + b",".join([b"z" * 10] * 6) + b"\n"))
    monkeypatch.setattr(limits, "LARGEST_TABLE", 10)
    with pytest.raises(InvalidInput, match=r"orders.csv: 12 bytes are more than the 10 allowed for one table"):
        scan_csv(table_file(tmp_path, b"a,b\n1,2\n3,4\n"))


def test_the_limit_of_the_csv_module_is_left_as_it_was(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    scan_csv(table_file(tmp_path, b"a\n1\n"))
    with pytest.raises(InvalidInput):
        scan_csv(table_file(tmp_path, b"a,note\n1," + b"x" * 1_000_001))
    assert csv.field_size_limit() == before


@given(rows=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=6))
def test_what_passes_is_read_by_pandas_with_as_many_rows(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    path = tmp_path_factory.mktemp("rows") / "t.csv"
    pd.DataFrame(rows, columns=["one", "two"]).to_csv(path, index=False)
    assert scan_csv(path) == ("one", "two")
    read = pd.read_csv(path, keep_default_na=False, dtype=str)
    np.testing.assert_array_equal(read.to_numpy(dtype=object), np.array(rows, dtype=object))


def test_tables_are_judged_alike_at_once_and_row_by_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(4)
    pieces = ["a", "bc", ",", ",", ",", "\n", "\n", "\r\n", "\r", '"', " ", "é", "\x0b", "\u2028", "x,y\n", "1,2\n"]
    pieces += ['"q,r"', '""']
    path, at_once = tmp_path / "t.csv", 0
    for _ in range(800):
        few = rng.sample(pieces, 6)
        content = "".join(rng.choice(few) for _ in range(rng.randrange(12)))
        path.write_bytes((rng.choice(["", "p,q\n", "\ufeffp,q\n", "p,q,\r\n"]) + content).encode())
        at_once += bool(csv_scan._plain_header(path.read_bytes()))
        result = _judged(path)
        with monkeypatch.context() as patch:
            patch.setattr(csv_scan, "_AT_ONCE", -1)
            assert result == _judged(path), path.read_bytes()
    assert at_once > 20


def _judged(path: Path) -> tuple[str, ...] | str:
    try:
        return scan_csv(path)
    except InvalidInput as error:
        return str(error)
