"""What a reader does beside reading: files outside its folder, programs, connections, pickles."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fuzz.targets.escapes import SECRET

__all__ = ["watched"]

_NEVER = (
    "subprocess.Popen",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.spawn",
    "socket.connect",
    "pickle.find_class",
)
_CHANGES = ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.chmod", "os.link", "os.symlink")
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

_active: list[_Watch] = []


class _Watch:
    def __init__(self, root: Path) -> None:
        self.root = os.path.realpath(root)
        self.secret = os.path.join(self.root, SECRET)  # noqa: PTH118 - compared as text, for every file that is opened
        self.troubles: list[str] = []

    def see(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in _NEVER:
            self.troubles.append(f"{event} {str(arguments[:1])[:100]}")
        elif event in _CHANGES:
            place = arguments[event in ("os.link", "os.symlink", "os.rename")]
            within = arguments[-1]  # a folder that is open already, where names are relative to one
            if isinstance(within, int) and within >= 0 and isinstance(place, str):
                place = os.path.join(os.readlink(f"/proc/self/fd/{within}"), place)  # noqa: PTH115, PTH118
            if isinstance(place, str) and event != "os.chmod":
                # a link is changed itself here, not what it leads to
                place = os.path.join(os.path.realpath(os.path.dirname(place)), os.path.basename(place))  # noqa: PTH118, PTH119, PTH120
                self._demand_within(place, event)
            else:
                self._demand_own(place, event)
        elif event == "open" and isinstance(arguments[0], str | bytes | os.PathLike):
            self._opened(*arguments)

    def _opened(self, path: Any, mode: Any, flags: int) -> None:
        if flags & _WRITING or (isinstance(mode, str) and set(mode) & set("wax+")):
            self._demand_own(path, "writes")
            return
        real = os.path.realpath(os.fsdecode(path))
        if real.startswith(self.secret) or real in ("/etc/passwd", "/dev/zero", f"/proc/{os.getpid()}/environ"):
            self.troubles.append(f"reads {real} by the name {os.fsdecode(path)}")

    def _demand_own(self, path: Any, event: str) -> None:
        if not isinstance(path, str | bytes | os.PathLike):
            return
        self._demand_within(os.path.realpath(os.fsdecode(path)), event)

    def _demand_within(self, real: str, event: str) -> None:
        if "__pycache__" in real or real == os.devnull:
            return
        if not real.startswith(self.root + os.sep) or real.startswith(self.secret):
            self.troubles.append(f"{event} {real}")


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if _active and (event == "open" or event in _CHANGES or event in _NEVER):
        _active[-1].see(event, arguments)


_installed: list[bool] = []


@contextlib.contextmanager
def watched(root: Path) -> Iterator[list[str]]:
    """What went wrong meanwhile, in words; nothing when the reader kept to the folder and to reading."""
    if not _installed:  # a hook cannot be taken off again, so there is one for the whole process
        sys.addaudithook(_hook)
        _installed.append(True)
    watch = _Watch(root)
    _active.append(watch)
    try:
        yield watch.troubles
    finally:
        _active.remove(watch)
