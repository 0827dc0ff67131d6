"""What subjects tried in order to read the truth or to leave the table; each of these once worked."""

from __future__ import annotations

import platform
import resource
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.core import InvalidInput
from assay.harness import RunSpec, run

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
            (told,) = {str(record.error) for record in result.records}
            assert "RuntimeError: own cores; own limit; own niceness; own pair (" in told
            assert resource.prlimit(victim.pid, resource.RLIMIT_AS) == before
            accomplice.setblocking(False)
            with pytest.raises(BlockingIOError):
                accomplice.recv(100)
        finally:
            victim.kill()
