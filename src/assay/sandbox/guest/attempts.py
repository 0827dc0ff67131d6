"""What a function reached for that the sandbox denies: files outside the libraries, the network, processes, secrets.

Denying is the kernel's work; this only tells of it, so that a function that tried and fell back is not mistaken for one
that did not try. Audit hooks of the interpreter report the attempts. Importing does not count, nor does what libraries
look up for themselves, such as the number of processors.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, Final

__all__ = ["Attempts"]

_FILES = "open os.listdir os.scandir os.chdir os.remove os.mkdir os.rmdir os.rename os.link os.symlink os.truncate "
_FILES += "os.chmod os.chown os.utime os.getxattr os.listxattr os.walk os.fwalk sqlite3.connect tempfile.mkstemp"
_NETWORK = "socket.__new__ socket.connect socket.bind socket.sendto socket.getaddrinfo socket.gethostbyname "
_NETWORK += "socket.gethostbyaddr urllib.Request http.client.connect ftplib.connect smtplib.connect"
_PROCESSES = "subprocess.Popen os.system os.fork os.forkpty os.posix_spawn os.spawn os.exec os.kill os.killpg "
_PROCESSES += "os.startfile pty.spawn signal.pthread_kill"
_KINDS: Final = {
    **dict.fromkeys(_FILES.split(), "file"),
    **dict.fromkeys(_NETWORK.split(), "network"),
    **dict.fromkeys(_PROCESSES.split(), "process"),
    **dict.fromkeys(["gc.get_objects", "gc.get_referrers"], "memory"),  # the tables are hidden from it
}
_POOLS: Final = ("concurrent.futures.process", "multiprocessing.synchronize")  # loaded when a process pool is made
# functions of the C library, called past the interpreter
_SYMBOLS: Final = {
    **dict.fromkeys(
        ["open", "open64", "openat", "creat", "fopen", "fopen64", "opendir", "scandir", "syscall", "dlopen", "mmap"],
        "file",
    ),
    **dict.fromkeys(["socket", "connect", "getaddrinfo", "gethostbyname", "sendto"], "network"),
    **dict.fromkeys(
        ["fork", "vfork", "clone", "system", "popen", "execv", "execve", "execvp", "posix_spawn", "kill", "ptrace"],
        "process",
    ),
    **dict.fromkeys(["getenv", "secure_getenv"], "environment"),
}
# they look around for themselves: how many processors, which locale, which time zones
_CURIOUS: Final = frozenset(
    [
        "dateutil",
        "encodings",
        "gettext",
        "importlib",
        "inspect",
        "joblib",
        "linecache",
        "locale",
        "logging",
        "matplotlib",
        "mimetypes",
        "numba",
        "numpy",
        "pkgutil",
        "platform",
        "pyarrow",
        "pytz",
        "scipy",
        "site",
        "sklearn",
        "statsmodels",
        "sysconfig",
        "threadpoolctl",
        "traceback",
        "tzlocal",
        "uuid",
        "warnings",
        "zoneinfo",
    ]
)
_SYSTEM: Final = ("/proc/", "/sys/", "/etc/", "/usr/", "/lib")  # where they look
_HARMLESS: Final = ("/dev/null", "/dev/urandom", "/dev/random", ":memory:", "")
_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_MOST: Final = 8
_LONGEST: Final = 160


class Attempts:
    """Notes what one function reaches for, from the moment of its making; there is no end to that."""

    def __init__(self, name: str, code: str, readable: Sequence[str]) -> None:
        self.noted: dict[str, None] = {}
        self._file = f"<{name}>"
        self._code = code
        self._readable = tuple(f"{folder.rstrip('/')}/" for folder in readable)
        self._variables = frozenset(os.environ)
        self._busy = False

    def watch(self) -> None:
        """Begin: a hook that cannot be removed, and the ways of asking for files and variables that it does not see."""
        for name in ("stat", "lstat", "access"):
            setattr(os, name, self._asking(getattr(os, name)))
        os.path.expanduser = self._asking(os.path.expanduser)
        environment: Any = type(os.environ)
        environment.__getitem__ = self._looking_up(environment.__getitem__)
        environment.__iter__ = self._listing(environment.__iter__)
        sys.addaudithook(self._audit)

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        kind = _KINDS.get(event)
        if event == "ctypes.dlsym":
            self._audit_symbol(arguments)
        elif event == "sys._getframe":
            self._audit_frame(arguments)
        elif event == "import" and arguments and arguments[0] in _POOLS:
            self._audit_pool(str(arguments[0]))
        if kind is None or self._busy or len(self.noted) >= _MOST:
            return
        target = arguments[0] if arguments and kind != "memory" else ""
        if kind == "network":
            target = arguments[1] if event == "socket.connect" and len(arguments) > 1 else target
            target = "" if event == "socket.__new__" else target
        writing = event == "open" and len(arguments) > 2 and isinstance(arguments[2], int) and arguments[2] & _WRITING
        self._note(kind, target, _asking_frame(), writing=bool(writing))

    def _audit_symbol(self, arguments: tuple[Any, ...]) -> None:
        name = arguments[1] if len(arguments) > 1 else None
        kind = _SYMBOLS.get(name) if isinstance(name, str) else None
        if kind is None or self._busy or len(self.noted) >= _MOST:
            return
        line, curious = self._origin(_asking_frame())
        if line is not None and not curious:
            self.noted.setdefault(f"{kind} by the C library's {name} (line {line})")

    def _audit_frame(self, arguments: tuple[Any, ...]) -> None:
        """Only frames of others, and only when the function asks for them itself: libraries look at their callers."""
        frame, target = _asking_frame(), arguments[0] if arguments else None
        is_other = isinstance(target, FrameType) and target.f_code.co_filename != self._file
        if is_other and frame is not None and frame.f_code.co_filename == self._file and len(self.noted) < _MOST:
            self.noted.setdefault(f"memory of the callers (line {frame.f_lineno})")

    def _audit_pool(self, module: str) -> None:
        frame: FrameType | None = _asking_frame()
        while frame is not None and frame.f_code.co_filename != self._file:
            name = str(frame.f_globals.get("__name__", ""))
            if not name.startswith(("importlib", "_frozen_importlib", "concurrent", "multiprocessing")):
                return  # a library's own import
            frame = frame.f_back
        if frame is not None and len(self.noted) < _MOST:
            self.noted.setdefault(f"process {module} (line {frame.f_lineno})")

    def _note(self, kind: str, target: Any, frame: FrameType | None, *, writing: bool = False) -> None:
        self._busy = True
        try:
            shown = _text(target)
            if kind == "file" and (not isinstance(target, str | bytes | os.PathLike) or self._allowed(shown, writing)):
                return
            line, curious = self._origin(frame)
            curious |= kind == "file" and shown.startswith(_SYSTEM)
            if line is None or (curious and (not shown or shown.rpartition("/")[2] not in self._code)):
                return  # unless the source names it
            self.noted.setdefault(f"{kind}{f' {shown}' if shown else ''} (line {line})")
        finally:
            self._busy = False

    def _allowed(self, path: str, writing: bool) -> bool:
        if path in _HARMLESS or len(path) > 4096 or "\n" in path or path[:1] in "{[<":
            return True  # some libraries ask whether a text that they are given is a file
        place = os.path.abspath(path)  # noqa: PTH100 - the path of a file that need not exist, links unread
        return not writing and (f"{place}/").startswith(self._readable)

    def _origin(self, frame: FrameType | None) -> tuple[int | None, bool]:
        """The line of the function's own code that led here, None when none did; and whether a library was curious."""
        curious = False
        while frame is not None:
            file = frame.f_code.co_filename
            if file == self._file:
                return frame.f_lineno, curious
            if file.startswith("<frozen importlib"):
                return None, True
            curious |= str(frame.f_globals.get("__name__", "")).partition(".")[0] in _CURIOUS
            frame = frame.f_back
        return None, curious

    def _asking(self, ask: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(path: Any, *arguments: Any, **options: Any) -> Any:
            if not self._busy and len(self.noted) < _MOST:
                self._note("file", path, _asking_frame())
            return ask(path, *arguments, **options)

        return wrapper

    def _looking_up(self, look_up: Callable[..., Any]) -> Callable[..., Any]:
        def looked_up(environment: Any, key: Any) -> Any:
            if not self._busy and len(self.noted) < _MOST and key not in self._variables:
                self._note_variable(_text(key), _asking_frame())
            return look_up(environment, key)

        return looked_up

    def _listing(self, listing: Callable[..., Any]) -> Callable[..., Any]:
        def listed(environment: Any) -> Any:
            if not self._busy and len(self.noted) < _MOST:
                self._note_variable("", _asking_frame())
            return listing(environment)

        return listed

    def _note_variable(self, name: str, frame: FrameType | None) -> None:
        """Only what the function asks for itself: libraries read settings of theirs all the time."""
        while frame is not None and frame.f_code.co_filename.startswith("<frozen "):
            frame = frame.f_back
        if frame is not None and frame.f_code.co_filename == self._file:
            self._note("environment", name, frame)


def _asking_frame() -> FrameType | None:
    """The frame that made an audit hook run, found without asking for frames, which would make it run again."""
    try:
        raise LookupError
    except LookupError as error:
        frame: FrameType | None = None if error.__traceback__ is None else error.__traceback__.tb_frame
    while frame is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    return frame


def _text(target: Any) -> str:
    if isinstance(target, bytes):
        target = target.decode(errors="replace")
    if isinstance(target, os.PathLike):
        target = os.fspath(target)
    if isinstance(target, list | tuple):
        target = " ".join(str(part) for part in target[:4])
    return str(target)[:_LONGEST] if isinstance(target, str | int) else ""
