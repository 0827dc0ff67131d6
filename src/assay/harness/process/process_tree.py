"""What a process and its descendants use, measured from outside: a subject's own figures are not used."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

__all__ = [
    "TreeUse",
    "descendants",
    "machine_busy_seconds",
    "private_memory",
    "queue_memory",
    "real_memory",
    "tree_use",
    "waited_seconds",
]

_TICKS: Final = os.sysconf("SC_CLK_TCK")
_FEW_QUEUES: Final = 64
_QUEUE: Final = 208 << 10  # bytes that a socket may keep unread, if it may not ask for more
_IDLE: Final = (3, 4)  # idle, and waiting for a disk


class TreeUse(NamedTuple):
    """What a set of processes uses now."""

    tasks: int  # processes and threads
    cpu_seconds: float  # also of those that have ended and were waited for
    memory: int  # bytes; pages that several of them share are counted for each


def descendants(root: int) -> list[int]:
    """The processes below this one, parents first; empty when it has ended."""
    processes: list[int] = []
    waiting = [root]
    while waiting:
        process = waiting.pop()
        children = [int(child) for task in _tasks(process) for child in _read(f"{task}/children").split()]
        processes.extend(children)
        waiting.extend(children)
    return processes


def tree_use(processes: Iterable[int]) -> TreeUse:
    """The use of these processes; one that ends meanwhile is left out."""
    tasks, seconds, memory = 0, 0.0, 0
    for process in processes:
        fields = _read(f"/proc/{process}/stat").rpartition(") ")[2].split()
        if not fields:
            continue
        seconds += sum(map(int, fields[11:15])) / _TICKS  # own and waited-for children's, user and system
        tasks += int(fields[17])
        memory += private_memory(process)
    return TreeUse(tasks, seconds, memory)


def private_memory(process: int) -> int:
    """Bytes in memory that no file backs, shared ones too."""
    return 1024 * sum(_kilobytes(_read(f"/proc/{process}/status"), name) for name in ("RssAnon:", "RssShmem:"))


def real_memory(processes: Iterable[int]) -> int:
    """The same for several processes, a shared page counted once; slow, and 0 for those that may not be looked into."""
    return 1024 * sum(
        _kilobytes(text, name)
        for process in processes
        for text in [_read(f"/proc/{process}/smaps_rollup")]
        for name in ("Pss_Anon:", "Pss_Shmem:")
    )


def queue_memory(processes: Iterable[int]) -> int:
    """Bytes that the system may hold in the sockets and pipes of these processes; the first few are not counted."""
    queues = set()
    for process in processes:
        folder = f"/proc/{process}/fd"
        with contextlib.suppress(OSError):
            for number in os.listdir(folder):  # noqa: PTH208 - looked at often
                with contextlib.suppress(OSError):
                    target = os.readlink(f"{folder}/{number}")  # noqa: PTH115
                    if target.startswith(("socket:", "pipe:")):
                        queues.add(target)
    return max(0, len(queues) - _FEW_QUEUES) * _QUEUE


def waited_seconds(process: int) -> float:
    """How long a process was ready to run and did not get a processor; 0 where the system does not tell."""
    fields = _read(f"/proc/{process}/schedstat").split()
    return int(fields[1]) / 1e9 if len(fields) > 1 else 0.0


def machine_busy_seconds() -> float:
    """Processor seconds that this machine has spent on anything, since it was started."""
    first = _read("/proc/stat").partition("\n")[0].split()[1:9]
    return sum(int(ticks) for place, ticks in enumerate(first) if place not in _IDLE) / _TICKS


def _tasks(process: int) -> list[str]:
    try:
        return [f"/proc/{process}/task/{task}" for task in os.listdir(f"/proc/{process}/task")]  # noqa: PTH208
    except OSError:
        return []


def _kilobytes(text: str, name: str) -> int:
    _, _, after = text.partition(f"\n{name}")  # the first line has the process's own name, which may be anything
    return int(after.split(maxsplit=1)[0]) if after else 0


def _read(path: str) -> str:
    try:
        return Path(path).read_text(errors="replace")  # a process's name need not be text
    except OSError:  # it has ended, or may not be looked into
        return ""
