"""A new folder appears whole or not at all, and what was there is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.core import InvalidInput
from assay.core.files.drafts import new_folder


def test_a_folder_appears_at_the_end_with_the_folders_above_it(tmp_path: Path) -> None:
    folder = tmp_path / "above" / "new"
    with new_folder(folder) as draft:
        (draft / "a.txt").write_text("a")
        assert not folder.exists()
    assert [path.name for path in folder.iterdir()] == ["a.txt"]
    assert [path.name for path in folder.parent.iterdir()] == ["new"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_an_error_or_an_interrupt_leaves_nothing(error: type[BaseException], tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()

    def fill(folder: Path) -> None:
        with new_folder(folder) as draft:
            (draft / "a.txt").write_text("a")
            raise error

    for folder in (tmp_path / "above" / "new", tmp_path / "there" / "new"):
        with pytest.raises(error):
            fill(folder)
    assert [path.name for path in tmp_path.rglob("*")] == ["there"]


def test_an_empty_folder_is_used_and_one_that_fills_meanwhile_is_kept(tmp_path: Path) -> None:
    with new_folder(tmp_path / "empty") as draft:
        (draft / "a.txt").write_text("a")
    (tmp_path / "other").mkdir()
    with pytest.raises(InvalidInput, match="already exists and is not empty"), new_folder(tmp_path / "other"):
        (tmp_path / "other" / "theirs.txt").write_text("theirs")
    assert sorted(path.name for path in tmp_path.rglob("*.txt")) == ["a.txt", "theirs.txt"]


def test_messages_name_the_folder_and_not_the_draft(tmp_path: Path) -> None:
    def refuse(folder: Path) -> None:
        with new_folder(folder) as draft:
            raise InvalidInput(f"{draft / 'a.txt'}: is wrong.")

    with pytest.raises(InvalidInput) as caught:
        refuse(tmp_path / "new")
    assert str(caught.value) == f"{tmp_path / 'new' / 'a.txt'}: is wrong."
