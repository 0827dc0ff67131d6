"""A control group for the subjects of one server: the kernel counts and bounds what they hold together.

Memory that no process maps, such as a memfd or a file on tmpfs, is counted too. Groups need rights that root has, and
users whose session was given a group of its own; where none can be made, use is sampled instead.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Self

from assay.core import Budget

__all__ = ["ControlGroup", "group_folders", "join_groups", "most_tasks"]

_CONTROLLERS: Final = ("memory", "pids")


def group_folders(table: str, mounts: str) -> dict[str, Path]:
    r"""Where this process's groups are: of each controller of version 1 its folder, of version 2 under the name ``""``.

    ``table`` is the text of /proc/self/cgroup, ``mounts`` that of /proc/self/mountinfo.

    >>> mount = "30 25 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory"
    >>> group_folders("4:memory:/jobs/7\n", mount)
    {'memory': PosixPath('/sys/fs/cgroup/memory/jobs/7')}
    """
    own = {
        name: path
        for line in table.splitlines()
        for _, names, path in [line.split(":", 2)]
        for name in names.split(",")
    }
    folders: dict[str, Path] = {}
    for line in mounts.splitlines():
        fields, _, rest = line.partition(" - ")
        kind, _, options = rest.split(" ", 2)
        if kind not in ("cgroup", "cgroup2"):
            continue
        root, place = fields.split()[3:5]
        for name in [""] if kind == "cgroup2" else [name for name in options.split(",") if name in _CONTROLLERS]:
            if name in own:
                inside = own[name].removeprefix(root) if root != "/" else own[name]
                folders[name] = Path(place) / inside.lstrip("/")
    return folders


def most_tasks(budget: Budget) -> int:
    """How many processes and threads a subject may have: enough for a few on every processor, if it has no budget."""
    return budget.tasks or 48 + 8 * (os.cpu_count() or 1)


class ControlGroup:
    """A group below this process's own, with bounds for all that joins it."""

    def __init__(self, folders: Mapping[str, Path]) -> None:
        self._folders = dict(folders)  # of version 2 one folder, under every name

    @classmethod
    def make(cls) -> Self | None:
        """A new group, or None where this process may not make one that bounds memory and the number of tasks."""
        try:
            own = group_folders(Path("/proc/self/cgroup").read_text(), Path("/proc/self/mountinfo").read_text())
        except (OSError, ValueError):
            return None
        name = f"assay-{os.getpid()}-{os.urandom(4).hex()}"
        if "memory" in own and "pids" in own:
            places = {controller: own[controller] / name for controller in _CONTROLLERS}
        elif "" in own:
            places = dict.fromkeys(_CONTROLLERS, own[""] / name)
        else:
            return None
        group = cls(places)
        try:
            for place in group.folders:
                _remove_left_over(place.parent)
                place.mkdir()
            group.bound(1 << 40, 1)
            for descriptor in group.open_joins():
                os.close(descriptor)
        except OSError:
            group.close()
            return None
        return group

    @property
    def folders(self) -> frozenset[Path]:
        """Where it is."""
        return frozenset(self._folders.values())

    @property
    def _memory(self) -> Path:
        return self._folders["memory"]

    def bound(self, memory: int, tasks: int) -> None:
        """At most so many bytes and tasks from now on; OSError when that is not possible."""
        (self._folders["pids"] / "pids.max").write_text(str(tasks))
        if (self._memory / "memory.max").exists():
            (self._memory / "memory.max").write_text(str(memory))
            _write_if_there(self._memory / "memory.swap.max", "0")
            return
        limit, with_swap = self._memory / "memory.limit_in_bytes", self._memory / "memory.memsw.limit_in_bytes"
        _write_if_there(with_swap, "-1")  # it may not be below the other one
        limit.write_text(str(memory))
        _write_if_there(with_swap, str(memory))

    def open_joins(self) -> list[int]:
        """Descriptors through which a process joins by writing ``0``; they work where these files cannot be opened."""
        return [os.open(place / "cgroup.procs", os.O_WRONLY) for place in sorted(self.folders)]

    def killed(self) -> int:
        """How many processes the kernel has ended because memory ran out in this group."""
        for name in ("memory.events", "memory.oom_control"):
            with contextlib.suppress(OSError, ValueError):
                counts = dict(line.split() for line in (self._memory / name).read_text().splitlines())
                return int(counts["oom_kill"])
        return 0

    def close(self) -> None:
        """Remove the group, in which nothing runs any more."""
        for place in self.folders:
            with contextlib.suppress(OSError):
                place.rmdir()


def _remove_left_over(parent: Path) -> None:
    """Remove the empty groups of processes that were killed before they could do so."""
    for place in parent.glob("assay-*-*"):
        owner = place.name.split("-")[1]
        if not Path("/proc", owner).exists():
            with contextlib.suppress(OSError):
                place.rmdir()  # one that still holds a process stays


def join_groups(descriptors: Sequence[int]) -> None:
    """Put this process, and what it starts later, into the groups."""
    for descriptor in descriptors:
        os.write(descriptor, b"0")


def _write_if_there(path: Path, text: str) -> None:
    with contextlib.suppress(OSError):
        path.write_text(text)
