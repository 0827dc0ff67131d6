"""Readers that do something else than reading their own folder are found out."""

from __future__ import annotations

import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from fuzz.engine import try_one
from fuzz.targets import Target
from fuzz.targets.escapes import SECRET


def _write_outside(root: Path) -> object:
    return (root.parent / "outside.txt").write_text("x")


def _write_through_link(root: Path) -> object:
    (root / "link").symlink_to(root.parent)
    return (root / "link" / "outside.txt").write_text("x")


def _read_secret(root: Path) -> object:
    (root / "link.txt").symlink_to(root / SECRET / "key.txt")
    return (root / "link.txt").read_text()


def _start_program(root: Path) -> object:
    return subprocess.run([sys.executable, "-c", ""], check=True)


def _unpickle(root: Path) -> object:
    return pickle.loads(pickle.dumps(Path("x")))


def _remove_outside(root: Path) -> object:
    (root.parent / "there").mkdir()
    shutil.rmtree(root.parent / "there")
    return None


@pytest.mark.parametrize(
    "read", [_write_outside, _write_through_link, _read_secret, _start_program, _unpickle, _remove_outside]
)
def test_what_is_done_beside_reading_is_a_finding(tmp_path: Path, read: Callable[[Path], object]) -> None:
    root = tmp_path / "root"
    (root / SECRET).mkdir(parents=True)
    (root / SECRET / "key.txt").write_text("k")
    result = try_one(Target("odd", (b"",), lambda data: read(root), root=root), b"")
    assert result is not None
    assert result.kind == "beside reading"


def test_a_reader_may_do_what_it_likes_in_its_own_folder(tmp_path: Path) -> None:
    def read(data: bytes) -> object:
        (tmp_path / "a").mkdir()
        (tmp_path / "a" / "b").write_bytes(data)
        (tmp_path / "a" / "b").rename(tmp_path / "a" / "c")
        shutil.rmtree(tmp_path / "a")
        return None

    assert try_one(Target("good", (b"",), read, root=tmp_path), b"x") is None
