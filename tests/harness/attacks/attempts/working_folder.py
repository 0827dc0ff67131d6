"""The working folder, made so that whoever removes it is misled, stopped or worn out."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import socket
import stat
import time
from pathlib import Path

from tests.harness.attacks import means


def links_to_the_outside(target: means.Target) -> object:
    """Who follows them while removing or changing modes touches the user's files."""
    for name, path in (("home", target.home), ("truth", target.truth), ("results", target.results), ("up", "..")):
        os.symlink(path, name)
    os.makedirs("deep/er")
    os.symlink(target.home, "deep/er/home")
    os.chmod("deep/er", 0o500)
    return target.answer()


def folder_without_rights(target: means.Target) -> object:
    for depth in range(5):
        os.makedirs("closed/" * depth + "closed")
        Path("closed/" * depth + "closed/file").write_text("x")
    for depth in range(5, 0, -1):
        os.chmod("closed/" * depth, 0o000)
    return target.answer()


def working_folder_without_rights(target: means.Target) -> object:
    Path("file").write_text("x")
    os.mkdir("inner")
    os.chmod(".", 0o000)
    return target.answer()


def flags_that_forbid_removal(target: means.Target) -> object:
    """The immutable and the append-only flag, where the file system and the rights allow them."""
    os.mkdir("forbidden")
    Path("forbidden/file").write_text("x")
    for path, flag in (("forbidden/file", 0x10), ("forbidden", 0x10), (".", 0x20)):
        with contextlib.suppress(OSError):
            fcntl.ioctl(
                os.open(path, os.O_RDONLY), 0x40086602, ctypes.create_string_buffer(flag.to_bytes(8, "little"), 8)
            )
    return target.answer()


def folders_of_great_depth(target: means.Target) -> object:
    """Deeper than a path can be long, and than Python recurses."""
    until = time.monotonic() + 2
    for _ in range(3000):
        os.mkdir("d" * 10)
        os.chdir("d" * 10)
        if time.monotonic() > until:
            break
    return target.answer()


def very_many_names(target: means.Target) -> object:
    until = time.monotonic() + 1.0
    os.mkdir("many")
    folder = os.open("many", os.O_RDONLY)
    for number in range(20_000):
        os.close(os.open(f"n{number}", os.O_CREAT | os.O_WRONLY, dir_fd=folder))
        if time.monotonic() > until:
            break
    return target.answer()


def names_that_are_no_text(target: means.Target) -> object:
    names = [b"\xff\xfe", b"new\nline", b"-rf", b"*", b"x" * 255, b" ", b"\x1b[2J", "\u202e".encode(), b"$(touch mark)"]
    for name in names:
        os.makedirs(name + b"" if len(name) == 255 else name + b"d")
        Path(os.fsdecode(name if len(name) < 255 else b"y" * 255)).write_text("x")
    return target.answer()


def file_of_enormous_size(target: means.Target) -> object:
    """It holds nothing, but looks like a terabyte."""
    with open("sparse", "wb") as file:
        for size in (1 << 40, 1 << 33, 1 << 29):
            try:
                file.truncate(size)
                break
            except OSError:
                continue
    return target.answer()


def fifos_and_sockets(target: means.Target) -> object:
    """Who opens them to look inside waits for ever."""
    for name in ("answer", "usage.json", "reply", "log", "answer.json"):
        os.mkfifo(name)
    with contextlib.suppress(OSError):
        os.mknod("socket", stat.S_IFSOCK | 0o600)
    with contextlib.suppress(OSError):
        socket.socket(socket.AF_UNIX).bind("bound")
    return target.answer()


def folder_removed_by_itself(target: means.Target) -> object:
    os.rmdir(os.getcwd())
    return target.answer()


def folder_replaced_by_a_link(target: means.Target) -> object:
    """Who removes what is under this name now removes the user's folder."""
    here = os.getcwd()
    with contextlib.suppress(OSError):
        os.rename(here, here + "-aside")
        os.symlink(target.home, here)
    with contextlib.suppress(OSError):
        os.rmdir(here)
        os.symlink(target.home, here)
    return target.answer()


def folder_and_link_exchanged_all_the_time(target: means.Target) -> object:
    """A race with whoever looks first and removes then; a daemon goes on with it after the answer."""
    os.makedirs("a/b/c")
    for number in range(300):
        Path(f"a/b/c/plain{number}.txt").write_text("x")
    Path("a/secret.txt").write_text("x")
    os.symlink(target.home, "b")

    def exchange() -> None:
        until = time.monotonic() + 4
        while time.monotonic() < until:
            with contextlib.suppress(OSError):
                means.syscall(316, -100, b"a", -100, b"b", 2)

    means.daemon(exchange)
    time.sleep(0.2)
    return target.answer()


def names_made_while_they_are_removed(target: means.Target) -> object:
    folder = os.open(".", os.O_RDONLY)

    def make() -> None:
        until = time.monotonic() + 4
        number = 0
        while time.monotonic() < until and number < 50_000:
            number += 1
            with contextlib.suppress(OSError):
                os.mkdir(f"more{number}")

    means.daemon(make, keep=True)
    time.sleep(0.2)
    os.close(folder)
    return target.answer()


def hard_links_to_libraries(target: means.Target) -> object:
    """Who changes modes before removing would change those of the library."""
    with contextlib.suppress(OSError):
        os.link(os.__file__, "library")
        os.chmod("library", 0o600)
        raise RuntimeError("BREACH: linked a library into the working folder and changed its mode")
    return target.answer()


def program_with_the_rights_of_its_user(target: means.Target) -> object:
    """A program that runs as its owner whoever starts it must not stay; what is left is seen from outside."""
    Path("suid").write_bytes(Path("/bin/true").read_bytes())
    os.chmod("suid", 0o4755)
    return target.answer()


def file_system_filled_a_little(target: means.Target) -> object:
    with open("big", "wb") as file:
        for _ in range(200):
            file.write(b"x" * (1 << 20))
    return target.answer()


def own_source_replaced(target: means.Target) -> object:
    """The copy from which the next cell of this subject might run."""
    source = Path(means.__file__).parent
    with contextlib.suppress(OSError):
        for path in source.glob("*.py"):
            path.unlink()
            path.symlink_to(target.secret)
    return target.answer()


def modules_put_in_the_way(target: means.Target) -> object:
    """Files that an interpreter in this folder would import or read first."""
    code = f"open({target.mark()!r}, 'w').write('marker')\n"
    for name in ("sitecustomize.py", "usercustomize.py", "json.py", "numpy.py", "assay.py", "pickle.py", "shutil.py"):
        for folder in (Path(), Path(means.__file__).parent):
            with contextlib.suppress(OSError):
                (folder / name).write_text(code)
    Path("mark.pth").write_text(f"import os; os.system('touch {target.mark()}')\n")
    Path("pyvenv.cfg").write_text("home = /\n")
    return target.answer()
