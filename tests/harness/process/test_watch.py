from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from assay.core import Budget
from assay.harness.process.process_tree import descendants, private_memory, queue_memory, real_memory, tree_use
from assay.harness.process.watch import CellWatch, UseGuard

PARENT = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]], check=False)"
SPIN = "while True: pass"


@contextmanager
def below(code: str) -> Iterator[int]:
    """A process that has started another with this code; the number of the first."""
    with subprocess.Popen([sys.executable, "-c", PARENT, code], start_new_session=True) as parent:
        try:
            yield parent.pid
        finally:
            os.killpg(parent.pid, 9)


def wait_for(condition: object, seconds: float = 15.0) -> None:
    ends = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < ends
        time.sleep(0.02)


def test_processes_below_are_found_and_their_use_is_added_up() -> None:
    with below("import os, time; held = bytearray(os.urandom(1) * (40 << 20)); os.fork(); time.sleep(30)") as parent:
        wait_for(lambda: len(descendants(parent)) == 2)
        wait_for(lambda: private_memory(descendants(parent)[0]) > 40 << 20)
        processes = descendants(parent)
        use = tree_use(processes)
        assert use.tasks == 2
        assert use.memory > 80 << 20  # a forked copy is counted twice here
        assert 40 << 20 < real_memory(processes) < 70 << 20  # and once there
    wait_for(lambda: descendants(parent) == [])
    assert tree_use([parent]) == (0, 0.0, 0)


def test_processor_time_of_all_processes_is_bounded() -> None:
    with below(SPIN) as parent:
        guard = UseGuard(parent, Budget(cpu_seconds=0.3), counted=True)
        assert UseGuard(parent, Budget(cpu_seconds=100), counted=True).look() is None
        wait_for(lambda: guard.look() is not None)
        failure = guard.look()
        assert failure is not None
        assert (failure.kind, str(failure)) == ("timeout", "no answer within 0.3 s of processor time")


def test_memory_of_all_processes_is_bounded_where_nobody_else_counts_it() -> None:
    code = "import os, time; os.fork(); held = bytearray(os.urandom(1) * (80 << 20)); time.sleep(30)"
    with below(code) as parent:
        guard = UseGuard(parent, Budget(memory_mb=40), counted=False)
        counted = UseGuard(parent, Budget(memory_mb=40), counted=True)
        wait_for(lambda: guard.look() is not None)
        failure = guard.look()
        assert failure is not None
        assert failure.kind == "memory"
        assert counted.look() is None


def test_memory_in_many_sockets_counts_as_held() -> None:
    code = "import socket, time; kept = [socket.socketpair() for _ in range(200)]; time.sleep(30)"
    with below(code) as parent:
        guard = UseGuard(parent, Budget(memory_mb=20), counted=False)
        wait_for(lambda: guard.look() is not None)
        assert queue_memory(descendants(parent)) > 60 << 20
        assert queue_memory([os.getpid()]) == 0


@pytest.mark.parametrize("name", [b"RssAnon: 0", b"RssAnon:", b"a) R 1 1", b"\xff\xfe", b"RssAnon: 0\nx"])
def test_a_process_hides_nothing_behind_its_name(name: bytes) -> None:
    code = f"import ctypes, time; ctypes.CDLL(None).prctl(15, {name!r}); held = b'x' * (80 << 20); time.sleep(30)"
    with below(code) as parent:
        guard = UseGuard(parent, Budget(memory_mb=40), counted=False)
        wait_for(lambda: guard.look() is not None)
        assert str(guard.look()) == "needed more than 40 MB, in 1 process"
        (child,) = descendants(parent)
        assert private_memory(child) > 60 << 20
        assert tree_use([child]).tasks == 1


def test_a_subject_that_cannot_be_watched_is_stopped() -> None:
    class Blind:
        def look(self) -> None:
            raise ValueError("no sight")

    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.settimeout(5)
        watch = CellWatch([Blind()], ours)
        assert ours.recv(1) == b""  # the line is cut
        assert watch.stop() is None
        assert str(watch.trouble) == "no sight"


def test_a_subject_is_kept_waiting_by_others_only() -> None:
    cores = os.cpu_count() or 1
    with below(f"import os\nfor _ in range({cores.bit_length()}): os.fork()\n{SPIN}") as parent:
        guard = UseGuard(parent, Budget(), counted=True)
        wait_for(lambda: len(descendants(parent)) > cores)
        guard.look()
        time.sleep(0.7)
        if os.getloadavg()[0] < 1.5:  # on a busy machine others do keep it waiting
            assert guard.delay_by_others() is None
        others = [subprocess.Popen([sys.executable, "-c", SPIN]) for _ in range(6 * cores)]
        try:
            time.sleep(2.0)
            assert (guard.delay_by_others() or 0) > 0.3
        finally:
            for other in others:
                other.kill()
                other.wait()


@pytest.mark.parametrize("seconds", [0, -1.0, float("nan")])
def test_processor_seconds_must_be_positive(seconds: float) -> None:
    from assay.core import InvalidInput

    with pytest.raises(InvalidInput, match="cpu_seconds must be a positive number"):
        Budget(cpu_seconds=seconds)
