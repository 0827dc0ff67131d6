"""What a process is seen to load: files of the subject's own folder, and the versions of libraries.

A subject is free to hide what it reads; that spoils nothing but its own resuming. What its process says is therefore
taken as a list of names, and looked at here: files are digested by the examiner, where they lie.
"""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import ClassVar, Final

from assay.core.files.digest import digest_file
from assay.core.files.folders import is_file
from assay.core.files.libraries import STANDARD
from assay.version import __version__

__all__ = ["ABSENT", "WRITTEN", "FileWatch", "loaded_software", "observed_files", "relayed_software"]

ABSENT: Final = "absent"
WRITTEN: Final = "written"  # by the subject itself: a log, a cache
MOST_FILES: Final = 200
MOST_BYTES: Final = 64 << 20  # of all files together
_MOST_LIBRARIES: Final = 100
_LONGEST_PATH: Final = 1000
_LIBRARY: Final = re.compile(r"[A-Za-z0-9_.-]{1,40}")
_VERSION: Final = re.compile(r"[A-Za-z0-9_.+!-]{1,40}")
_INSTALLED: Final = (sys.prefix, sys.base_prefix, str(Path(__file__).parents[2]))


class FileWatch:
    """Notes which files below a folder, or of those it may read, this process opens or imports, until it ends."""

    def __init__(self, home: str, *, without: str, copied: str = "", readable: Sequence[str] = ()) -> None:
        """``without`` is the subject's working folder, whose files are its own business.

        ``copied`` is a folder there that stands for ``home``. Files below ``readable`` places are noted by their whole
        path.
        """
        self._home = home.rstrip(os.sep) + os.sep if home else "\0"
        self._copied = copied.rstrip(os.sep) + os.sep if copied and copied != home else "\0"
        self._readable = tuple(readable)
        self._ignored = tuple(place + os.sep for place in (*_INSTALLED, without) if not self._home.startswith(place))
        self._names: dict[str, bool] = {}
        sys.addaudithook(self._note)

    def names(self) -> dict[str, bool]:
        """Paths from the folder, in the order in which they were first opened, and whether to write."""
        return self._names

    def _note(self, event: str, values: tuple[object, ...]) -> None:
        if event not in ("open", "import") or len(self._names) >= MOST_FILES:
            return
        try:
            path = values[0] if event == "open" else values[1]  # compiled modules are loaded without being opened
            if not isinstance(path, str | bytes):
                return
            text = os.path.abspath(os.fsdecode(path))  # noqa: PTH100 - for every file that is opened
            if text.startswith(self._copied):
                text = self._home + text[len(self._copied) :]
            if text.startswith(self._ignored):
                return
            if text.startswith(self._home):
                name = _source_of(text[len(self._home) :])
            elif self._readable and _is_below(real := os.path.realpath(text), self._readable):
                name = _source_of(real)
            else:
                return
            if "__pycache__" not in name:  # byte code that is being written
                writes = event == "open" and text.endswith(name) and _writes(values[1], values[2])
                self._names[name] = writes or self._names.get(name, False)
        except Exception:  # noqa: BLE001 - the subject must not see trouble that is ours
            return


def _is_below(path: str, places: Sequence[str]) -> bool:
    return any(path == place or path.startswith(place.rstrip(os.sep) + os.sep) for place in places)


def _writes(mode: object, flags: object) -> bool:
    if isinstance(mode, str):
        return "r" not in mode
    return isinstance(flags, int) and flags & os.O_ACCMODE == os.O_WRONLY


def _source_of(name: str) -> str:
    """The Python file of a compiled one: what is imported is read from there, unless nothing has changed."""
    folder, _, file = name.rpartition(os.sep)
    if file.endswith(".pyc") and folder.rpartition(os.sep)[2] == "__pycache__":
        return os.path.join(folder.rpartition(os.sep)[0], f"{file.partition('.')[0]}.py")  # noqa: PTH118
    return name


def observed_files(names: object, home: str, readable: Sequence[str] = ()) -> dict[str, str]:
    """The digests of files below a folder that a subject's process named, as far as they are there and not too large.

    Files below ``readable`` places have their whole path for a name. ``names`` says of each whether the process wrote
    it. Whatever else it may have said is dropped: other absolute paths, paths that lead out of the folder, other types.
    """
    if not isinstance(names, Mapping):
        return {}
    root = Path(home) if home else None
    digests: dict[str, str] = {}
    room = MOST_BYTES
    for name, wrote in islice(names.items(), MOST_FILES):
        if not isinstance(name, str) or not 0 < len(name) <= _LONGEST_PATH or not name.isprintable():
            continue
        try:
            path = Path(os.path.normpath(name if root is None else root / name))
            if path.resolve() != path:  # it may lead out of the folder
                continue
            if root is not None and path.is_relative_to(root):
                shown = path.relative_to(root).as_posix()
            elif Path(name).is_absolute() and _is_below(str(path), readable):
                shown = str(path)
            else:
                continue
            if wrote is True and path.suffix != ".py":
                digests[shown] = WRITTEN
                continue
            if not path.exists():  # its coming would make a difference
                digests[shown] = ABSENT
            if not is_file(path):
                continue
            state = path.stat()
            if state.st_size > room:
                continue
            room -= state.st_size
            digests[shown] = _digest(path, state.st_mtime_ns, state.st_size)
        except (OSError, ValueError, RuntimeError):
            continue
    return digests


@lru_cache(maxsize=1000)
def _digest(path: Path, _changed: int, _size: int) -> str:
    return digest_file(path)


class _Loaded:
    """What was found in the modules that were loaded so far; a forked process has only the new ones to look at."""

    modules = 0
    versions: ClassVar[dict[str, str]] = {}


def loaded_software() -> dict[str, str]:
    """The versions of Python, Assay and the libraries that this process has loaded and that say their version."""
    if not _Loaded.modules:
        _Loaded.versions = {"python": platform.python_version(), "assay": __version__}
    if _Loaded.modules != len(sys.modules):
        # the latest come first; touching the others would copy the memory that a forked process shares
        for name in list(islice(reversed(sys.modules), len(sys.modules) - min(_Loaded.modules, len(sys.modules)))):
            if "." not in name and name not in STANDARD:
                module = sys.modules.get(name)
                version = getattr(module, "__dict__", {}).get("__version__")  # a lazy module is left asleep
                _Loaded.versions.update(relayed_software({name: version}))
        _Loaded.modules = len(sys.modules)
    return dict(_Loaded.versions)


def relayed_software(versions: object) -> dict[str, str]:
    """Names and versions as they can look; whatever else a subject's process may have said is dropped."""
    if not isinstance(versions, Mapping):
        return {}
    valid = {
        name: version
        for name, version in versions.items()
        if isinstance(name, str) and isinstance(version, str)
        if _LIBRARY.fullmatch(name) and _VERSION.fullmatch(version) and not name.startswith("_")
    }
    return dict(list(valid.items())[:_MOST_LIBRARIES])
