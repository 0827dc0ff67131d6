import re
from pathlib import Path

import pandas as pd
import pytest

from assay.core import InvalidInput
from assay.insight.problem import reading
from assay.insight.problem.reading import read_object, read_table, text_of, texts_of, write_table

PATH = Path("problem.json")


def test_a_table_is_what_pandas_reads_by_default(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("n,x,flag,word,gap\n1,0.1,True,a,1\n2,1e-3,False,NA,\n")
    pd.testing.assert_frame_equal(read_table(path), pd.read_csv(path))


def test_a_column_of_mixed_content_has_one_type_however_long(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "1,2\n" * 400_000 + "a,3\n")
    values = read_table(path)["x"]
    assert {type(value) for value in values} == {str}


def test_a_table_comes_back_as_it_was_written(tmp_path: Path) -> None:
    frame = pd.DataFrame({"n": [1, 2], "x": [0.25, -1.5], "t": ["a,b", 'say "é"\nagain'], "b": [True, False]})
    write_table(tmp_path / "deep" / "t.csv", frame)
    pd.testing.assert_frame_equal(read_table(tmp_path / "deep" / "t.csv"), frame)
    assert b"\r" not in (tmp_path / "deep" / "t.csv").read_bytes()


def test_what_passes_the_scan_but_not_the_parser_is_named_too(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1\n1,2,3\n")
    with pytest.raises(InvalidInput, match=r"t.csv: cannot be read as a table \(.*\). Give CSV with a header line"):
        read_table(path, scanned=True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", r"p.json: not valid JSON: .* at line 1, column 2"),
        (b"[1]", r"p.json: must hold a JSON object, found list"),
        (b'{"a": "\xff"}', r"p.json: not UTF-8 text \(.* at byte 7\)"),
        (b"[" * 100_000, r"p.json: not usable JSON: nested too deeply"),
        (b'{"a": ' + b"1" * 5000 + b"}", r"p.json: not usable JSON: .*digits"),
    ],
)
def test_json_that_is_none_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "p.json").write_bytes(content)
    with pytest.raises(InvalidInput, match=message):
        read_object(tmp_path / "p.json")


def test_json_that_is_missing_or_too_large_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidInput, match=r"p.json: there is no such file"):
        read_object(tmp_path / "p.json")
    (tmp_path / "p.json").write_bytes(b'\xef\xbb\xbf{"a": "long"}')
    assert read_object(tmp_path / "p.json") == {"a": "long"}
    monkeypatch.setattr(reading, "LARGEST_JSON", 5)
    with pytest.raises(InvalidInput, match=r"p.json: 16 bytes are more than the 5 allowed"):
        read_object(tmp_path / "p.json")


def test_texts_are_demanded_by_key() -> None:
    content = {"a": "x", "none": None, "n": 5, "list": ["x", "y"], "odd": ["x", 3], "blank": ""}
    assert text_of(content, "a", PATH) == "x"
    assert text_of(content, "absent", PATH, default="d") == "d"
    assert text_of(content, "none", PATH, default="d") == "d"
    assert text_of(content, "blank", PATH, default="d") == ""
    assert texts_of(content, "list", PATH) == ("x", "y")
    assert texts_of(content, "none", PATH, optional=True) == ()


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("n", "problem.json: 'n' is 5; it must be a text."),
        ("absent", "problem.json: 'absent' is missing; it must be a text."),
        ("blank", "problem.json: 'blank' is ''; it must be a text."),
    ],
)
def test_what_is_no_text_is_named_with_its_key(key: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(message)):
        text_of({"n": 5, "blank": ""}, key, PATH)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("x", "problem.json: 'k' is 'x'; it must be a list of texts."),
        (["x", {"a": "b" * 100}], "problem.json: 'k'[1] is {'a': '" + "b" * 50 + "...; it must be a text."),
        (None, "problem.json: 'k' is None; it must be a list of texts."),
    ],
)
def test_what_is_no_list_of_texts_is_named_with_its_key(value: object, message: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(message)):
        texts_of({"k": value}, "k", PATH)
    with pytest.raises(InvalidInput, match="'k' is missing"):
        texts_of({}, "k", PATH)
