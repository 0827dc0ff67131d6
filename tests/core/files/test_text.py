from pathlib import Path

import pytest

from assay.core import InvalidInput, files
from assay.core.files.text import parse_json, read_json, read_json_value, read_text, write_json


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", r"p.json: not valid JSON: .* at line 1, column 2"),
        (b"[1]", r"p.json: must hold a JSON object, found list"),
        (b'{"a": "\xff"}', r"p.json: not UTF-8 text \(.* at byte 7\)"),
        (b"[" * 100_000, r"p.json: not valid JSON: nested too deeply"),
        (b'{"a": ' + b"1" * 5000 + b"}", r"p.json: not valid JSON: .*digits"),
    ],
)
def test_json_that_is_none_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "p.json").write_bytes(content)
    with pytest.raises(InvalidInput, match=message):
        read_json(tmp_path / "p.json")


def test_json_that_is_missing_or_too_large_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidInput, match=r"p.json: there is no such file"):
        read_json(tmp_path / "p.json")
    (tmp_path / "p.json").write_bytes(b'\xef\xbb\xbf{"a": "long"}')
    assert read_json(tmp_path / "p.json") == {"a": "long"}
    monkeypatch.setattr(files, "LARGEST_JSON", 5)
    with pytest.raises(InvalidInput, match=r"p.json: 16 bytes are more than the 5 allowed"):
        read_json(tmp_path / "p.json")


def test_a_file_may_hold_any_value_where_any_is_wanted(tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text("[1, 2]")
    assert read_json_value(tmp_path / "p.json") == [1, 2]


def test_numbers_that_are_not_finite_are_refused_only_where_it_is_said() -> None:
    assert parse_json(b"[Infinity]", what="x") == [float("inf")]
    with pytest.raises(InvalidInput, match=r"^x: -Infinity is not allowed; give numbers\.$"):
        parse_json(b"[-Infinity]", what="x", finite="give numbers")


def test_equal_objects_are_written_as_equal_bytes(tmp_path: Path) -> None:
    write_json(tmp_path / "deep" / "a.json", {"b": 1, "a": "é"})
    write_json(tmp_path / "b.json", {"a": "é", "b": 1})
    content = (tmp_path / "deep" / "a.json").read_bytes()
    assert content == (tmp_path / "b.json").read_bytes() == b'{\n  "a": "\xc3\xa9",\n  "b": 1\n}\n'
    with pytest.raises(ValueError, match="JSON"):
        write_json(tmp_path / "c.json", {"a": float("nan")})


def test_text_is_read_with_or_without_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_bytes(b"\xef\xbb\xbfx\r\n")
    assert read_text(tmp_path / "t.txt") == "x\n"
    (tmp_path / "t.txt").write_bytes(b"a\xff")
    with pytest.raises(InvalidInput, match=r"t.txt: not UTF-8 text \(.* at byte 1\)"):
        read_text(tmp_path / "t.txt")
    with pytest.raises(InvalidInput, match=r"none.txt: there is no such file"):
        read_text(tmp_path / "none.txt")
    with pytest.raises(InvalidInput, match=r"cannot be read \(Is a directory\)"):
        read_text(tmp_path)
