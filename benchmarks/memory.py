"""Memory by the kernel's account: of this process, and of a whole tree of processes while it works."""

from __future__ import annotations

import threading
from pathlib import Path
from types import TracebackType

__all__ = ["TreeWatch", "peak_mb", "reset_peak", "resident_mb"]

_PROC = Path("/proc")


def _status(process: int | str, field: str) -> float:
    for line in (_PROC / str(process) / "status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    return 0.0


def resident_mb() -> float:
    """What this process holds now."""
    return _status("self", "VmRSS:")


def peak_mb() -> float:
    """The most that this process held since it began, or since :func:`reset_peak`."""
    return _status("self", "VmHWM:")


def reset_peak() -> None:
    """From here on the peak counts anew."""
    (_PROC / "self" / "clear_refs").write_text("5")


class TreeWatch:
    """Looks at a process and all below it ten times a second.

    ``total_mb`` is the largest sum of proportional shares (memory that several processes share counts once) and
    ``largest_mb`` the highest peak of any one process, which the kernel keeps and no look can miss while it lives.
    """

    def __init__(self, process: int, *, seconds: float = 0.1) -> None:
        self._process = process
        self._seconds = seconds
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.total_mb = 0.0
        self.largest_mb = 0.0
        self.looks = 0

    def __enter__(self) -> TreeWatch:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.is_set():
            self._look()
            self._stop.wait(self._seconds)

    def _look(self) -> None:
        total = 0.0
        for process in _tree(self._process):
            try:
                total += _share_mb(process)
                self.largest_mb = max(self.largest_mb, _status(process, "VmHWM:"))
            except OSError:  # it has ended since
                continue
        self.total_mb = max(self.total_mb, total)
        self.looks += 1


def _share_mb(process: int) -> float:
    for line in (_PROC / str(process) / "smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return 0.0


def _tree(root: int) -> list[int]:
    parents: dict[int, int] = {}
    for entry in _PROC.iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:  # it has ended since
                continue
    below: dict[int, list[int]] = {}
    for process, parent in parents.items():
        below.setdefault(parent, []).append(process)
    processes, waiting = [], [root]
    while waiting:
        process = waiting.pop()
        processes.append(process)
        waiting += below.get(process, [])
    return processes
