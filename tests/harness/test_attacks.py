"""What subjects tried in order to read the truth or to leave the table; each of these once worked."""

from __future__ import annotations

import os
import platform
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from assay.core import InvalidInput
from assay.harness import Finished, LocalRunner, Lost, RunSpec, run
from assay.harness.execute import Job
from assay.harness.runners.local import Patience
from assay.harness.store.schema import STORE_NAME

Spec = Callable[..., RunSpec]
Write = Callable[[str, str], str]

HONEST = "def solve(task, budget):\n    return tuple(n % 2 == 0 for n in task.numbers)\n"
SCRIPT = "#!/bin/sh\ncat stolen/* > stolen-copy; exit 3\n"


@pytest.fixture
def submission(tmp_path: Path, spec: Spec) -> Path:
    folder = tmp_path / "submission"
    folder.mkdir()
    (folder / "agent.py").write_text("def solve(task, budget):\n    if False:\n        import stolen\n" + HONEST)
    return folder


@pytest.mark.parametrize("place", ["stolen.py", "stolen/__init__.py"])
@pytest.mark.parametrize("reference", ["submission/agent.py", "submission.agent:solve"])
def test_a_link_out_of_a_subjects_folder_is_refused_by_name(
    spec: Spec, submission: Path, tmp_path: Path, reference: str, place: str
) -> None:
    link = submission / place
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(tmp_path / "problems" / "p0" / "truth" / "even.json")
    if reference.endswith(":solve"):
        (submission / "__init__.py").write_text("")
        (submission / "agent.py").write_text("from . import stolen\n" + HONEST)
    with pytest.raises(InvalidInput, match=f"{place}: is a link that leads out of"):
        run([spec(reference, isolation="confined")], out=tmp_path / "out")


def test_a_folder_that_is_a_link_out_is_refused_by_name(spec: Spec, submission: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "__init__.py").write_text("KEY = 'private'\n")
    (submission / "stolen").symlink_to(elsewhere)
    with pytest.raises(InvalidInput, match=r"stolen/__init__\.py: is a link that leads out of"):
        run([spec("submission/agent.py")], out=tmp_path / "out")


