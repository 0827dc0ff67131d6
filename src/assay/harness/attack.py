"""Attacks on this machine's own isolation of subjects: one per mechanism, each aimed past all the others.

A subject of ours tries what no subject may do, in the same kind of process as any other subject. What it achieved is
observed from outside, or it reports it. A mechanism that does not hold on this machine lets its attack through.
"""

from __future__ import annotations

import json
import os
import platform
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from assay.core import Budget
from assay.core.display import counted
from assay.core.track import AnyTrack
from assay.harness.execute import NO_TASK
from assay.harness.process.isolation import Isolation
from assay.harness.process.process_tree import descendants
from assay.harness.process.subject_process import SubjectServer
from assay.harness.store.stored_answer import StoredAnswer
from assay.harness.subject_ref import resolve_subject
from assay.sandbox.lockdown.syscalls import MACHINES

__all__ = ["MECHANISMS", "Attacked", "Probe", "attack_subjects"]

MECHANISMS: Final = (
    *("environment", "descriptors", "limits", "capabilities", "landlock", "hidden", "seccomp", "namespaces"),
    *("cgroup", "watch", "clock", "cleanup"),
)
_MARK: Final = "ASSAY_ATTACK_MARK"
_ACHIEVED: Final = "got through: "


class Attacked(NamedTuple):
    """Whether a mechanism held, and what its attack achieved if it did not."""

    mechanism: str
    held: bool
    breach: str = ""


# Each attempt returns what it achieved, or raises. The first line of each says which mechanism alone stands in its way.
_AT_ONCE = """
import ctypes, json, mmap, os, resource, socket

TARGETS = __TARGETS__
libc = ctypes.CDLL(None, use_errno=True)

def environment():
    return TARGETS["mark"] in os.environ and "sees the caller's environment"

def descriptors():
    numbers = []
    for number in range(3, 256):
        try:
            os.fstat(number)
            numbers.append(number)
        except OSError:
            continue
    return len(numbers) > 1 and f"{len(numbers)} descriptors are open"

def limits():
    mmap.mmap(-1, 3 << 30)  # not touched, so that nothing but the limit on addresses counts it
    return "reserved 3 GB under a limit of 300 MB"

def capabilities():
    header, sets = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    return libc.syscall(TARGETS["capget"], header, sets) == 0 and any(sets) and "holds capabilities"

def landlock():
    with open(TARGETS["secret"]) as stream:
        return stream.read() and "read a private file"

def hidden():
    with open(TARGETS["truth"]) as stream:
        return stream.read() and "read a truth below a readable folder"

def seccomp():
    if libc.syscall(TARGETS["inotify_init1"], 0) >= 0:
        return "may watch files"
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()
    return "opened a network socket"

def namespaces():
    os.chmod(TARGETS["secret"], 0o644)
    return "changed the mode of a private file"

def solve(task, budget):
    breaches = {}
    for attempt in (environment, descriptors, limits, capabilities, landlock, hidden, seccomp, namespaces):
        try:
            breach = attempt()
        except (OSError, MemoryError, ValueError):
            continue
        if breach:
            breaches[attempt.__name__] = breach
    raise RuntimeError("got through: " + json.dumps(breaches))
"""

_CHILDREN = """
import os, time
def solve(task, budget):
    for _ in range(4):
        if os.fork() == 0:
            memory = bytearray(b"x") * (200 << 20)
            time.sleep(10)
            os._exit(0)
    time.sleep(2)
    raise RuntimeError("got through: 800 MB in four processes under a limit of 300 MB")
"""

_SPINS = """
import time
def solve(task, budget):
    ends = time.monotonic() + 2
    while time.monotonic() < ends:
        pass
    raise RuntimeError("got through: two seconds of processor time under a limit of 0.3")
"""

_SLEEPS = """
import time
def solve(task, budget):
    time.sleep(2)
    raise RuntimeError("got through: two seconds under a limit of 0.5")
"""

