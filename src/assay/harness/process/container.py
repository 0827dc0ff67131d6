"""The subject server inside bubblewrap (`bwrap`): what is not mounted does not exist there.

Only the interpreter, the system's libraries, the readable paths and the scratch folder are mounted, under the paths
that they have outside. It has namespaces of its own for users, processes, the host's name, System V objects and, unless
it may use it, the network. Inside, process 1 is bubblewrap's, the parent of the server; process numbers that the server
tells mean nothing outside. The confinement of each subject is applied inside as well.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from assay.sandbox.lockdown.confine import NAME_FILES
from assay.sandbox.lockdown.lockdown import library_folders

__all__ = ["INNER_PARENT", "container_command", "container_reason"]

INNER_PARENT: Final = 1  # what a process that runs in a container has as its parent
_PROGRAM: Final = "bwrap"
_SECONDS: Final = 20.0
_SYSTEM: Final = "/usr /bin /sbin /lib /lib32 /lib64 /etc/ld.so.cache /etc/ld.so.conf /etc/ld.so.conf.d /etc/localtime"
_SETTINGS: Final = "/etc/alternatives /etc/fonts /etc/locale.alias /etc/mime.types"
_CPUS: Final = "/sys/devices/system/cpu"


def container_command(
    *, scratch: Path, readable: Sequence[Path] = (), hidden: Sequence[Path] = (), network: bool = False
) -> list[str]:
    """What to put before a command so that it runs in a container; inherited descriptors stay open.

    ``hidden`` are folders (problems, results) that must be empty even where they lie below a mounted one;
    ``scratch`` is writable even if it lies in one of them.
    """
    command = [_PROGRAM, "--unshare-all", "--die-with-parent", "--cap-drop", "ALL"]
    command += ["--share-net"] if network else []
    command += ["--tmpfs", "/tmp", "--proc", "/proc", "--dev", "/dev"]  # first: what is readable may lie there
    for system in [*_SYSTEM.split(), *_SETTINGS.split(), _CPUS, *(NAME_FILES.split() if network else [])]:
        command += _mounted(Path(system))
    ours = [Path(sys.prefix), Path(sys.base_prefix), Path(__file__).resolve().parents[2], *library_folders()]
    for path in [*ours, *readable]:
        for name in dict.fromkeys([path.resolve(), path.absolute()]):  # a linked environment is called by its own path
            command += ["--ro-bind", str(path.resolve()), str(name)]
    shown = [Path("/usr"), *(path.resolve() for path in [*ours, *readable])]
    for folder in (folder.resolve() for folder in hidden):
        if any(folder.is_relative_to(path) for path in shown):
            command += ["--tmpfs", str(folder)]
    inside = str(scratch.resolve())
    return [*command, "--bind", inside, inside, "--chdir", inside, "--"]


def _mounted(path: Path) -> list[str]:
    """A path of the system as it is: a link as the same link."""
    if path.is_symlink() and path.parent == Path("/"):
        return ["--symlink", str(path.readlink()), str(path)]
    return ["--ro-bind-try", str(path), str(path)]


@cache
def container_reason() -> str | None:
    """Why this machine cannot run containers, from trying; None where it can."""
    if shutil.which(_PROGRAM) is None:
        return f"bubblewrap ({_PROGRAM}) is not installed: install the system's package 'bubblewrap'"
    with tempfile.TemporaryDirectory() as scratch:
        try:
            process = subprocess.run(
                [*container_command(scratch=Path(scratch)), sys.executable, "-I", "-c", "import assay"],
                capture_output=True,
                text=True,
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"bubblewrap does not start: {error}"
    if process.returncode == 0:
        return None
    return (process.stderr.strip().splitlines() or [f"bubblewrap ended with status {process.returncode}"])[-1]
