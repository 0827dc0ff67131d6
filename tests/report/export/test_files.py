from __future__ import annotations

from pathlib import Path

import pytest

from assay.core import InvalidInput
from assay.report.export.files import write_whole


def test_a_file_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    target = tmp_path / "report.csv"
    target.write_bytes(b"old")
    write_whole(target, b"new")
    assert target.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [target]


def test_a_failed_replacement_leaves_the_old_file_and_no_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "report.csv"
    target.write_bytes(b"old")

    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(InvalidInput, match=r"report.csv: cannot be written \(No space left on device\)"):
        write_whole(target, b"new")
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_missing_folder_and_a_folder_in_the_way_are_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"none/report.csv: cannot be written \(No such file"):
        write_whole(tmp_path / "none" / "report.csv", b"")
    with pytest.raises(InvalidInput, match="Give the path of a file in a folder that exists"):
        write_whole(tmp_path, b"")


def test_the_file_has_the_rights_of_any_new_file(tmp_path: Path) -> None:
    plain, written = tmp_path / "plain", tmp_path / "written"
    plain.write_bytes(b"")
    write_whole(written, b"")
    assert written.stat().st_mode == plain.stat().st_mode
