"""Formulas in text files, and folders of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.core import InvalidInput
from assay.formula.answer.model_files import formulas_in, read_formulas, subject_folders


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("x0 + 1\n", ["x0 + 1"]),
        ("# a comment\n\n  x0  \r\nx1\n", ["x0", "x1"]),
        ("y = x0\nf(x0, x1) = x0*x1\ntarget=2*x0", ["x0", "x0*x1", "2*x0"]),
        ("\n# nothing\n", []),
    ],
)
def test_a_line_is_a_formula(text: str, formulas: list[str]) -> None:
    assert formulas_in(text) == formulas


def test_a_file_without_a_formula_or_without_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="holds no formula; write one per line"):
        read_formulas(write(tmp_path / "a.txt", "# nothing yet\n"))
    (tmp_path / "b.txt").write_bytes(b"\xff\xfex0")
    with pytest.raises(InvalidInput, match="b.txt: not UTF-8 text"):
        read_formulas(tmp_path / "b.txt")


def test_a_byte_order_mark_is_no_part_of_the_formula(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfx0 + 1\n")
    assert read_formulas(tmp_path / "a.txt") == ["x0 + 1"]


def test_subjects_have_one_folder_or_one_per_repetition(tmp_path: Path) -> None:
    write(tmp_path / "plain" / "set.txt", "x0")
    for seed in ("2", "10"):
        write(tmp_path / "repeated" / seed / "set.txt", "x0")
    write(tmp_path / "readme.txt", "not a subject")
    (tmp_path / "empty").mkdir()
    assert subject_folders(tmp_path) == {
        "plain": (tmp_path / "plain",),
        "repeated": (tmp_path / "repeated" / "2", tmp_path / "repeated" / "10"),
    }


def test_folders_that_cannot_be_read_say_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="folder of models not found"):
        subject_folders(tmp_path / "none")
    with pytest.raises(InvalidInput, match="no models here. Each subject is a folder"):
        subject_folders(tmp_path)
    write(tmp_path / "both" / "set.txt", "x0")
    write(tmp_path / "both" / "1" / "set.txt", "x0")
    with pytest.raises(InvalidInput, match="models lie both here and in 1"):
        subject_folders(tmp_path)
