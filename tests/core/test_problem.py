from __future__ import annotations

from pathlib import Path

import pytest

from assay.core import InvalidInput, find_problems, read_manifest


def folder(tmp_path: Path, text: str, name: str = "p") -> Path:
    (tmp_path / name).mkdir()
    (tmp_path / name / "problem.json").write_text(text)
    return tmp_path / name


def test_a_manifest_has_the_folders_name_where_no_id_is_given(tmp_path: Path) -> None:
    manifest = read_manifest(folder(tmp_path, '{"tags": {"noise": 0.1, "kind": "x"}}', "iris"), track="cases")
    assert (manifest.id, manifest.tags) == ("iris", {"noise": 0.1, "kind": "x"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"track": "drift"}', "a problem of track 'drift', not of 'cases'"),
        ('{"id": ""}', "'id' must be a non-empty line of text"),
        ('{"id": 3}', "'id' must be a non-empty line of text, got 3"),
        ('{"tags": [1]}', "'tags' must map names to texts or numbers"),
        ('{"tags": {"a": []}}', "'tags' must map names to texts or numbers"),
        ("[1]", "must hold a JSON object, found list"),
        ('{"id": "a",\n oops}', "not valid JSON: .* at line 2, column 2"),
    ],
)
def test_a_wrong_problem_file_is_named_with_its_fault(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as caught:
        read_manifest(folder(tmp_path, text), track="cases")
    assert "problem.json" in str(caught.value)


def test_bytes_that_are_not_text_are_said_to_be_so(tmp_path: Path) -> None:
    path = folder(tmp_path, "")
    (path / "problem.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(InvalidInput, match="not UTF-8 text"):
        read_manifest(path, track="cases")


def test_problems_are_found_in_a_folder_of_folders_or_as_one(tmp_path: Path) -> None:
    for name in ("b", "a"):
        folder(tmp_path, "{}", name)
    (tmp_path / "notes").mkdir()
    assert [path.name for path in find_problems(tmp_path)] == ["a", "b"]
    assert find_problems(tmp_path / "a") == (tmp_path / "a",)


def test_no_problems_is_an_error_that_says_what_makes_one(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="Each one must hold a file 'problem.json'"):
        find_problems(tmp_path)
    with pytest.raises(InvalidInput, match="problem folder not found"):
        find_problems(tmp_path / "absent")
