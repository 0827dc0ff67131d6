from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.core import InvalidInput
from assay.sandbox.lockdown.confine import common_grants, confine, require_confinement, without_hidden
from assay.sandbox.lockdown.landlock import abi


def in_child(work: Callable[[], object]) -> str:
    """What the work gives or raises in a forked child, as text."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            outcome = str(work())
        except BaseException as error:  # noqa: BLE001 - the parent wants to know, whatever it is
            outcome = f"{type(error).__name__}: {error}"
        os.write(writing, outcome.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        outcome = pipe.read().decode()
    os.waitpid(child, 0)
    return outcome


def outcome(work: Callable[[], object]) -> str:
    try:
        return str(work())
    except OSError as error:
        return type(error).__name__


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path, Path]:
    task, scratch, truth = (tmp_path / name for name in ("task", "scratch", "truth"))
    for folder in (task, scratch, truth):
        folder.mkdir()
        (folder / "file").write_text(folder.name)
    return task, scratch, truth


def test_a_confined_process_reads_its_task_writes_its_folder_and_nothing_else(
    folders: tuple[Path, Path, Path],
) -> None:
    task, scratch, truth = folders

    def work() -> list[str]:
        confine(readable=[task], writable=scratch)
        return [
            outcome((task / "file").read_text),
            outcome(lambda: (task / "new").write_text("x")),
            outcome(lambda: (scratch / "new").write_text("xy")),
            outcome((truth / "file").read_text),
            outcome(lambda: list(truth.parent.iterdir())),
            outcome(lambda: (scratch / "new").rename(task / "new")),
            outcome(lambda: Path(f"/proc/{os.getppid()}/environ").read_bytes()),
        ]

    denied = "PermissionError"
    assert in_child(work) == str(["task", denied, "2", denied, denied, denied, denied])
    assert (scratch / "new").read_text() == "xy"


def test_what_it_starts_is_confined_too(folders: tuple[Path, Path, Path]) -> None:
    task, _, truth = folders

    def work() -> list[str]:
        confine(readable=[task])
        code = "import sys, pathlib; print(pathlib.Path(sys.argv[1]).read_text())"
        commands = [["cat", str(task / "file")], ["cat", str(truth / "file")]]
        commands += [[sys.executable, "-I", "-c", code, str(folder / "file")] for folder in (task, truth)]
        return [subprocess.run(command, capture_output=True, text=True, check=False).stdout for command in commands]

    assert in_child(work) == str(["task", "", "task\n", ""])


def test_threads_processes_and_numerical_libraries_work_inside(tmp_path: Path) -> None:
    code = (
        "import sys, threading, numpy, pandas, concurrent.futures as c\n"
        "numpy.linalg.svd(numpy.ones((300, 300)))\n"
        "print(sum(c.ThreadPoolExecutor(2).map(int, '123')), pandas.Series([1, 2]).mean())\n"
    )

    def work() -> str:
        confine(writable=tmp_path)
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert in_child(work) == "6 1.5\n"


@pytest.mark.parametrize("kind", [socket.SOCK_STREAM, socket.SOCK_DGRAM])
def test_the_network_is_closed_unless_allowed(kind: socket.SocketKind) -> None:
    with socket.socket(type=kind) as listener:
        listener.bind(("127.0.0.1", 0))
        if kind == socket.SOCK_STREAM:
            listener.listen()
        listener.settimeout(0.2)

        def attempt(network: bool) -> str:
            confine(network=network)

            def send() -> str:
                with socket.socket(type=kind) as peer:
                    peer.connect(listener.getsockname())
                    peer.sendall(b"hello")
                return "sent"

            return outcome(send)

        assert in_child(lambda: attempt(network=False)) == "PermissionError"
        with pytest.raises(TimeoutError):
            listener.accept() if kind == socket.SOCK_STREAM else listener.recv(8)
        assert in_child(lambda: attempt(network=True)) == "sent"
        if kind == socket.SOCK_STREAM:
            listener.accept()[0].close()
        else:
            assert listener.recv(8) == b"hello"


def test_a_unix_socket_of_a_service_cannot_be_reached(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "service"))
        listener.listen()

        def work() -> str:
            confine(writable=tmp_path)
            return outcome(lambda: socket.socket(socket.AF_UNIX).connect(str(tmp_path / "service")))

        assert in_child(work) == "PermissionError"


@pytest.mark.skipif(abi() < 6, reason="signals are in Landlock's reach from version 6")
def test_processes_outside_cannot_be_signalled() -> None:
    bystander = subprocess.Popen(["sleep", "30"])
    try:

        def work() -> str:
            confine()
            return outcome(lambda: os.kill(bystander.pid, signal.SIGKILL))

        assert in_child(work) == "PermissionError"
        time.sleep(0.05)
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_what_was_applied_is_said_in_short() -> None:
    assert in_child(lambda: confine(namespaces=True, counted=True)) == "confined"
    assert in_child(lambda: confine(network=True, namespaces=True, counted=True)) == "confined, network allowed"
    assert in_child(confine) == "confined, without namespaces, memory sampled"
    assert in_child(lambda: confine().landlock_abi) == str(abi())


def test_places_that_are_hidden_are_left_out_of_what_is_readable(tmp_path: Path) -> None:
    for name in ("shown/a", "app/code.py", "app/results/store", "app/problems/p0/truth"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "app" / "latest").symlink_to(tmp_path / "app" / "results")
    hidden = [tmp_path / "app" / "results", tmp_path / "app" / "problems"]

    def work() -> list[str]:
        confine(readable=[tmp_path], hidden=hidden)
        names = ("shown/a", "app/code.py", "app/results/store", "app/latest/store", "app/problems/p0/truth")
        return [outcome((tmp_path / name).read_text) for name in names]

    denied = "PermissionError"
    assert in_child(work) == str(["shown/a", "app/code.py", denied, denied, denied])
    assert without_hidden(tmp_path / "shown", hidden) == [tmp_path / "shown"]
    assert without_hidden(tmp_path / "app" / "results", hidden) == []


def test_a_hidden_place_below_the_interpreters_folders_is_out_of_sight() -> None:
    hidden = Path(sys.prefix).resolve() / "bin"
    places = [place for place, _ in common_grants(False, (hidden,)) if isinstance(place, Path)]
    assert not any(hidden.is_relative_to(place.resolve()) for place in places)
    assert any(place.resolve().is_relative_to(Path(sys.prefix).resolve()) for place in places)


def test_a_missing_folder_is_an_error_at_once(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"'.*absent' does not exist\. Give existing folders\."):
        confine(readable=[tmp_path / "absent"])
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInput, match=r"'.*file' is to be written to and must be a folder"):
        confine(writable=tmp_path / "file")


def test_a_process_with_threads_is_refused() -> None:
    def work() -> None:
        threading.Thread(target=threading.Event().wait, daemon=True).start()
        confine()

    assert in_child(work) == "TooManyThreads: confinement needs a process with one thread, this one has 2"


def test_a_machine_without_landlock_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.sandbox.lockdown.landlock.abi", lambda: 0)
    with pytest.raises(InvalidInput, match="confinement needs Landlock"):
        require_confinement()
