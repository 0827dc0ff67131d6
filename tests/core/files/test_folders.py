from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay.core import InvalidInput, demand_closed, digest_folder, find_inside, read_json, read_manifest
from assay.core.files.folders import walk


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inside = tmp_path / "inside"
    (inside / "data").mkdir(parents=True)
    (inside / "data" / "a.csv").write_text("a\n1\n")
    (inside / "problem.json").write_text("{}")
    (tmp_path / "secret.txt").write_text("k")
    return inside


def test_a_folder_of_files_and_links_between_them_is_closed(folder: Path) -> None:
    (folder / "b.csv").symlink_to("data/a.csv")
    (folder / "more").symlink_to(folder / "data")
    demand_closed(folder)
    assert read_manifest(folder, track="cases").id == "inside"


@pytest.mark.parametrize("end", ["../secret.txt", "/etc/passwd", "/dev/zero", "../..", "nowhere", "x"])
def test_a_link_out_of_a_folder_or_nowhere_is_refused_by_its_name(folder: Path, end: str) -> None:
    (folder / "data" / "x").symlink_to(end if end != "../secret.txt" else "../../secret.txt")
    with pytest.raises(InvalidInput, match=r"data/x: is a link that leads out of"):
        demand_closed(folder)
    with pytest.raises(InvalidInput, match="is a link"):
        read_manifest(folder, track="cases")


def test_a_link_up_to_the_folder_itself_is_no_way_out(folder: Path) -> None:
    (folder / "data" / "up").symlink_to("..")
    demand_closed(folder)


def test_a_folder_that_is_reached_by_a_link_is_closed_like_any_other(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "other").symlink_to(folder)
    demand_closed(tmp_path / "other")


def test_a_pipe_is_refused_instead_of_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "data" / "pipe.csv")
    with pytest.raises(InvalidInput, match=r"pipe\.csv: is neither a file nor a folder"):
        demand_closed(folder)
    os.mkfifo(folder / "a.json")
    with pytest.raises(InvalidInput, match="file not found"):
        read_json(folder / "a.json")


def test_hidden_files_are_not_looked_at(folder: Path) -> None:
    (folder / ".venv").mkdir()
    (folder / ".venv" / "python").symlink_to("/usr/bin/python3")
    demand_closed(folder)


def test_what_is_inside_is_found_by_its_name(folder: Path) -> None:
    assert find_inside(folder, "data/a.csv") == folder / "data" / "a.csv"
    assert find_inside(folder, "data") == folder / "data"


@pytest.mark.parametrize("name", ["../secret.txt", "/etc/passwd", "data/../../secret.txt", "none", "x\0y", "n" * 300])
def test_what_is_outside_or_nothing_is_not_found(folder: Path, name: str) -> None:
    assert find_inside(folder, name) is None


def test_a_link_to_what_is_outside_is_not_found(folder: Path) -> None:
    (folder / "x.json").symlink_to("../secret.txt")
    assert find_inside(folder, "x.json") is None


@pytest.mark.parametrize(
    ("text", "message"), [("[" * 100_000, "nested too deeply"), ('{"a": ' + "9" * 5000 + "}", "digits")]
)
def test_json_that_python_cannot_hold_is_refused_in_words(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(InvalidInput, match=message):
        read_json(tmp_path / "a.json")


def test_a_link_to_a_name_that_nothing_can_have_does_not_stop_a_digest(folder: Path) -> None:
    before = digest_folder(folder)
    (folder / "odd").symlink_to("n" * 300)
    assert digest_folder(folder) == before


def test_a_walk_names_everything_below_a_folder_and_follows_no_link(folder: Path) -> None:
    (folder / "more").symlink_to(folder / "data")
    (folder / "data" / "up").symlink_to("..")
    (folder / "odd").symlink_to("n" * 300)
    (folder / ".hidden").mkdir()
    names = ["data", "data/a.csv", "data/up", "problem.json", "more", "odd", ".hidden"]
    assert sorted(walk(folder)) == sorted(folder / name for name in names)
    assert list(walk(folder / "nowhere")) == []


def test_a_walk_comes_to_the_end_of_folders_within_folders(tmp_path: Path) -> None:
    depth = 1200  # more than Python calls itself
    place = os.open(tmp_path, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=place)
        below = os.open("d", os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = below
    os.close(place)
    assert sum(1 for _ in walk(tmp_path)) == depth
    for path in sorted(walk(tmp_path), reverse=True):
        path.rmdir()  # what removes trees calls itself