_LEAVES = """
import os, time
def solve(task, budget):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(20)
        os._exit(0)
    time.sleep(0.2)
    raise RuntimeError("done")
"""


@dataclass(frozen=True, slots=True)
class Probe:
    """Runs subjects that try what they must not be able to do, each in a process of its own from one warm server.

    What they aim at lies in the folder, and one level down the problem that they must not see.
    """

    server: SubjectServer
    track: AnyTrack
    folder: Path

    def solve(
        self, source: str, *, seconds: float = 20.0, memory_mb: int = 300, cpu_seconds: float | None = None
    ) -> StoredAnswer:
        """What came of a subject with this source."""
        path = self.folder / "probe.py"
        path.write_text(source)
        subject = resolve_subject(str(path), self.track)
        budget = Budget(seconds=seconds, memory_mb=memory_mb, cpu_seconds=cpu_seconds)
        problem = self.folder / "shown" / "problem"
        return self.server.solve(self.track.name, subject, NO_TASK, budget, problem=problem, retried=True)


def attack_subjects(
    track: AnyTrack, mechanisms: Sequence[str] = MECHANISMS, *, _off: Sequence[str] = ()
) -> tuple[str, list[Attacked]]:
    """Attack mechanisms that keep subjects apart; the level that was reached, and a report for each."""
    with tempfile.TemporaryDirectory() as name, _marked_environment():
        folder = Path(name).resolve()
        for place in ("secret", "shown/problem/truth"):
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            (folder / place).write_text("private")
        (folder / "secret").chmod(0o600)
        isolation = Isolation(readable=(str(folder / "shown"),))
        server = SubjectServer(folder, isolation, hidden=[folder / "shown" / "problem"], _off=_off)
        try:
            return _attack_all(Probe(server, track, folder), mechanisms)
        finally:
            server.close()


def _attack_all(place: Probe, mechanisms: Sequence[str]) -> tuple[str, list[Attacked]]:
    numbers = MACHINES[platform.machine()].numbers
    targets = {
        "mark": _MARK,
        "secret": str(place.folder / "secret"),
        "truth": str(place.folder / "shown" / "problem" / "truth"),
        **{call: numbers[call] for call in ("capget", "inotify_init1")},
    }
    answer = place.solve(_AT_ONCE.replace("__TARGETS__", json.dumps(targets)))
    text = _breach(answer)
    breaches: dict[str, str] = dict(json.loads(text)) if text.startswith("{") else {}
    missing = not text.startswith("{")
    for mechanism, attack in _ONE_BY_ONE.items():
        if mechanism in mechanisms:
            breaches[mechanism] = attack(place)
    return answer.isolation, [
        Attacked(name, not breach, breach)
        for name in mechanisms
        for breach in [f"not tested: {answer.error}" if missing and name not in _ONE_BY_ONE else breaches.get(name, "")]
    ]


def _breach(answer: StoredAnswer) -> str:
    """What an attack reports to have achieved; empty when it was ended before."""
    text = (answer.error or "").partition(_ACHIEVED)[2]
    return text.rpartition(" (")[0]


def _leave_behind(place: Probe) -> str:
    place.solve(_LEAVES)
    remaining = descendants(place.server.process_id)
    return f"left {counted(len(remaining), 'process')} behind" if remaining else ""


_ONE_BY_ONE: Final[Mapping[str, Callable[[Probe], str]]] = {
    "cgroup": lambda place: _breach(place.solve(_CHILDREN)),
    "watch": lambda place: _breach(place.solve(_SPINS, cpu_seconds=0.3)),
    "clock": lambda place: _breach(place.solve(_SLEEPS, seconds=0.5)),
    "cleanup": _leave_behind,
}


@contextmanager
def _marked_environment() -> Iterator[None]:
    os.environ[_MARK] = "1"
    try:
        yield
    finally:
        del os.environ[_MARK]
