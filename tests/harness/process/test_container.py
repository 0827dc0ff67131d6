"""What exists inside a container, tried in real ones; skipped with the reason where none can run."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.harness.process import container
from assay.harness.process.container import INNER_PARENT, container_command, container_reason

Inside = Callable[..., Any]

runs = pytest.mark.skipif(container_reason() is not None, reason=f"no container: {container_reason()}")


@pytest.fixture
def inside(tmp_path: Path) -> Inside:
    """What a piece of Python, run in a container, leaves in ``result``."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()

    def run(code: str, *, fds: tuple[int, ...] = (), **options: Any) -> Any:
        command = [*container_command(scratch=scratch, **options), sys.executable, "-I", "-c"]
        text = f"import json, os, socket, pathlib\n{code}\nprint(json.dumps(result))"
        process = subprocess.run(
            [*command, text], capture_output=True, text=True, timeout=20, check=False, pass_fds=fds
        )
        assert process.returncode == 0, process.stderr
        return json.loads(process.stdout)

    return run


@runs
def test_files_of_the_machine_do_not_exist_inside(inside: Inside, tmp_path: Path) -> None:
    (tmp_path / "truth.txt").write_text("secret")
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "data.txt").write_text("readable")
    names = [str(tmp_path / "truth.txt"), "/etc/passwd", "/home", "/var", str(Path(__file__))]
    code = f"""
result = [os.path.exists(name) for name in {names!r}]
result.append(pathlib.Path({str(tmp_path / "given" / "data.txt")!r}).read_text())
pathlib.Path("mine.txt").write_text("kept")
"""
    assert inside(code, readable=[tmp_path / "given"]) == [False] * 5 + ["readable"]
    assert (tmp_path / "scratch" / "mine.txt").read_text() == "kept"


@runs
def test_what_is_mounted_cannot_be_written(inside: Inside, tmp_path: Path) -> None:
    (tmp_path / "given").mkdir()
    code = f"""
result = []
for folder in ({str(tmp_path / "given")!r}, "/usr", {sys.prefix!r}):
    try:
        pathlib.Path(folder, "mark").write_text("x")
    except OSError as error:
        result.append(error.errno)
"""
    assert inside(code, readable=[tmp_path / "given"]) == [30] * 3  # a read-only file system


@runs
def test_hidden_folders_below_readable_ones_are_empty(inside: Inside, tmp_path: Path) -> None:
    hidden = tmp_path / "given" / "problems"
    (hidden / "p1").mkdir(parents=True)
    (tmp_path / "given" / "data.txt").write_text("readable")
    code = f"result = [sorted(os.listdir({str(tmp_path / 'given')!r})), os.listdir({str(hidden)!r})]"
    assert inside(code, readable=[tmp_path / "given"], hidden=[hidden]) == [["data.txt", "problems"], []]


@runs
@pytest.mark.parametrize("network", [False, True])
def test_the_network_is_another_unless_it_is_shared(inside: Inside, network: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        code = f"result = socket.socket().connect_ex(('127.0.0.1', {listener.getsockname()[1]}))"
        assert (inside(code, network=network) == 0) is network


@runs
def test_processes_outside_cannot_be_seen_and_descriptors_can_be_passed(inside: Inside) -> None:
    read, write = os.pipe()
    code = f"""
os.write({write}, b"told")
result = [os.getppid(), sorted(int(name) for name in os.listdir("/proc") if name.isdigit())]
"""
    parent, numbers = inside(code, fds=(write,))
    os.close(write)
    assert os.read(read, 10) == b"told"
    os.close(read)
    assert parent == INNER_PARENT
    assert max(numbers) < 10


def test_a_machine_without_bubblewrap_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container, "_PROGRAM", "no-such-bubblewrap")
    assert container_reason.__wrapped__() == (
        "bubblewrap (no-such-bubblewrap) is not installed: install the system's package 'bubblewrap'"
    )


def test_the_reason_is_what_the_program_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(container, "_PROGRAM", str(program))
    assert container_reason.__wrapped__() == "bwrap: No permissions to create new namespace"
