"""What attackers may aim at, made for one battle: files, processes, sockets, System V and POSIX objects."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import resource
import secrets
import stat
import subprocess
import sys
from collections.abc import Iterator
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path

from tests.harness.attacks import means

from assay.cases import generate

_HERE = Path(__file__).parent
_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.shmat.restype = ctypes.c_void_p
_CREATE = 0o1600
_PLACES = ("/tmp", "/var/tmp", "/dev/shm", "/run", "/var/lock", "/dev/mqueue", "/", "/sys/fs/cgroup")


class Ground:
    """Plants everything when it is made, and says afterwards what was touched."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.secret = f"PLANTED-{secrets.token_hex(16)}"
        self.token = secrets.token_hex(8)
        self.key = secrets.randbelow(1 << 29) + (1 << 29)
        self.home = folder / "home"
        self.notes = folder / "notes.txt"
        self.subjects = folder / "subjects"
        self.results = folder / "results"
        self._plant_files()
        self._plant_objects()
        self.victim = subprocess.Popen(["sleep", "600"])
        names = [str(self.home / "stream"), str(self.home / "datagram"), f"assay-{self.token}"]
        self.accomplice = subprocess.Popen(
            [
                sys.executable,
                str(_HERE / "accomplice.py"),
                *names,
                str(self.home / "fifo"),
                str(self.notes),
                self.secret,
            ],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.accomplice.stdout is not None
        self.target = means.Target(
            token=self.token,
            key=self.key,
            home=str(self.home),
            secret=str(self.home / "secret.txt"),
            plain=str(self.home / "plain.txt"),
            fifo=str(self.home / "fifo"),
            problem=str(self.problem),
            truth=str(self.problem / "truth" / "labels.npz"),
            results=str(self.results),
            store=str(self.results / "assay.sqlite"),
            sibling=str(self.subjects / "sibling"),
            driver=os.getpid(),
            victim=self.victim.pid,
            stream=names[0],
            datagram=names[1],
            abstract=names[2],
            port=int(self.accomplice.stdout.readline()),
            planted_key=self.key + 100,
            shared=self.shared.name,
        )
        # what a careless driver has: a secret in its environment, and an open file that children would inherit
        os.environ["ASSAY_PLANTED"] = self.secret
        self.descriptor = os.open(self.target.secret, os.O_RDONLY)
        os.set_inheritable(self.descriptor, True)
        self.before = self._state()

    def close(self) -> None:
        """End and remove all that was planted."""
        for process in (self.victim, self.accomplice):
            process.kill()
            process.wait()
        if self.accomplice.stdout is not None:
            self.accomplice.stdout.close()
        os.close(self.descriptor)
        for number, *arguments in self.objects:
            with contextlib.suppress(OSError):
                means.syscall(number, *arguments)
        self.shared.close()
        with contextlib.suppress(OSError):
            self.shared.unlink()

    def touched(self) -> Iterator[str]:
        """What differs from the time before, one finding each."""
        now = self._state()
        for name in sorted(self.before | now):
            if self.before.get(name) != now.get(name):
                yield f"{name} changed: {self.before.get(name)} -> {now.get(name)}"
        if self.victim.poll() is not None:
            yield f"the victim has ended with status {self.victim.returncode}"
        if self.accomplice.poll() is not None:
            yield "the accomplice has ended"
        for line in self.notes.read_text().splitlines() if self.notes.exists() else ():
            yield f"a message reached the accomplice: {line[:200]}"
        for place in (*_PLACES, *sys.path):
            with contextlib.suppress(OSError):
                yield from (f"{place}/{name} was left" for name in os.listdir(place) if f"mark-{self.token}" in name)
        for top, folders, files in os.walk(self.folder):
            if ".scratch" in folders:  # seen elsewhere, and of any depth
                folders.remove(".scratch")
            yield from (f"{top}/{name} was left" for name in (*folders, *files) if "mark-" in name)
        if self.token in Path("/proc/net/unix").read_text().replace(self.target.abstract, ""):
            yield "a socket with a name of the attackers was left"
        for kind in ("shm", "msg", "sem"):
            table = Path(f"/proc/sysvipc/{kind}")
            for line in table.read_text().splitlines()[1:] if table.exists() else ():
                if self.key <= int(line.split()[0]) < self.key + 100:
                    yield f"a System V object was left: {kind} {line.split()[:2]}"
        if self._key_is_there(f"mark-{self.token}".encode()):
            yield "a key was left in the user's keyring"

    def processes_behind(self) -> list[str]:
        """Processes that come from this one, other than those planted here."""
        parents: dict[int, int] = {}
        for pid in means.processes():
            with contextlib.suppress(OSError, IndexError, ValueError):
                parents[pid] = int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
        mine = {os.getpid()}
        while further := {pid for pid, parent in parents.items() if parent in mine} - mine:
            mine |= further
        names = []
        for pid in mine - {os.getpid(), self.victim.pid, self.accomplice.pid}:
            with contextlib.suppress(OSError):
                words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
                if state != "Z" and "resource_tracker" not in words:
                    names.append(f"process {pid} is left ({state}): {words[:150]}")
        return names

    def _plant_files(self) -> None:
        (self.subjects / "sibling").mkdir(parents=True)
        self.home.mkdir()
        (self.home / "secret.txt").write_text(self.secret)
        (self.home / "secret.txt").chmod(0o600)
        (self.home / "plain.txt").write_text(f"not secret, but not theirs: {self.secret}\n")
        with contextlib.suppress(OSError):
            os.setxattr(self.home / "plain.txt", "user.note", self.secret.encode())
            os.setxattr(self.home / "plain.txt", "user.other", b"to be kept")
        os.mkfifo(self.home / "fifo")
        (self.folder / "private_module.py").write_text(f"NOTE = {self.secret!r}\n")
        (self.subjects / "sibling" / "private.txt").write_text(self.secret)
        source = f"NOTE = {self.secret!r}\n\n\ndef solve(task, budget):\n    raise ValueError('no idea')\n"
        (self.subjects / "sibling" / "sibling.py").write_text(source)
        generate(self.folder / "problems", problems=1, seed=3, cases=60, queries=40)
        self.problem = next((self.folder / "problems").iterdir())

    def _plant_objects(self) -> None:
        """Secrets in System V and POSIX shared memory, in a message queue and in a keyring."""
        key = self.key + 100
        self.objects: list[tuple[int, ...]] = []  # calls that remove them
        shared = means.syscall(29, key, 4096, _CREATE)
        self.objects.append((31, shared, 0, 0))
        address = _LIBC.shmat(shared, None, 0)
        ctypes.memmove(address, self.secret.encode(), len(self.secret))
        _LIBC.shmdt(ctypes.c_void_p(address))
        queue = means.syscall(68, key, _CREATE)
        self.objects.append((71, queue, 0, 0))
        message = (1).to_bytes(8, "little") + self.secret.encode()
        means.syscall(69, queue, message, len(self.secret), 0)
        self.objects.append((66, means.syscall(64, key, 1, _CREATE), 0, 0))
        self.shared = SharedMemory(create=True, size=4096, name=f"planted_{self.token}")
        assert self.shared.buf is not None
        self.shared.buf[: len(self.secret)] = self.secret.encode()
        with contextlib.suppress(OSError):
            key = means.syscall(248, b"user", means.PLANTED_KEY, self.secret.encode(), len(self.secret), -4)
            self.objects.append((250, 9, key, -4))  # keyctl, unlink

    def _key_is_there(self, description: bytes) -> bool:
        with contextlib.suppress(OSError):
            return means.syscall(250, 10, -4, b"user", description, 0) > 0
        return False

    def _state(self) -> dict[str, object]:
        """Everything that must be the same afterwards."""
        state: dict[str, object] = {}
        for top in (self.home, self.folder / "problems", self.subjects / "sibling"):
            for path in (top, *sorted(top.rglob("*"))):
                state[str(path.relative_to(self.folder))] = _fingerprint(path)
        for name, pid in (("victim", self.victim.pid), ("driver", os.getpid()), ("accomplice", self.accomplice.pid)):
            with contextlib.suppress(OSError):
                state[f"{name}'s limits"] = {kind: resource.prlimit(pid, kind) for kind in range(16)}
                state[f"{name}'s priority"] = os.getpriority(os.PRIO_PROCESS, pid)
                state[f"{name}'s processors"] = sorted(os.sched_getaffinity(pid))
                state[f"{name}'s scheduling"] = os.sched_getscheduler(pid)
                state[f"{name}'s I/O priority"] = means.syscall(252, 1, pid)
                state[f"{name}'s OOM score"] = Path(f"/proc/{pid}/oom_score_adj").read_text()
                state[f"{name}'s name"] = Path(f"/proc/{pid}/comm").read_text()
                state[f"{name}'s coredump filter"] = Path(f"/proc/{pid}/coredump_filter").read_text()
                state[f"{name}'s groups"] = Path(f"/proc/{pid}/cgroup").read_text()
        for table, column in (("shm", 1), ("msg", 1), ("sem", 1)):
            lines = Path(f"/proc/sysvipc/{table}").read_text().splitlines()[1:]
            state[f"planted {table}"] = [
                line.split()[column] for line in lines if int(line.split()[0]) == self.key + 100
            ]
        state["hostname"] = os.uname().nodename
        state["shared memory"] = bytes(self.shared.buf or b"")[:64]
        return state


def _fingerprint(path: Path) -> tuple[object, ...]:
    """Content, kind, mode, owner, times and attributes; listing a folder must not count, so no access time."""
    about = path.lstat()
    content = hashlib.sha256(path.read_bytes() if stat.S_ISREG(about.st_mode) else b"").hexdigest()[:12]
    marks = {name: os.getxattr(path, name) for name in os.listxattr(path, follow_symlinks=False)}
    times = about.st_mtime_ns, about.st_ctime_ns
    return oct(about.st_mode), about.st_uid, about.st_gid, about.st_nlink, times, content, marks