def test_a_subject_file_that_is_itself_a_link_out_is_refused(spec: Spec, submission: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.py").write_text(HONEST)
    (submission / "linked.py").symlink_to(tmp_path / "elsewhere.py")
    with pytest.raises(InvalidInput, match=r"linked\.py: is a link that leads out of"):
        run([spec("submission/linked.py")], out=tmp_path / "out")


def test_links_inside_a_subjects_folder_are_followed(spec: Spec, submission: Path, tmp_path: Path) -> None:
    (submission / "real.py").write_text("VALUE = 1\n")
    (submission / "stolen.py").symlink_to(submission / "real.py")
    result = run([spec("submission/agent.py", isolation="confined")], out=tmp_path / "out")
    assert {record.status for record in result.records} == {"ok"}


@pytest.mark.parametrize("folder", ["folder='submission'", ""])
def test_a_link_out_of_a_programs_folder_is_refused_by_name(
    spec: Spec, submission: Path, tmp_path: Path, folder: str
) -> None:
    (tmp_path.parent / f"{tmp_path.name}-private-key").write_text("secret")
    script = submission / "agent.sh"
    script.write_text(SCRIPT)
    script.chmod(0o755)
    (submission / "key").symlink_to(tmp_path.parent / f"{tmp_path.name}-private-key")
    command = f"command(run='./agent.sh', {folder})" if folder else "command(run='submission/agent.sh submission/key')"
    with pytest.raises(InvalidInput, match="key: is a link that leads out of"):
        run([spec(command, isolation="confined")], out=tmp_path / "out")


@pytest.mark.parametrize("reference", ["problems/p0/truth/agent.py", "problems.p0.agent:solve"])
def test_a_subject_that_lies_among_the_problems_is_refused(spec: Spec, tmp_path: Path, reference: str) -> None:
    spec("oracle")
    for place in ("problems/__init__.py", "problems/p0/__init__.py"):
        (tmp_path / place).write_text("")
    for place in ("problems/p0/truth/agent.py", "problems/p0/agent.py"):
        (tmp_path / place).write_text(HONEST)
    with pytest.raises(InvalidInput, match="and so the truth"):
        run([spec(reference)], out=tmp_path / "out")


def test_a_subject_that_lies_among_the_results_is_refused(spec: Spec, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "agent.py").write_text(HONEST)
    with pytest.raises(InvalidInput, match="and so the truth"):
        run([spec("out/agent.py")], out=tmp_path / "out")


@pytest.mark.parametrize("claim", ["OSError('No space left on device')", "OSError(28, 'No space left on device')"])
def test_a_subject_cannot_leave_the_table_by_saying_that_the_disk_is_full(
    spec: Spec, subject_file: Write, tmp_path: Path, claim: str
) -> None:
    poor = subject_file("poor.py", f"def solve(task, budget):\n    raise {claim}\n")
    result = run([spec(poor, isolation="confined")], out=tmp_path / "out")
    assert not result.lost
    assert {record.status for record in result.records} == {"failed"}


REACHING = """
import ctypes, errno, json, os, resource, socket
libc = ctypes.CDLL(None, use_errno=True)

def attempt(action):
    try:
        result = action()
    except BaseException as error:
        return type(error).__name__
    return "done" if result is None else str(result)

def call(number, *arguments):
    result = libc.syscall(ctypes.c_long(number), *arguments)
    return errno.errorcode[ctypes.get_errno()] if result == -1 else "done"

def send_to_accomplice(kind):
    ours, theirs = socket.socketpair(socket.AF_UNIX, kind)
    message = [b"truth"]
    ours.sendmsg(message, [], 0, {accomplice!r})

def disconnect_and_bind():
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    unspecified = (ctypes.c_short * 8)(0)
    if libc.connect(ours.fileno(), unspecified, 2) == -1:
        raise OSError(ctypes.get_errno())
    ours.bind(os.path.abspath("line"))

def solve(task, budget):
    pid = {pid}
    two = (ctypes.c_uint64 * 2)(1 << 30, 1 << 30)
    mask = (ctypes.c_ulong * 1)(1)
    attempts = {{
        "limit another": call(302, pid, resource.RLIMIT_AS, two, None),
        "nice another": attempt(lambda: os.setpriority(os.PRIO_PROCESS, pid, 19)),
        "nice a user": attempt(lambda: os.setpriority(os.PRIO_USER, os.getuid(), 19)),
        "pin another": attempt(lambda: os.sched_setaffinity(pid, {{0}})),
        "schedule another": attempt(lambda: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0))),
        "io class of another": call(251, 1, pid, 3 << 13),
        "stop another": attempt(lambda: os.kill(pid, 19)),
        "shared memory": call(29, 0x5EC, 4096, 0o1600),
        "message queue": call(68, 0x5EC, 0o1600),
        "semaphores": call(64, 0x5EC, 1, 0o1600),
        "posix queue": call(240, b"assay-attack", os.O_CREAT | os.O_RDWR, 0o600, None),
        "watch files": call(294, 0),
        "datagram to an accomplice": attempt(lambda: send_to_accomplice(socket.SOCK_DGRAM)),
        "stream to an accomplice": attempt(lambda: send_to_accomplice(socket.SOCK_STREAM)),
        "unconnected socket": attempt(disconnect_and_bind),
        "own limit": attempt(lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0))),
        "own niceness": attempt(lambda: os.nice(1) and None),
        "own cores": attempt(lambda: os.sched_setaffinity(0, os.sched_getaffinity(0))),
        "own pair": attempt(lambda: [end.close() for end in socket.socketpair()] and None),
    }}
    raise RuntimeError("; ".join(sorted(name for name, outcome in attempts.items() if outcome == "done")))
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the attempts name system calls by their number")
def test_a_subject_reaches_no_process_and_no_socket_but_its_own(
    spec: Spec, subject_file: Write, tmp_path: Path
) -> None:
    place = tmp_path / "accomplice"
    with subprocess.Popen(["sleep", "60"]) as victim, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as accomplice:
        try:
            accomplice.bind(str(place))
            before = resource.prlimit(victim.pid, resource.RLIMIT_AS)
            source = REACHING.format(pid=victim.pid, accomplice=str(place))
            result = run([spec(subject_file("reaching.py", source), isolation="confined")], out=tmp_path / "out")
            (message,) = {str(record.error) for record in result.records}
            assert "RuntimeError: own cores; own limit; own niceness; own pair (" in message
            assert resource.prlimit(victim.pid, resource.RLIMIT_AS) == before
            accomplice.setblocking(False)
            with pytest.raises(BlockingIOError):
                accomplice.recv(100)
        finally:
            victim.kill()


TRUTH = "even.json"
READING = """
import sys
from pathlib import Path
def solve(task, budget):
    raise RuntimeError("read " + Path({place!r}).read_text())
"""


def error_of(spec: RunSpec, out: Path, **options: object) -> str:
    (message,) = {str(record.error) for record in run([spec], out=out, **options).records}  # type: ignore[arg-type]
    return message


@pytest.mark.parametrize("place", ["PYTHONPATH", "prefix"])
def test_problems_below_a_folder_that_every_subject_reads_are_out_of_sight(
    spec: Spec, subject_file: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    folder = tmp_path / "library"
    if place == "prefix" and not os.access(sys.prefix, os.W_OK):
        pytest.skip("the interpreter's folder cannot be written")
    if place == "prefix":
        folder = Path(tempfile.mkdtemp(prefix="assay-test-", dir=sys.prefix))
    try:
        run_spec = spec(
            subject_file("reading.py", READING.format(place=str(folder / "problems" / "p0" / "truth" / TRUTH)))
        )
        shutil.copytree(tmp_path / "problems", folder / "problems")
        (folder / "beside.txt").write_text("shown")
        if place == "PYTHONPATH":
            monkeypatch.setenv("PYTHONPATH", f"{folder}:{os.environ.get('PYTHONPATH', '')}")
        run_spec = replace(run_spec, problems=(str(folder / "problems"),), isolation="confined")
        assert "PermissionError" in error_of(run_spec, folder / "out")
        beside = replace(
            run_spec, subjects=(subject_file("beside.py", READING.format(place=str(folder / "beside.txt"))),)
        )
        assert "read shown" in error_of(beside, tmp_path / "out")
        store = READING.format(place=str(folder / "out" / STORE_NAME))
        assert "PermissionError" in error_of(
            replace(run_spec, subjects=(subject_file("store.py", store),)), folder / "out"
        )
    finally:
        if place == "prefix":
            shutil.rmtree(folder)


FORKS = """
import threading, time
def solve(task, budget):
    for number in range(600):
        threading.Thread(target=time.sleep, args=(3,), daemon=True).start()
    time.sleep(1)
    return tuple(n % 2 == 0 for n in task.numbers)
"""


def test_the_number_of_processes_and_threads_is_bounded(spec: Spec, subject_file: Write, tmp_path: Path) -> None:
    run_spec = spec(subject_file("forks.py", FORKS), isolation="confined")
    result = run([run_spec], out=tmp_path / "out")
    assert {record.error_kind for record in result.records} <= {"exception", "processes"}
    assert {record.status for record in result.records} == {"failed"}


def test_modes_and_times_of_files_outside_stay(spec: Spec, subject_file: Write, tmp_path: Path) -> None:
    private = tmp_path / "private.txt"
    private.write_text("private")
    private.chmod(0o600)
    before = private.stat()
    source = (
        "import os\ndef solve(task, budget):\n    done = []\n"
        f"    for change in (lambda: os.chmod({str(private)!r}, 0o644), lambda: os.utime({str(private)!r}, (0, 0)),\n"
        f"                   lambda: os.setxattr({str(private)!r}, 'user.mark', b'x')):\n"
        "        try:\n            change(); done.append('changed')\n        except OSError: pass\n"
        "    raise RuntimeError(f'changes: {len(done)}')\n"
    )
    assert "changes: 0" in error_of(spec(subject_file("chmod.py", source), isolation="confined"), tmp_path / "out")
    after = private.stat()
    assert (after.st_mode, after.st_mtime, after.st_ctime) == (before.st_mode, before.st_mtime, before.st_ctime)
    assert os.listxattr(private) == []


def test_processor_seconds_are_a_budget_of_their_own(spec: Spec, subject_file: Write, tmp_path: Path) -> None:
    spins = subject_file("spins.py", "def solve(task, budget):\n    while True:\n        pass\n")
    message = error_of(spec(spins, isolation="confined", cpu_seconds=0.3, seconds=30.0), tmp_path / "out")
    assert message == "no answer within 0.3 s of processor time"


class _Stopping(LocalRunner):
    """Stops its first worker in the middle of a cell, as a sick machine might."""

    stopped = 0

    def map(self, jobs: Iterable[Job], /, *, hidden: Sequence[Path] = ()) -> Iterator[Finished | Lost]:
        def stop() -> None:
            while not self.worker_pids:
                time.sleep(0.02)
            time.sleep(0.2)
            self.stopped = self.worker_pids[0]
            os.kill(self.stopped, signal.SIGSTOP)

        threading.Thread(target=stop, daemon=True).start()
        return super().map(jobs, hidden=hidden)


def test_a_worker_that_hangs_is_given_up_and_its_cell_tried_again(
    spec: Spec, subject_file: Write, tmp_path: Path
) -> None:
    slow = subject_file("slow.py", HONEST.replace("return", "__import__('time').sleep(0.5)\n    return"))
    runner = _Stopping(1, patience=Patience(silence=4.0))
    result = run([spec(slow, isolation="confined")], out=tmp_path / "out", runner=runner)
    assert runner.stopped
    assert not result.lost
    assert {record.status for record in result.records} == {"ok"}


SHARES = """
import multiprocessing, os
from multiprocessing.shared_memory import SharedMemory

def solve(task, budget):
    left = os.listdir("/dev/shm")
    multiprocessing.Semaphore(1).acquire()
    shared = SharedMemory("left-behind", create=True, size=4096)
    shared.buf[0] = 1
    multiprocessing.resource_tracker.unregister("/left-behind", "shared_memory")
    raise RuntimeError(f"found {left}")
"""


def test_shared_memory_is_a_subjects_own_and_ends_with_its_cell(
    spec: Spec, subject_file: Write, tmp_path: Path
) -> None:
    result = run([spec(subject_file("shares.py", SHARES), isolation="confined")], out=tmp_path / "out")
    if {record.isolation for record in result.records} != {"confined"}:
        pytest.skip("needs namespaces and a control group")
    assert [str(record.error).partition(" (")[0] for record in result.records] == ["RuntimeError: found []"] * 2
    assert not Path("/dev/shm/left-behind").exists()


def test_half_a_character_in_what_a_subject_says_ends_no_run(spec: Spec, subject_file: Write, tmp_path: Path) -> None:
    source = "class Odd(Exception):\n    pass\ndef solve(task, budget):\n    raise Odd('x' + chr(0xD800))\n"
    assert error_of(spec(subject_file("odd.py", source)), tmp_path / "out").startswith("Odd: x?")


def test_a_hard_link_to_a_private_file_is_refused_by_name(spec: Spec, submission: Path, tmp_path: Path) -> None:
    (tmp_path / "private-key").write_text("KEY = 'private'")
    (submission / "stolen.py").hardlink_to(tmp_path / "private-key")
    with pytest.raises(InvalidInput, match=r"stolen\.py: is a second name of another file \(a hard link\)"):
        run([spec("submission/agent.py")], out=tmp_path / "out")


ABANDONS = """
import os, time
def solve(task, budget):
    if os.fork() == 0:
        os.setsid()
        ends = time.process_time() + 0.5
        while time.process_time() < ends:
            pass
        time.sleep(20)
    time.sleep(2)
    return tuple(n % 2 == 0 for n in task.numbers)
"""


def test_processor_time_of_what_a_subject_leaves_behind_is_counted(
    spec: Spec, subject_file: Write, tmp_path: Path
) -> None:
    result = run([spec(subject_file("abandons.py", ABANDONS), isolation="confined", seeds=(0,))], out=tmp_path / "out")
    assert min(record.cost["cpu_seconds"] for record in result.records) > 0.3
