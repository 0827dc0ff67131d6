from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay.core.files.removal import remove_tree, tree_size


def deep(folder: Path, levels: int) -> None:
    place = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("d", dir_fd=place)
        inner = os.open("d", os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = inner
    with os.fdopen(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=place), "w") as stream:
        stream.write("x" * 10_000)
    os.close(place)


def test_a_folder_of_any_depth_and_mode_is_removed_and_links_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("kept")
    folder = tmp_path / "folder"
    (folder / "closed" / "inner").mkdir(parents=True)
    (folder / "closed" / "inner" / "file").touch()
    (folder / "closed" / "inner").chmod(0)
    (folder / "closed").chmod(0)
    (folder / "link").symlink_to(outside)
    (folder / "loop").symlink_to("loop")
    os.mkfifo(folder / "pipe")
    deep(folder, 3000)
    remove_tree(folder)
    assert not folder.exists()
    assert (outside / "kept").read_text() == "kept"


@pytest.mark.parametrize("name", ["absent", "file", "link"])
def test_what_is_no_folder_is_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    remove_tree(tmp_path / name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "link", "real"]


def test_sizes_are_those_of_the_disk(tmp_path: Path) -> None:
    assert tree_size(tmp_path) == 0
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "file").write_bytes(bytes(50_000))
    with (tmp_path / "sparse").open("wb") as stream:
        stream.truncate(1 << 30)
    assert 50_000 <= tree_size(tmp_path) < 200_000
    deep(tmp_path, 150)
    assert tree_size(tmp_path) > 1 << 50
    remove_tree(tmp_path / "d")
