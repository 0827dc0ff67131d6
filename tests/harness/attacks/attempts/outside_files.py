"""Writing, changing and removing what lies outside the working folder."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import sqlite3
import stat
import sys
from pathlib import Path

from tests.harness.attacks import means

_PLACES = ("/tmp", "/var/tmp", "/dev/shm", "/run", "/var/lock", "/dev/mqueue", "/run/lock", "/")


def _write(path: str) -> str:
    Path(path).write_text("marker")
    return f"wrote {path}"


def file_in_a_folder_of_the_user(target: means.Target) -> str | None:
    return _write(target.mark())


def file_in_places_that_all_may_write(target: means.Target) -> str | None:
    return means.every([lambda place=place: _write(target.mark(place)) for place in _PLACES if place != "/dev/shm"])


def file_in_shared_memory(target: means.Target) -> object:
    """It may have shared memory of its own; from outside nothing of it may be seen."""
    with contextlib.suppress(OSError):
        _write(target.mark("/dev/shm"))
    return target.answer()


def file_in_the_results_folder(target: means.Target) -> str | None:
    return _write(target.mark(target.results))


def file_beside_the_working_folder(target: means.Target) -> str | None:
    return means.every([lambda: _write(target.mark("..")), lambda: _write(target.mark("../.."))])


def file_in_the_folder_of_a_sibling(target: means.Target) -> str | None:
    return _write(target.mark(target.sibling))


def file_in_the_truth(target: means.Target) -> str | None:
    return _write(target.mark(os.path.dirname(target.truth)))


def file_among_the_python_modules(target: means.Target) -> str | None:
    import numpy as np

    import assay

    places = [os.path.dirname(str(module.__file__)) for module in (assay, np, os)]
    places += [entry for entry in sys.path if os.path.isdir(entry) and entry != os.path.dirname(means.__file__)]
    return means.every([lambda place=place: _write(target.mark(place) + ".pth") for place in places])


def cached_bytecode_of_the_harness(target: means.Target) -> str | None:
    import assay.core

    cached = os.path.dirname(str(assay.core.__file__)) + "/__pycache__"
    return _write(target.mark(cached))


def nameless_file_given_a_name_outside(target: means.Target) -> str | None:
    descriptor = os.open(target.home, os.O_TMPFILE | os.O_WRONLY)
    path = target.mark()
    means.syscall(265, -100, f"/proc/self/fd/{descriptor}".encode(), -100, path.encode(), 0x400)
    return f"linked {path}"


def hard_link_to_the_outside(target: means.Target) -> str | None:
    Path("mine").write_text("marker")
    os.link("mine", target.mark())
    return "linked a file outside"


def file_moved_to_the_outside(target: means.Target) -> str | None:
    Path("mine").write_text("marker")
    os.rename("mine", target.mark())
    return "moved a file outside"


def symbolic_link_outside(target: means.Target) -> str | None:
    os.symlink("/dev/null", target.mark())
    return "made a link outside"


def folder_outside(target: means.Target) -> str | None:
    os.mkdir(target.mark())
    return "made a folder outside"


def fifo_and_device_outside(target: means.Target) -> str | None:
    paths: list[str] = []
    for kind in (stat.S_IFIFO, stat.S_IFREG, stat.S_IFSOCK):
        try:
            os.mknod(target.mark(), kind | 0o600)
            paths.append(oct(kind))
        except OSError as error:
            last = error
    if paths:
        return f"made nodes {paths}"
    raise last


def device_node_in_the_working_folder(target: means.Target) -> str | None:
    """The disk itself, by a node of one's own; nothing is written."""
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        major, minor = (int(part) for part in line.split()[2].split(":"))
        if major:
            os.mknod(f"disk{minor}", stat.S_IFBLK | 0o600, os.makedev(major, minor))
            return means.read(f"disk{minor}", 512)
    return None


def content_of_a_file_appended_to(target: means.Target) -> str | None:
    with open(target.plain, "a") as file:
        file.write("marker")
    return "appended"


def file_truncated_by_its_path(target: means.Target) -> str | None:
    os.truncate(target.plain, 3)
    return "truncated"


def file_removed(target: means.Target) -> str | None:
    os.unlink(target.plain)
    return "removed"


def file_moved_aside(target: means.Target) -> str | None:
    os.rename(target.plain, target.plain + ".aside")
    return "renamed"


def mode_of_a_file_changed(target: means.Target) -> str | None:
    os.chmod(target.plain, 0o666)
    return "changed the mode"


def mode_changed_through_a_path_descriptor(target: means.Target) -> str | None:
    descriptor = os.open(target.home, os.O_PATH)
    return means.every(
        [
            lambda: os.chmod(f"/proc/self/fd/{descriptor}", 0o777) or "changed the mode through proc",
            lambda: (means.syscall(452, descriptor, b"", 0o777, 0x1000) and None) or "changed it with fchmodat2",
            lambda: (means.syscall(268, -100, target.home.encode(), 0o777) and None) or "changed it with fchmodat",
        ]
    )


