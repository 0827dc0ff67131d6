"""The log names what a process and its children ask of the kernel; each test traces children that it forks itself."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.sandbox.forking import fork_child
from assay.sandbox.lockdown.confine import confine
from assay.sandbox.lockdown.kernel import forbid_tracing
from assay.sandbox.lockdown.lockdown import missing_layers
from assay.sandbox.lockdown.syscalls import MACHINES, call_names
from assay.sandbox.trace import allow_tracing, start_tracer, trace

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="system calls are traced on Linux")

Traced = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def traced(tmp_path: Path) -> Iterator[Traced]:
    started: list[int] = []

    def run(work: Callable[[], object]) -> list[dict[str, Any]]:
        gate_read, gate_write = os.pipe()

        def child() -> None:
            os.close(gate_write)
            os.read(gate_read, 1)
            work()

        pid = fork_child(child)
        started.append(pid)
        log = tmp_path / "calls.jsonl"
        tracer, ready = start_tracer(pid, log, fork=fork_child)
        started.append(tracer)
        begun = os.read(ready, 1)
        os.close(ready)
        assert begun == b"!", log.read_text()
        os.write(gate_write, b"!")
        os.close(gate_read)
        os.close(gate_write)
        with _ended_after(pid, 10):
            os.waitpid(tracer, 0)
        os.waitpid(pid, 0)
        started.clear()
        return [json.loads(line) for line in log.read_text().splitlines()]

    yield run
    for pid in started:
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


@contextlib.contextmanager
def _ended_after(pid: int, seconds: float) -> Iterator[None]:
    watch = threading.Timer(seconds, os.kill, (pid, signal.SIGKILL))
    watch.start()
    yield
    watch.cancel()


def test_an_opened_file_stands_in_the_log_with_its_result(traced: Traced, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"

    def look() -> None:
        with contextlib.suppress(FileNotFoundError):
            os.open(secret, os.O_RDONLY)
        os.open(os.devnull, os.O_RDONLY)

    entries = traced(look)
    opened = {entry["paths"][0]: entry for entry in entries if entry.get("call") == "openat"}
    assert (opened[str(secret)]["result"], opened[str(secret)]["error"]) == (-2, "ENOENT")
    assert opened[os.devnull]["result"] >= 0
    assert "error" not in opened[os.devnull]
    assert {entry["pid"] for entry in entries} == {opened[os.devnull]["pid"]}
    assert abs(entries[0]["time"] - time.time()) < 60
    assert entries[-1] | {"time": 0} == {"time": 0, "pid": entries[0]["pid"], "event": "exited", "code": 0}
    assert entries[-2]["call"] == "exit_group"


def test_children_and_the_programs_they_start_are_followed(traced: Traced) -> None:
    def spawn() -> None:
        pid = os.fork()
        if pid == 0:
            os.execv("/bin/true", ["true"])
        os.waitpid(pid, 0)

    entries = traced(spawn)
    (born,) = (entry for entry in entries if entry.get("event") in ("fork", "clone", "vfork"))
    own = [entry for entry in entries if entry["pid"] == born["child"]]
    assert any(entry.get("call") == "execve" and entry["paths"] == ["/bin/true"] for entry in own)
    assert [entry["event"] for entry in own if "event" in entry] == ["exec", "exited"]


def test_addresses_of_sockets_are_told(traced: Traced, tmp_path: Path) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]

    def reach() -> None:
        socket.socket().connect(("127.0.0.1", port))
        local = socket.socket(socket.AF_UNIX)
        with contextlib.suppress(OSError):
            local.connect(str(tmp_path / "absent"))

    with listener:
        entries = traced(reach)
    addresses = [entry["address"] for entry in entries if entry.get("call") == "connect"]
    assert addresses == [f"127.0.0.1 port {port}", f"unix {tmp_path / 'absent'}"]


@pytest.mark.skipif(bool(missing_layers()), reason="confinement is not possible here")
def test_a_confined_process_is_traced_with_what_it_is_refused(traced: Traced, tmp_path: Path) -> None:
    (tmp_path / "truth.txt").write_text("secret")
    (tmp_path / "own").mkdir()

    def misbehave() -> None:
        confine(writable=tmp_path / "own")
        allow_tracing()
        with contextlib.suppress(OSError):
            (tmp_path / "truth.txt").read_text()
        with contextlib.suppress(OSError):
            socket.socket(socket.AF_INET)

    entries = traced(misbehave)
    refused = {entry["call"]: entry for entry in entries if entry.get("error") in ("EACCES", "EPERM")}
    assert refused["openat"]["paths"] == [str(tmp_path / "truth.txt")]
    assert refused["socket"]["arguments"][0] == socket.AF_INET


@pytest.mark.skipif(os.getuid() != 0, reason="root can become an ordinary user")
def test_an_ordinary_user_reads_the_paths_of_a_process_that_allows_it_again() -> None:
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o777)
    gate_read, gate_write = os.pipe()

    def as_nobody(work: Callable[[], object]) -> int:
        def drop() -> None:
            os.setgid(65534)
            os.setuid(65534)
            work()

        return fork_child(drop)

    def look() -> None:
        allow_tracing()  # changing the user has forbidden it
        os.write(answer_write, b"!")
        os.read(gate_read, 1)
        forbid_tracing()  # as confinement does
        allow_tracing()
        with contextlib.suppress(OSError):
            os.open(folder / "truth", os.O_RDONLY)

    answer_read, answer_write = os.pipe()
    pid = as_nobody(look)
    os.read(answer_read, 1)
    tracer, ready = start_tracer(pid, folder / "log", fork=as_nobody)
    assert os.read(ready, 1) == b"!"
    os.write(gate_write, b"!")
    with _ended_after(pid, 10):
        os.waitpid(tracer, 0)
    os.waitpid(pid, 0)
    for descriptor in (gate_read, gate_write, answer_read, answer_write, ready):
        os.close(descriptor)
    entries = [json.loads(line) for line in (folder / "log").read_text().splitlines()]
    shutil.rmtree(folder)
    assert [str(folder / "truth")] in [entry.get("paths") for entry in entries]


def test_signals_and_violent_ends_are_told(traced: Traced) -> None:
    def end() -> None:
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        os.kill(os.getpid(), signal.SIGUSR1)
        os.kill(os.getpid(), signal.SIGKILL)

    events = [(entry["event"], entry["signal"]) for entry in traced(end) if "signal" in entry]
    assert events[-1] == ("killed", "SIGKILL")


def test_the_log_has_a_limit_which_it_says(tmp_path: Path) -> None:
    gate_read, gate_write = os.pipe()

    def busy() -> None:
        os.read(gate_read, 1)
        for _ in range(200):
            os.getppid()

    pid = fork_child(busy)
    ready_read, ready_write = os.pipe()
    tracer = fork_child(lambda: trace(pid, tmp_path / "log", ready=ready_write, cap=2000))
    os.close(ready_write)
    assert os.read(ready_read, 1) == b"!"
    os.write(gate_write, b"!")
    with _ended_after(pid, 10):
        os.waitpid(tracer, 0)
    _, status = os.waitpid(pid, 0)
    for descriptor in (gate_read, gate_write, ready_read):
        os.close(descriptor)
    assert os.waitstatus_to_exitcode(status) == 0
    assert (tmp_path / "log").stat().st_size < 2400
    assert json.loads((tmp_path / "log").read_text().splitlines()[-1])["event"] == "log full"


def test_a_process_that_cannot_be_traced_is_said_to_be_so(tmp_path: Path) -> None:
    pid = fork_child(lambda: None)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    tracer, ready = start_tracer(pid, tmp_path / "log", fork=fork_child)
    assert os.read(ready, 1) == b""
    os.close(ready)
    os.waitpid(tracer, 0)
    os.waitpid(pid, 0)
    assert json.loads((tmp_path / "log").read_text())["event"] == "not traced"


def test_names_agree_with_those_of_the_filters() -> None:
    names = call_names()
    machine = os.uname().machine
    assert all(names[number] == name for name, number in MACHINES[machine].numbers.items())
    if machine == "x86_64":
        assert [names[number] for number in (0, 59, 257, 334, 424, 469)] == [
            *("read", "execve", "openat", "rseq", "pidfd_send_signal", "file_setattr")
        ]