def mode_of_the_results_folder_changed(target: means.Target) -> str | None:
    os.chmod(target.results, 0o777)
    return "changed the mode"


def mode_of_the_truth_changed(target: means.Target) -> str | None:
    os.chmod(target.truth, 0o640)  # 000 would stop the examiner
    return "changed the mode"


def owner_of_a_file_changed(target: means.Target) -> str | None:
    """To the same owner, which alone clears set-user-id bits and moves the change time."""
    os.chown(target.plain, os.getuid(), os.getgid())
    return "changed the owner"


def owner_changed_without_following_links(target: means.Target) -> str | None:
    os.lchown(target.home, os.getuid(), os.getgid())
    return "changed the owner"


def times_of_a_file_changed(target: means.Target) -> str | None:
    os.utime(target.plain, (1, 1))
    return "changed the times"


def times_changed_by_older_calls(target: means.Target) -> str | None:
    name, times = target.home.encode(), (ctypes.c_long * 4)(1, 0, 1, 0)
    return means.every(
        [
            lambda: f"utime {means.syscall(132, name, times)}",
            lambda: f"utimes {means.syscall(235, name, times)}",
            lambda: f"futimesat {means.syscall(261, -100, name, times)}",
            lambda: f"utimensat {means.syscall(280, -100, name, times, 0x100)}",
        ]
    )


def attribute_of_a_file_set(target: means.Target) -> str | None:
    os.setxattr(target.plain, "user.mark", b"marker")
    return "set an attribute"


def attribute_of_a_file_removed(target: means.Target) -> str | None:
    os.removexattr(target.plain, "user.other")
    return "removed an attribute"


def attribute_of_a_folder_set_without_following(target: means.Target) -> str | None:
    return means.every(
        [
            lambda: f"lsetxattr {means.syscall(189, target.home.encode(), b'user.mark', b'm', 1, 0)}",
            lambda: f"setxattrat {_setxattrat(target.home)}",
        ]
    )


def _setxattrat(path: str) -> int:
    value = ctypes.create_string_buffer(b"m")
    arguments = (ctypes.c_uint64 * 2)(ctypes.addressof(value), 1)
    return means.syscall(463, -100, path.encode(), 0, b"user.mark", arguments, 16)


def flags_of_a_library_changed(target: means.Target) -> str | None:
    """The attributes that chattr sets, through a descriptor that is only open for reading; the same are set again."""
    descriptor = os.open(os.__file__, os.O_RDONLY)
    flags = ctypes.create_string_buffer(8)
    fcntl.ioctl(descriptor, 0x80086601, flags)
    fcntl.ioctl(descriptor, 0x40086602, flags)
    return "set the flags of a file outside"


def attributes_through_a_descriptor_for_reading(target: means.Target) -> str | None:
    """Libraries may be read; that must not be enough to change them. The times that they have are set again."""
    descriptor = os.open(os.__file__, os.O_RDONLY)
    before = os.fstat(descriptor)
    return means.every(
        [
            lambda: os.utime(descriptor, ns=(before.st_atime_ns, before.st_mtime_ns)) or "set times",
            lambda: os.fchmod(descriptor, stat.S_IMODE(before.st_mode)) or "set the mode",
            lambda: os.fchown(descriptor, before.st_uid, before.st_gid) or "set the owner",
            lambda: os.setxattr(descriptor, f"user.mark-{target.token}", b"") or "set an attribute",
        ]
    )


def record_written_into_the_live_store(target: means.Target) -> str | None:
    try:
        connection = sqlite3.connect(target.store, timeout=0.2)
        connection.execute("UPDATE records SET body = body WHERE 0")
        connection.execute("BEGIN IMMEDIATE")
        return "took the lock of the store"
    except sqlite3.Error as error:
        raise OSError(str(error)) from None


def lock_of_the_run_removed_or_taken(target: means.Target) -> str | None:
    lock = f"{target.results}/.lock"
    return means.every(
        [
            lambda: fcntl.flock(os.open(lock, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB) or "took the lock",
            lambda: os.rename(lock, lock + ".aside") or "moved the lock",
        ]
    )


def results_folder_moved_aside(target: means.Target) -> str | None:
    os.rename(target.results, target.results + ".aside")
    os.rename(target.results + ".aside", target.results)
    return "moved the results"


def file_in_the_working_folder_of_a_sibling(target: means.Target) -> str | None:
    own = Path.cwd()
    folders = [folder for folder in Path(target.results, ".scratch").rglob("*") if folder.is_dir()]
    others = [folder for folder in folders if folder != own and own not in folder.parents]
    return means.every([lambda place=place: _write(target.mark(str(place))) for place in others[:200]])
